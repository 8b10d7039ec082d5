/**
 * What the server sends by itself: records, notifications, and changes of things. All parts of the app share one WebSocket.
 * After an interruption, the records resume at the last one.
 *
 * @typedef {{ kind: string, id: string, vehicleId?: string, action: "created" | "updated" | "deleted", version: number }} Change
 *   `kind`: as in the audit. `version`: that of the thing after the change.
 * @typedef {{ onRecord?: (record: any) => void, onGap?: () => void, onNotification?: () => void, onChange?: (change: Change) => void,
 *   onMissed?: (isFirst: boolean) => void }} Reader
 *   `onGap`: records were missed; read the lists again. `onMissed`: changes or notifications may have been missed, because a subscription has
 *   begun, or because there were too many. `isFirst`: the channel had no subscription before.
 * @typedef {{ records: boolean, changes: boolean }} Content `records`: also notifications.
 * @typedef {{ readers: Set<Reader>, after: number | null, content: Content | null, hasBegun: boolean, wasSubscribed: boolean }} Channel
 *   `after`: the number of the last record. `content`: that of the subscription; `null` if there is none. `hasBegun`: whether the server has
 *   confirmed the subscription; `wasSubscribed`: whether it ever has.
 */
import { sessionState } from "./state.js";

/** @type {Map<string, Channel>} */
const channels = new Map();
/** @type {WebSocket | null} */
let socket = null;
let failures = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let settling;

/** The time after which subscriptions without readers end, ms. The next page usually needs the same ones. */
const lingering = 3000;
/** The time after which a subscription that the server has ended begins again, ms. */
const pause = 10_000;

/** Dispatches `change` when a subscription begins or ends. */
export const liveState = new EventTarget();

/**
 * Whether the records of a channel arrive.
 * @param {string} channel
 */
export function live(channel) {
  const entry = channels.get(channel);
  return Boolean(entry?.hasBegun && entry.content?.records);
}

/**
 * @param {Channel} entry
 * @param {boolean} hasBegun
 */
function setBegun(entry, hasBegun) {
  if (hasBegun === entry.hasBegun) return;
  entry.hasBegun = hasBegun;
  liveState.dispatchEvent(new Event("change"));
}

/** There is no connection any more. */
function forgetSubscriptions() {
  for (const entry of channels.values()) {
    entry.content = null;
    setBegun(entry, false);
  }
}

/**
 * Reads a channel: `fleet`, `vehicle:ID`, or `me`.
 * @param {string} channel
 * @param {Reader} reader
 * @returns {() => void} ends the reading
 */
export function listen(channel, reader) {
  let entry = channels.get(channel);
  if (!entry) {
    entry = { readers: new Set(), after: null, content: null, hasBegun: false, wasSubscribed: false };
    channels.set(channel, entry);
  }
  const { readers } = entry;
  readers.add(reader);
  if (!socket) connect();
  else extend(channel, entry);
  return () => {
    readers.delete(reader);
    if (settling === undefined) settling = setTimeout(settle, lingering);
  };
}

/**
 * What the readers of a channel need.
 * @param {Channel} entry
 * @returns {Content}
 */
function neededBy({ readers }) {
  const list = [...readers];
  return { records: list.some(reader => reader.onRecord || reader.onNotification), changes: list.some(reader => reader.onChange) };
}

/**
 * Subscribes to a channel if the present subscription lacks what a reader needs.
 * @param {string} channel
 * @param {Channel} entry
 */
function extend(channel, entry) {
  const needed = neededBy(entry), { content } = entry;
  if (!content || (needed.records && !content.records) || (needed.changes && !content.changes)) subscribe(channel, entry, needed);
}

/** Ends the subscriptions that have no readers, and the parts of others that no reader needs. */
function settle() {
  settling = undefined;
  for (const [channel, entry] of channels) {
    const needed = neededBy(entry), { content } = entry;
    if (entry.readers.size === 0) {
      channels.delete(channel);
      if (content && isOpen()) socket?.send(JSON.stringify({ action: "unsubscribe", channel }));
    } else if (content && (needed.records !== content.records || needed.changes !== content.changes)) subscribe(channel, entry, needed);
  }
  if (channels.size === 0) close();
}

function isOpen() { return socket?.readyState === WebSocket.OPEN; }

function close() {
  clearTimeout(timer);
  timer = undefined;
  const present = socket;
  socket = null;
  forgetSubscriptions();
  if (present?.readyState === WebSocket.CONNECTING) present.onopen = () => present.close(1000);
  else present?.close(1000);
}

/**
 * Subscribes to a channel. Replaces a subscription with other content.
 * @param {string} channel
 * @param {Channel} entry
 * @param {Content} content
 */
function subscribe(channel, entry, content) {
  if (!isOpen()) return;
  if (entry.content) socket?.send(JSON.stringify({ action: "unsubscribe", channel }));
  // Without records, their last number becomes old.
  if (!content.records) entry.after = null;
  entry.content = content;
  setBegun(entry, false);
  socket?.send(JSON.stringify({
    action: "subscribe", channel, ...(entry.after === null ? {} : { after: entry.after }), ...(content.changes ? { changes: true } : {}), ...(content.records ? {} : { records: false }),
  }));
}

function connect() {
  clearTimeout(timer);
  timer = undefined;
  const opened = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`);
  socket = opened;
  opened.onopen = () => {
    for (const [channel, entry] of channels) if (entry.readers.size > 0) subscribe(channel, entry, neededBy(entry));
  };
  opened.onmessage = event => receive(JSON.parse(event.data));
  opened.onclose = () => {
    if (socket !== opened) return;
    socket = null;
    forgetSubscriptions();
    // Wait longer after each failure, and for a random time, so that not all browsers try again together.
    const seconds = Math.min(30, 0.5 * 2 ** failures++) * (0.5 + Math.random());
    timer = setTimeout(resume, seconds * 1000);
  };
}

/** Connects again if there are readers. */
function resume() {
  if (!socket && [...channels.values()].some(entry => entry.readers.size > 0)) connect();
}

/** @param {any} message */
function receive(message) {
  const entry = channels.get(message.channel);
  if (!entry) return;
  switch (message.event) {
    case "subscribed": {
      failures = 0;
      setBegun(entry, true);
      if (entry.content?.records && entry.after === null) entry.after = message.id;
      const isFirst = !entry.wasSubscribed;
      entry.wasSubscribed = true;
      for (const reader of entry.readers) reader.onMissed?.(isFirst);
      break;
    }
    case "record":
      if (entry.content?.records) entry.after = message.id;
      for (const reader of entry.readers) reader.onRecord?.(message.record);
      break;
    case "notification":
      for (const reader of entry.readers) reader.onNotification?.();
      break;
    case "change":
      // Without a thing, there were too many changes to send.
      for (const reader of entry.readers) {
        if (message.change) reader.onChange?.(message.change);
        else reader.onMissed?.(false);
      }
      break;
    case "error":
      // A subscription that exists already was not ended.
      if (message.error?.code === "conflict") break;
      entry.content = null;
      setBegun(entry, false);
      if (message.error?.code === "positionGone") {
        entry.after = null;
        for (const reader of entry.readers) reader.onGap?.();
        extend(message.channel, entry);
      } else {
        setTimeout(() => { if (channels.get(message.channel) === entry && !entry.content && entry.readers.size > 0) extend(message.channel, entry); }, pause);
      }
      break;
  }
}

addEventListener("online", resume);
// The next person has other rights.
sessionState.addEventListener("end", close);
