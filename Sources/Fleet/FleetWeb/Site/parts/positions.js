/**
 * The positions and states of the vehicles.
 *
 * @typedef {"moving" | "idle" | "parked" | "silent"} State
 * @typedef {{ id: string, name: string, state: State, speed: number | null, heading: number | null, time: string | null,
 *   longitude: number | null, latitude: number | null, vehicle: any, driver: string | null, since: number,
 *   telemetry: any }} Position
 */
import { all, get, pathOf } from "../api.js";
import { remember, vehicleName } from "./names.js";

/** The time without a record after which a vehicle is silent. */
const silentSeconds = 24 * 3600;
/** The maximum age of the newest record of a vehicle that moves or idles. With an older one, the vehicle is parked. */
const parkedSeconds = 180;

/**
 * The state of a vehicle, from its newest record.
 * @param {any} telemetry
 * @param {number} now
 * @returns {State}
 */
export function stateOf(telemetry, now) {
  if (!telemetry?.timestamp) return "silent";
  const age = (now - Date.parse(telemetry.timestamp)) / 1000;
  if (age > silentSeconds) return "silent";
  if (age > parkedSeconds) return "parked";
  const speed = telemetry.speed ?? telemetry.gpsSpeed;
  if (speed > 2) return "moving";
  return telemetry.rpm > 0 ? "idle" : "parked";
}

/**
 * @param {any} vehicle
 * @param {any} telemetry
 * @param {any} position
 * @returns {Position}
 */
function made(vehicle, telemetry, position) {
  return {
    id: vehicle.id, name: vehicleName(vehicle), vehicle, telemetry: telemetry ?? {}, driver: null,
    state: stateOf(telemetry, Date.now()), speed: telemetry?.speed ?? null, heading: position?.heading ?? telemetry?.heading ?? null,
    time: telemetry?.timestamp ?? null, longitude: position?.longitude ?? null, latitude: position?.latitude ?? null,
    since: Date.now(),
  };
}

/**
 * All vehicles with their newest positions.
 * @param {AbortSignal} signal
 * @returns {Promise<Map<string, Position>>}
 */
export async function loadPositions(signal) {
  const vehicles = await all("/api/vehicles");
  remember("vehicle", vehicles);
  /** @type {Map<string, Position>} */
  const found = new Map();
  const waiting = vehicles.filter(vehicle => {
    found.set(vehicle.id, made(vehicle, null, null));
    return vehicle.lastRecordAt;
  });
  // Send a few requests at a time.
  await Promise.all(Array.from({ length: 4 }, async () => {
    for (let vehicle = waiting.shift(); vehicle; vehicle = waiting.shift()) {
      const latest = await get(pathOf("/api/vehicles", vehicle.id, "latest"), {}, signal);
      found.set(vehicle.id, made(vehicle, latest.telemetry, latest.position));
    }
  }));
  return found;
}

/**
 * Updates a vehicle's position from a record.
 * @param {Map<string, Position>} positions
 * @param {any} record
 * @returns {boolean} whether anything has changed
 */
export function apply(positions, record) {
  if (record.type !== "telemetry" || !record.vehicleId) return false;
  const old = positions.get(record.vehicleId) ?? made({ id: record.vehicleId }, null, null);
  if (old.time && record.timestamp && record.timestamp < old.time) return false;
  // A record has only values that were measured since the record before. Keep the others.
  const telemetry = { ...old.telemetry, ...record };
  const state = stateOf(telemetry, Date.now());
  positions.set(record.vehicleId, {
    ...old, telemetry, state, speed: record.speed ?? old.speed, heading: record.heading ?? old.heading, time: record.timestamp ?? old.time,
    longitude: record.longitude ?? old.longitude, latitude: record.latitude ?? old.latitude,
    since: state === old.state ? old.since : Date.now(),
  });
  return true;
}

/**
 * The track of a vehicle, as lines of [longitude, latitude]. After a pause without positions, a new line begins.
 * @param {string} id
 * @param {string | Date} from
 * @param {string | Date} to
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ lines: number[][][], points: { time: number, at: number[] }[] }>}
 */
export async function loadTrack(id, from, to, signal) {
  const seconds = (new Date(to).getTime() - new Date(from).getTime()) / 1000;
  const every = Math.max(1, Math.round(seconds / 2000));
  const query = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), fields: "latitude,longitude", every, limit: 1000 };
  /** @type {{ time: number, at: number[] }[]} */
  const points = [];
  let cursor;
  do {
    let page;
    try {
      page = await get(pathOf("/api/vehicles", id, "telemetry"), { ...query, cursor }, signal);
    } catch (error) {
      // No record has a position yet.
      if (/** @type {any} */ (error).status === 400) break;
      throw error;
    }
    for (const record of page.data) {
      if (record.longitude === undefined) continue;
      points.push({ time: Date.parse(record.timestamp), at: [record.longitude, record.latitude] });
    }
    cursor = page.next;
  } while (cursor);
  points.sort((a, b) => a.time - b.time);
  /** @type {number[][][]} */
  const lines = [];
  let last = -Infinity;
  for (const point of points) {
    if (point.time - last > Math.max(300, 4 * every) * 1000) lines.push([]);
    lines[lines.length - 1].push(point.at);
    last = point.time;
  }
  return { lines, points };
}
