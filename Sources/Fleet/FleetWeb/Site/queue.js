/**
 * Entries that people make without a network. They are stored in the browser's database, and sent in order when there is a
 * network. Every entry has an id that this browser created, so that the server stores it once even if it is sent twice.
 *
 * @typedef {{ number?: number, method: string, path: string, body: any, headers: Record<string, string>, label: string, at: string,
 *   owner: string, reason?: string, done?: Done, blob?: Blob }} Entry `owner`: the person; `reason`: why the server did not accept it; `blob`: the content of a file.
 * @typedef {{ path: string, field: string }} Done A command has been executed before if this field of the thing has a value.
 */
import { RequestError, connection, newId, pathOf, request } from "./api.js";
import { upload } from "./parts/files.js";
import { changed, currentSession, tell } from "./state.js";
import { t } from "./texts.js";

/** @type {Entry[]} */
let entries = [];

/** @returns {Promise<IDBDatabase>} */
function database() {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("fleet", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("queue", { keyPath: "number", autoIncrement: true });
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
}

/**
 * @template T
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<T>} act
 * @returns {Promise<T>}
 */
async function use(mode, act) {
  const opened = await database();
  return new Promise((resolve, reject) => {
    const transaction = opened.transaction("queue", mode, { durability: "strict" });
    const asked = act(transaction.objectStore("queue"));
    // The entry is stored only when the transaction is complete.
    transaction.oncomplete = () => { opened.close(); resolve(asked.result); };
    transaction.onerror = () => { opened.close(); reject(transaction.error); };
  });
}

async function read() {
  entries = await use("readonly", store => store.getAll());
  changed();
}

/** The channel on which the tabs of this browser send a message when the entries have changed. */
const tabs = new BroadcastChannel("queue");
tabs.onmessage = async () => {
  const before = waiting().length;
  await read().catch(() => {});
  if (waiting().length < before) sent.dispatchEvent(new Event("sent"));
};

/** The entries that wait for the network, or that the server did not accept. */
export function waiting() {
  const owner = currentSession()?.person.id;
  return entries.filter(entry => entry.owner === owner);
}

/**
 * Sends an entry. A command whose answer was lost may have been executed already; then it counts as sent.
 * @param {{ method: string, path: string, body?: any, headers?: Record<string, string>, done?: Done, blob?: Blob, label: string }} entry
 */
async function deliver({ method, path, body, headers, done, blob, label }) {
  try {
    if (blob) return await upload(path, blob, label);
    return await request(method, path, { body, headers });
  } catch (error) {
    if (!done || !(error instanceof RequestError) || error.status !== 409) throw error;
    const present = await request("GET", done.path);
    if (present.value?.[done.field] === undefined || present.value[done.field] === null) throw error;
    return present;
  }
}

/**
 * Whether an entry belongs to a thing that the server did not accept. It waits until the person has decided.
 * @param {Entry} entry
 */
function isBlocked(entry) {
  return waiting().some(other => other.reason && other.method === "PUT" && /** @type {number} */ (other.number) < /** @type {number} */ (entry.number) && entry.path.startsWith(other.path + "/"));
}

/**
 * The next entry that can be sent.
 * @param {number} after
 */
function next(after) { return waiting().find(entry => /** @type {number} */ (entry.number) > after && !entry.reason && !isBlocked(entry)); }

/**
 * Sends an entry now, or later if there is no network.
 * @param {{ method: string, path: string, body?: any, headers?: Record<string, string>, label: string, done?: Done }} entry
 * @returns {Promise<{ value: any, tag: string | null } | null>} the answer; `null` if it waits
 * @throws {RequestError} if the server does not accept it
 */
export async function submit({ method, path, body, headers = {}, label, done }) {
  const owner = currentSession()?.person.id ?? "";
  const isBehind = () => waiting().some(entry => !entry.reason && !isBlocked(entry));
  // Files of this thing may be on their way.
  if (isBehind()) await send();
  if (!isBehind()) {
    try {
      return await deliver({ method, path, body, headers, done, label });
    } catch (error) {
      if (!(error instanceof RequestError) || !error.isOffline) throw error;
    }
  }
  await use("readwrite", store => store.add({ method, path, body, headers, label, at: new Date().toISOString(), owner, ...(done ? { done } : {}) }));
  await read();
  tabs.postMessage("added");
  tell(t("net.kept"));
  send();
  return null;
}

/**
 * Sends a file now, or later if there is no network. It is stored first, so that closing the browser loses nothing.
 * @param {File} file
 * @returns {Promise<string>} its id
 */
export async function submitFile(file) {
  const id = newId();
  await use("readwrite", store => store.add({
    method: "PUT", path: pathOf("/api/files", id), body: null, blob: file, headers: {}, label: file.name, at: new Date().toISOString(), owner: currentSession()?.person.id ?? "",
  }));
  await read();
  send();
  return id;
}

/** @type {Promise<void> | null} */
let sending = null;

/** Sends the waiting entries in order, until all are sent or the network is lost. Only one tab of this browser sends at a time. */
export function send() {
  // The browser has locks only if the page came by HTTPS or from this machine. Without them, two tabs may send an entry twice; the server stores it once.
  sending ??= (navigator.locks ? navigator.locks.request("queue", sendAll) : sendAll()).finally(() => { sending = null; });
  return /** @type {Promise<void>} */ (sending);
}

async function sendAll() {
  if (!currentSession()) return;
  let count = 0;
  try {
    await read();
    for (let entry = next(0); entry; entry = next(/** @type {number} */ (entry.number))) {
      const number = /** @type {number} */ (entry.number);
      try {
        await deliver(entry);
        await use("readwrite", store => store.delete(number));
        if (!entry.blob) count += 1;
        await read();
        tabs.postMessage("sent");
      } catch (error) {
        // Try again after errors of the server or of the network. If the server rejects an entry, the person must decide.
        if (!(error instanceof RequestError) || error.isOffline || error.status >= 500 || error.status === 401 || error.status === 429 || error.code === "uploadBusy") break;
        await use("readwrite", store => store.put({ ...entry, reason: /** @type {Error} */ (error).message }));
        await read();
        tell(t("net.refused", { reason: /** @type {Error} */ (error).message }), { isBad: true });
      }
    }
  } finally {
    await read();
  }
  if (count > 0) {
    tell(t("net.sent"));
    sent.dispatchEvent(new Event("sent"));
  }
}

/** Dispatches `sent` when entries that waited were stored by the server. */
export const sent = new EventTarget();

/**
 * Sends an entry that was not accepted again.
 * @param {Entry} entry
 */
export async function retry(entry) {
  const { reason: _, ...again } = entry;
  await use("readwrite", store => store.put(again));
  await send();
}

/**
 * Removes an entry that was not accepted, and the commands of the thing that it would have made.
 * @param {Entry} entry
 */
export async function discard(entry) {
  const lost = entry.method === "PUT" ? waiting().filter(other => other.path.startsWith(entry.path + "/")) : [];
  for (const { number } of [entry, ...lost]) await use("readwrite", store => store.delete(/** @type {number} */ (number)));
  await read();
  tabs.postMessage("discarded");
}

/** Begins to send whenever there is a network. */
export function startQueue() {
  addEventListener("online", send);
  connection.addEventListener("online", send);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) send(); });
  setInterval(() => { if (waiting().some(entry => !entry.reason)) send(); }, 20_000);
  send().catch(() => {});
}
