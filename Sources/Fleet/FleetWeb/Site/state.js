/**
 * The data that all pages share: the session, the language, and short messages.
 *
 * @typedef {{ id: string, email: string | null, firstName: string, lastName: string, roles: string[],
 *   scope: "all" | string[], locale: string | null, timeZone: string | null, units: "metric" | "imperial" }} Person
 * @typedef {{ person: Person, permissions: Record<string, Record<string, "all" | "scope" | "own">>,
 *   expiresAt: string, sessionId: string, tenant: string }} Session
 */
import { useEffect, useState } from "./lib/preact.js";

/** @type {Session | null} */
let session = null;
/** @type {Set<() => void>} */
const listeners = new Set();

/** Dispatches `end` when the session has ended. */
export const sessionState = new EventTarget();

/** Draws all components again that use the shared data. */
export function changed() {
  for (const listener of listeners) listener();
}

/** Draws a component again when the shared data change. */
export function useShared() { useListeners(listeners); }

/**
 * Draws a component again when the functions of a set are called.
 * @param {Set<() => void>} listeners
 */
export function useListeners(listeners) {
  const [, draw] = useState(0);
  useEffect(() => {
    const listener = () => draw((/** @type {number} */ count) => count + 1);
    listeners.add(listener);
    return () => { listeners.delete(listener); };
  }, []);
}

/** The session; `null` before the sign-in. */
export function currentSession() { return session; }

/** @param {Session | null} value */
export function setSession(value) {
  session = value;
  // Only the server decides whether there is a session. Without this mark, the app does not ask the server, so that people
  // without a session cause no refused request.
  if (value) {
    localStorage.setItem("wasSignedIn", "1");
    localStorage.setItem("session", JSON.stringify(value));
  } else {
    localStorage.removeItem("wasSignedIn");
    localStorage.removeItem("session");
    sessionState.dispatchEvent(new Event("end"));
  }
  changed();
}

/**
 * The things for which the person has a permission.
 * @param {string} area
 * @param {string} [action]
 * @returns {"all" | "scope" | "own" | undefined}
 */
export function may(area, action = "read") {
  return session?.permissions[area]?.[action];
}

/** @typedef {{ id: number, text: string, isBad: boolean, action?: { label: string, run: () => void } }} Message */
/** @type {Message[]} */
let messages = [];
let count = 0;

/** @returns {Message[]} */
export function currentMessages() { return messages; }

/**
 * Shows a short message.
 * @param {string} text
 * @param {{ isBad?: boolean, action?: Message["action"] }} options `action`: a button, for example to undo.
 */
export function tell(text, { isBad = false, action } = {}) {
  const message = { id: ++count, text, isBad, action };
  messages = [...messages.slice(-2), message];
  changed();
  setTimeout(() => dismiss(message.id), action || isBad ? 12_000 : 5_000);
}

/** @param {number} id */
export function dismiss(id) {
  messages = messages.filter(message => message.id !== id);
  changed();
}
