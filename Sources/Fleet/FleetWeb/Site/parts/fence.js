/**
 * Geofences as people edit them, and the collection in which the server keeps them.
 *
 * @typedef {"polygon" | "circle" | "corridor" | "other"} Shape `other`: a shape of several parts, which is kept as it is.
 * @typedef {{ id: string | null, name: string, shape: Shape, points: number[][], radius: number | null, notifyOnEntry: boolean,
 *   notifyOnExit: boolean, dwellSeconds: number | null, speedLimit: number | null, source: any }} Fence
 *   `points`: longitude and latitude, for polygons without the last point of the ring. `radius`: m. `source`: the stored feature.
 */
import { RequestError, request } from "../api.js";

const path = "/api/geofences";

/** @param {any} feature */
export function idOf(feature) { return String(feature.properties?.id ?? feature.id ?? ""); }

/** @param {any} feature */
export function nameOfFence(feature) { return String(feature.properties?.name ?? idOf(feature)); }

/**
 * @param {any} feature
 * @returns {Fence}
 */
export function fenceOf(feature) {
  const { properties = {}, geometry } = feature;
  const { type, coordinates } = geometry;
  /** @type {[Shape, number[][]]} */
  const [shape, points] = type === "Polygon" ? ["polygon", coordinates[0].slice(0, -1)] : type === "Point" ? ["circle", [coordinates]]
    : type === "LineString" ? ["corridor", coordinates] : ["other", []];
  return {
    id: idOf(feature), name: properties.name ?? "", shape, points, radius: properties.radius ?? null,
    notifyOnEntry: properties.notifyOnEntry ?? true, notifyOnExit: properties.notifyOnExit ?? true,
    dwellSeconds: properties.dwellSeconds ?? null, speedLimit: properties.speedLimit ?? null, source: feature,
  };
}

/** @param {Shape} shape @returns {Fence} */
export function newFence(shape) {
  return {
    id: null, name: "", shape, points: [], radius: shape === "polygon" ? null : shape === "circle" ? 200 : 50, notifyOnEntry: true, notifyOnExit: true,
    dwellSeconds: null, speedLimit: null, source: null,
  };
}

/** @param {Fence} fence */
export function geometryOf({ shape, points, source }) {
  switch (shape) {
    case "polygon": return { type: "Polygon", coordinates: [[...points, points[0]], ...(source?.geometry.type === "Polygon" ? source.geometry.coordinates.slice(1) : [])] };
    case "circle": return { type: "Point", coordinates: points[0] };
    case "corridor": return { type: "LineString", coordinates: points };
    case "other": return source.geometry;
  }
}

/**
 * The feature that the server keeps. Properties that the app does not know stay as they are.
 * @param {Fence} fence
 * @param {string} id
 */
function featureOf(fence, id) {
  /** @type {Record<string, any>} */
  const properties = { ...fence.source?.properties, name: fence.name || undefined };
  if (properties.id === undefined && fence.source?.id === undefined) properties.id = id;
  properties.radius = fence.shape === "circle" || fence.shape === "corridor" ? fence.radius : undefined;
  properties.notifyOnEntry = fence.notifyOnEntry ? undefined : false;
  properties.notifyOnExit = fence.notifyOnExit ? undefined : false;
  properties.dwellSeconds = fence.dwellSeconds ?? undefined;
  properties.speedLimit = fence.speedLimit ?? undefined;
  return { ...fence.source, type: "Feature", properties: JSON.parse(JSON.stringify(properties)), geometry: geometryOf(fence) };
}

/**
 * An id from a name: `depot-konstanz`, or `depot-konstanz-2` if there is one already.
 * @param {string} name
 * @param {string[]} others
 */
function newName(name, others) {
  const plain = name.normalize("NFKD").replace(/ß/g, "ss").replace(/\p{M}/gu, "").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "fence";
  for (let count = 1; ; count++) {
    const id = count === 1 ? plain : `${plain}-${count}`;
    if (!others.includes(id)) return id;
  }
}

/** Another person has changed or removed the same fence. */
export class FenceConflict extends Error {
  /**
   * @param {Fences} fences the collection that is stored now
   * @param {any} theirs the fence as it is stored now; `null` if it was removed
   */
  constructor(fences, theirs) {
    super("conflict");
    this.fences = fences;
    this.theirs = theirs;
  }
}

/** @typedef {{ features: any[], value: any, tag: string | null }} Fences */

/**
 * @param {AbortSignal} [signal]
 * @returns {Promise<Fences>}
 */
export async function loadFences(signal) {
  const { value, tag } = await request("GET", path, { signal });
  return { features: value.features ?? [], value, tag };
}

/**
 * Stores a fence, or removes one. If others have changed other fences meanwhile, their changes stay.
 * @param {Fences} fences the collection as it was loaded
 * @param {{ id: string | null, fence: Fence | null }} change `id`: `null` for a new fence. `fence`: `null` to remove it.
 * @returns {Promise<{ id: string, fences: Fences, isMerged: boolean }>} `isMerged`: whether others have changed other fences
 * @throws {FenceConflict} if another person has changed this fence
 */
export async function storeFence(fences, { id, fence }) {
  const before = fences.features.find(feature => idOf(feature) === id);
  for (let attempt = 0; ; attempt++) {
    const name = id ?? newName(fence?.name ?? "", fences.features.map(idOf));
    const made = fence && featureOf(fence, name);
    const isThere = fences.features.some(feature => idOf(feature) === id);
    const features = isThere ? fences.features.flatMap(feature => (idOf(feature) === id ? made ? [made] : [] : [feature])) : [...fences.features, ...(made ? [made] : [])];
    const value = { ...fences.value, features };
    try {
      const { tag } = await request("PUT", path, { body: value, type: "application/geo+json", headers: { "If-Match": fences.tag ?? "*" } });
      return { id: name, fences: { features, value, tag }, isMerged: attempt > 0 };
    } catch (error) {
      if (!(error instanceof RequestError) || error.status !== 412 || attempt > 4) throw error;
    }
    fences = await loadFences();
    const theirs = fences.features.find(feature => idOf(feature) === id) ?? null;
    if (id !== null && JSON.stringify(theirs) !== JSON.stringify(before ?? null)) throw new FenceConflict(fences, theirs);
  }
}

/**
 * The numbers of two edges that cross each other, from 1; `null` if no edges do.
 * @param {number[][]} points
 * @returns {[number, number] | null}
 */
export function crossing(points) {
  const count = points.length;
  if (count < 4 || count > 1000) return null;
  const side = (/** @type {number[]} */ a, /** @type {number[]} */ b, /** @type {number[]} */ c) => Math.sign((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
  for (let first = 0; first < count; first++) {
    for (let second = first + 2; second < count; second++) {
      if (first === 0 && second === count - 1) continue;
      const [a, b, c, d] = [points[first], points[first + 1], points[second], points[(second + 1) % count]];
      if (side(a, b, c) !== side(a, b, d) && side(c, d, a) !== side(c, d, b)) return [first + 1, second + 1];
    }
  }
  return null;
}

/**
 * Metres between two places.
 * @param {number[]} first
 * @param {number[]} second
 */
export function metres([firstLongitude, firstLatitude], [secondLongitude, secondLatitude]) {
  const radians = Math.PI / 180;
  const north = (secondLatitude - firstLatitude) * radians, east = (secondLongitude - firstLongitude) * radians;
  const part = Math.sin(north / 2) ** 2 + Math.cos(firstLatitude * radians) * Math.cos(secondLatitude * radians) * Math.sin(east / 2) ** 2;
  return 2 * 6_371_008.8 * Math.asin(Math.sqrt(part));
}
