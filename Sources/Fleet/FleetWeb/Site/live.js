/**
 * Records as they arrive, by WebSocket. After an interruption, the connection resumes at the last record.
 *
 * @typedef {{ onRecord: (record: any) => void, onGap: () => void }} Reader `onGap`: records were missed; read the lists
 *   again.
 */

/** @type {Map<string, { readers: Set<Reader>, after: number | null }>} */
const channels = new Map();
/** @type {WebSocket | null} */
let socket = null;
let failures = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let isLive = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let leaving;

/** Dispatches `change` when the connection opens or closes. */
export const liveState = new EventTarget();

/** Whether updates arrive, because the connection is open. */
export function live() { return isLive; }

/** @param {boolean} value */
function setLive(value) {
  if (value === isLive) return;
  isLive = value;
  liveState.dispatchEvent(new Event("change"));
}

/**
 * Reads a channel: `fleet`, or `vehicle:ID`.
 * @param {string} channel
 * @param {Reader} reader
 * @returns {() => void} ends the reading
 */
export function listen(channel, reader) {
  clearTimeout(leaving);
  let entry = channels.get(channel);
  if (!entry) {
    entry = { readers: new Set(), after: null };
    channels.set(channel, entry);
    if (socket?.readyState === WebSocket.OPEN) subscribe(channel);
  }
  entry.readers.add(reader);
  if (!socket) connect();
  return () => {
    const present = channels.get(channel);
    if (!present) return;
    present.readers.delete(reader);
    if (present.readers.size > 0) return;
    channels.delete(channel);
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ action: "unsubscribe", channel }));
    // The next page usually listens as well.
    if (channels.size === 0) leaving = setTimeout(close, 3000);
  };
}

function close() {
  clearTimeout(timer);
  timer = undefined;
  const present = socket;
  socket = null;
  setLive(false);
  if (present?.readyState === WebSocket.CONNECTING) present.onopen = () => present.close(1000);
  else present?.close(1000);
}

/** @param {string} channel */
function subscribe(channel) {
  const after = channels.get(channel)?.after;
  socket?.send(JSON.stringify({ action: "subscribe", channel, ...(after === null ? {} : { after }) }));
}

function connect() {
  clearTimeout(timer);
  timer = undefined;
  const opened = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`);
  socket = opened;
  opened.onopen = () => {
    for (const channel of channels.keys()) subscribe(channel);
  };
  opened.onmessage = event => receive(JSON.parse(event.data));
  opened.onclose = () => {
    if (socket !== opened) return;
    socket = null;
    setLive(false);
    // Wait longer after each failure, and for a random time, so that not all browsers try again together.
    const seconds = Math.min(30, 0.5 * 2 ** failures++) * (0.5 + Math.random());
    timer = setTimeout(connect, seconds * 1000);
  };
}

/** @param {any} message */
function receive(message) {
  const entry = channels.get(message.channel);
  switch (message.event) {
    case "subscribed":
      failures = 0;
      setLive(true);
      if (entry && entry.after === null) entry.after = message.id;
      break;
    case "record":
      if (!entry) break;
      entry.after = message.id;
      for (const reader of entry.readers) reader.onRecord(message.record);
      break;
    case "error":
      if (message.error?.code === "positionGone" && entry) {
        entry.after = null;
        for (const reader of entry.readers) reader.onGap();
        subscribe(message.channel);
      }
      break;
  }
}

addEventListener("online", () => { if (!socket && channels.size > 0) connect(); });
