/**
 * Requests to the server. The browser adds the session's cookie; scripts never see it.
 */

import { compareClock } from "./clock.js";

/** @typedef {{ path: string, message: string }} FieldFault */
/** @typedef {{ field: string, base?: unknown, mine?: unknown, theirs?: unknown }} Conflict */

/** An answer that is not a success, or no answer at all. */
export class RequestError extends Error {
  /**
   * @param {number} status 0 if the server did not answer.
   * @param {{ code?: string, message?: string, fields?: FieldFault[], conflicts?: Conflict[] }} detail
   */
  constructor(status, detail) {
    super(detail.message ?? `status ${status}`);
    this.status = status;
    this.code = detail.code ?? "unknown";
    this.fields = detail.fields ?? [];
    this.conflicts = detail.conflicts ?? [];
  }

  /** Whether there is no network, or no server. */
  get isOffline() { return this.status === 0; }
}

/** Dispatches `signedOut` when the session has ended, and `online` or `offline` as requests succeed or fail. */
export const connection = new EventTarget();

let isReachable = true;
/** @param {boolean} reachable */
function report(reachable) {
  if (reachable === isReachable) return;
  isReachable = reachable;
  connection.dispatchEvent(new Event(reachable ? "online" : "offline"));
}

/** Whether the last request reached the server. */
export function reachable() { return isReachable; }

/**
 * @typedef {{ body?: unknown, headers?: Record<string, string>, query?: Record<string, unknown>, type?: string,
 *   signal?: AbortSignal }} Options
 */

/**
 * Sends a request.
 * @param {string} method
 * @param {string} path
 * @param {Options} options `body` is sent as JSON, a text of another type as it is; values of `query` that are empty are left out.
 * @returns {Promise<{ value: any, tag: string | null, headers?: Headers }>} the body, its entity tag, and all headers
 */
export async function request(method, path, { body, headers = {}, query, type = "application/json", signal } = {}) {
  const text = Object.entries(query ?? {})
    .filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`).join("&");
  /** @type {RequestInit} */
  const init = { method, headers: { ...headers }, signal, credentials: "same-origin", cache: "no-store" };
  if (body !== undefined) {
    /** @type {Record<string, string>} */ (init.headers)["Content-Type"] = type;
    init.body = body instanceof Blob ? body : typeof body === "string" && type !== "application/json" ? body : JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path + (text ? "?" + text : ""), init);
  } catch (error) {
    if (/** @type {Error} */ (error).name === "AbortError") throw error;
    report(false);
    throw new RequestError(0, { code: "offline" });
  }
  report(true);
  compareClock(answer.headers.get("Date"));
  const content = answer.status === 204 ? null : await answer.json().catch(() => null);
  if (answer.ok) return { value: content, tag: answer.headers.get("ETag"), headers: answer.headers };
  const error = new RequestError(answer.status, content?.error ?? {});
  if (answer.status === 401 && !path.startsWith("/api/auth/")) connection.dispatchEvent(new Event("signedOut"));
  throw error;
}

/**
 * @param {string} path
 * @param {Record<string, unknown>} [query]
 * @param {AbortSignal} [signal]
 */
export async function get(path, query, signal) {
  return (await request("GET", path, { query, signal })).value;
}

/**
 * @param {string} path
 * @param {unknown} [body]
 */
export async function post(path, body) {
  return (await request("POST", path, { body })).value;
}

/**
 * All entries of a list, page by page.
 * @param {string} path
 * @param {Record<string, unknown>} [query]
 * @param {number} [most]
 * @returns {Promise<any[]>}
 */
export async function all(path, query = {}, most = 10_000) {
  /** @type {any[]} */
  const found = [];
  /** @type {string | undefined} */
  let cursor;
  do {
    /** @type {any} */
    const page = await get(path, { limit: 1000, ...query, cursor });
    found.push(...page.data);
    cursor = page.next;
  } while (cursor && found.length < most);
  return found;
}

/**
 * A path from its parts, percent-encoded.
 * @param {string} base
 * @param {...string} parts
 */
export function pathOf(base, ...parts) {
  return [base, ...parts.map(encodeURIComponent)].join("/");
}

/** A UUID of version 7, for things that this browser makes. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  let time = Date.now();
  for (let place = 5; place >= 0; place--) {
    bytes[place] = time % 256;
    time = Math.floor(time / 256);
  }
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map(byte => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
