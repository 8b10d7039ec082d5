/** The time by the server's clock, because that of a phone may be wrong. */

// Smaller differences may come from the way of the answer.
const TOLERANCE = 30_000;
const KEY = "clock";
// How far the server's clock is ahead of the device's, ms. It is kept for times without a network.
let ahead = Number(localStorage.getItem(KEY)) || 0;

/**
 * Compares the clocks.
 * @param {string | null} date the `Date` of an answer that has just arrived
 */
export function compareClock(date) {
  const difference = Date.parse(date ?? "") - Date.now();
  if (Number.isNaN(difference)) return;
  const found = Math.abs(difference) > TOLERANCE ? difference : 0;
  if (Math.abs(found - ahead) < TOLERANCE && (found === 0) === (ahead === 0)) return;
  ahead = found;
  if (ahead) localStorage.setItem(KEY, String(ahead));
  else localStorage.removeItem(KEY);
}

/** The present time for what is sent to the server, as a text. */
export function presentTime() { return new Date(Date.now() + ahead).toISOString(); }
