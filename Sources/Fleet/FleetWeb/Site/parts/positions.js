/**
 * The positions and states of the vehicles.
 *
 * @typedef {"moving" | "idle" | "parked" | "silent"} State
 * @typedef {{ id: string, name: string, state: State, speed: number | null, heading: number | null, time: string | null,
 *   longitude: number | null, latitude: number | null, vehicle: any, driver: string | null, since: number,
 *   telemetry: any, isKnown: boolean }} Position `isKnown`: whether a record has arrived since the page was opened.
 */
import { all, get, pathOf } from "../api.js";
import { remember, vehicleName } from "./names.js";

// The states are defined in docs/FleetStore.md, Positions and tracks. The server sends them, and records that arrive change them.
const movingSpeed = 3;
const silentSeconds = 15 * 60;
/** The largest fleet that the map shows. */
const most = 50_000;
/** The gateway of a parked vehicle may sleep. */
const parkedSilentSeconds = 24 * 3600;

/**
 * What a vehicle does, from its newest values.
 * @param {any} telemetry
 * @param {number} now
 * @returns {State}
 */
export function stateOf(telemetry, now) {
  if (!telemetry?.timestamp) return "silent";
  const age = (now - Date.parse(telemetry.timestamp)) / 1000;
  const speed = telemetry.speed ?? telemetry.gpsSpeed ?? 0;
  const state = speed >= movingSpeed ? "moving" : telemetry.rpm > 0 && !telemetry.hasEnded ? "idle" : "parked";
  return age > (state === "parked" ? parkedSilentSeconds : silentSeconds) ? "silent" : state;
}

/**
 * All vehicles with their newest positions.
 * @param {AbortSignal} signal
 * @returns {Promise<Map<string, Position>>}
 */
export async function loadPositions(signal) {
  const [vehicles, places] = await Promise.all([all("/api/vehicles", {}, most), get("/api/positions", {}, signal)]);
  remember("vehicle", vehicles);
  /** @type {Map<string, any>} */
  const features = new Map(places.features.map((/** @type {any} */ feature) => [feature.id, feature]));
  return new Map(vehicles.map(vehicle => {
    const feature = features.get(vehicle.id);
    const [longitude, latitude] = feature?.geometry.coordinates ?? [null, null];
    const values = feature?.properties ?? {};
    return [vehicle.id, {
      id: vehicle.id, name: vehicleName(vehicle), vehicle, driver: values.driverId ?? null,
      telemetry: { timestamp: values.lastRecordAt ?? vehicle.lastRecordAt, ...(values.speed === undefined ? {} : { speed: values.speed }) },
      state: values.state ?? "silent", speed: values.speed ?? null, heading: values.heading ?? null, time: values.lastRecordAt ?? vehicle.lastRecordAt ?? null,
      longitude, latitude, since: Date.now(), isKnown: false,
    }];
  }));
}

/**
 * Updates a vehicle's position from a record.
 * @param {Map<string, Position>} positions
 * @param {any} record
 * @returns {boolean} whether anything has changed
 */
export function apply(positions, record) {
  if (!["telemetry", "trip"].includes(record.type) || !record.vehicleId) return false;
  const old = positions.get(record.vehicleId) ?? {
    id: record.vehicleId, name: record.vehicleId, vehicle: { id: record.vehicleId }, driver: null, telemetry: {}, state: "silent", speed: null,
    heading: null, time: null, longitude: null, latitude: null, since: Date.now(), isKnown: false,
  };
  if (old.time && record.timestamp && record.timestamp < old.time) return false;
  // A record has only values that were measured since the record before. Keep the others.
  const telemetry = record.type === "telemetry" ? { ...old.telemetry, ...record, hasEnded: false }
    : { ...old.telemetry, timestamp: record.timestamp ?? old.telemetry.timestamp, hasEnded: record.event === "end" };
  const state = stateOf(telemetry, Date.now());
  positions.set(record.vehicleId, {
    ...old, telemetry, state, speed: record.speed ?? old.speed, heading: record.heading ?? old.heading, time: record.timestamp ?? old.time,
    longitude: record.longitude ?? old.longitude, latitude: record.latitude ?? old.latitude, isKnown: true,
    since: state === old.state ? old.since : Date.now(),
  });
  return true;
}

/**
 * The track of a vehicle, as lines of [longitude, latitude]. After a pause without positions, a new line begins.
 * @param {string} id
 * @param {Date} from
 * @param {Date} to
 * @param {AbortSignal} [signal]
 * @returns {Promise<number[][][]>}
 */
export async function loadTrack(id, from, to, signal) {
  /** @type {number[][][]} */
  const lines = [];
  /** @type {string | undefined} */
  let next = from.toISOString();
  while (next) {
    /** @type {any} */
    const track = await get(pathOf("/api/vehicles", id, "track"), { from: next, to: to.toISOString(), tolerance: 5 }, signal);
    const geometry = track.geometry ?? track;
    if (geometry.type === "LineString") lines.push(geometry.coordinates);
    else if (geometry.type === "MultiLineString") lines.push(...geometry.coordinates);
    next = track.continuesAt === next ? undefined : track.continuesAt;
  }
  return lines;
}
