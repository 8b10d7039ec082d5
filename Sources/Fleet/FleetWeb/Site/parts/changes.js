/** Keeps what is shown up to date while other people change it. */
import { useEffect, useRef } from "../lib/preact.js";
import { listen } from "../live.js";
import { outdateNames } from "./names.js";

/** @typedef {import("../live.js").Change} Change */

/** A reload begins this time after a change, ms. Changes often come together, and not all browsers ask the server at once. */
const pause = 200, spread = 300;
/** The minimum time between two reloads, ms. */
const gap = 2000;
/** The maximum time between two attempts, ms. */
const longest = 60_000;
/** After a reload, this many times its duration pass until the next one, so that slow reloads do not follow each other. */
const rest = 4;

/** The most changes that are remembered until the next reload, which may be hours later in a hidden tab. */
const mostChanges = 200;

/**
 * Runs reloads: one at a time, with a pause in between, and only while the page is visible. A reload that fails is tried again.
 * @param {() => Promise<unknown>} reload
 */
export function reloader(reload) {
  let isOutdated = false, isRunning = false, isStopped = false, failures = 0, earliest = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const schedule = () => {
    if (!isOutdated || isRunning || isStopped || timer !== undefined || document.hidden) return;
    timer = setTimeout(run, Math.max(pause + spread * Math.random(), earliest - performance.now()));
  };
  const run = async () => {
    timer = undefined;
    if (document.hidden) return;
    isOutdated = false;
    isRunning = true;
    const begun = performance.now();
    try {
      await reload();
      failures = 0;
    } catch {
      // The error concerns nothing that the person has done. The page stays as it is until an attempt succeeds.
      isOutdated = true;
      failures += 1;
    }
    isRunning = false;
    const end = performance.now();
    earliest = end + Math.min(longest, Math.max(gap, rest * (end - begun)) * 2 ** failures);
    schedule();
  };
  document.addEventListener("visibilitychange", schedule);
  return {
    /** Something has changed. */
    mark: () => { isOutdated = true; schedule(); },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", schedule);
    },
  };
}

/**
 * Loads again what is shown when things are changed, also by other people.
 * @param {string[]} kinds the kinds of things, as in the audit; if empty, nothing is loaded again
 * @param {(changes: Change[] | null) => Promise<unknown>} reload gets the changes since the last reload; `null` if they are not known
 * @param {(change: Change) => boolean} [concerns] whether a change concerns what is shown
 */
export function useChanges(kinds, reload, concerns = () => true) {
  const latest = useRef({ kinds, reload, concerns });
  latest.current = { kinds, reload, concerns };
  useEffect(() => {
    if (kinds.length === 0) return;
    /** @type {Change[] | null} */
    let changes = [];
    const { mark, stop } = reloader(async () => {
      const taken = changes;
      changes = [];
      try {
        await latest.current.reload(taken);
      } catch (error) {
        changes = null;
        throw error;
      }
    });
    const end = listen("fleet", {
      onChange: change => {
        outdateNames(change);
        if (!latest.current.kinds.includes(change.kind) || !latest.current.concerns(change)) return;
        if (changes && changes.length >= mostChanges) changes = null;
        changes?.push(change);
        mark();
      },
      onMissed: isFirst => {
        if (!isFirst) outdateNames(null);
        changes = null;
        mark();
      },
    });
    return () => { end(); stop(); };
  }, [kinds.length > 0]);
}

/**
 * Loads again what depends on the person's notifications when there is a new one.
 * @param {() => Promise<unknown>} reload
 * @param {boolean} isUsed
 */
export function useNotifications(reload, isUsed) {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    if (!isUsed) return;
    const { mark, stop } = reloader(() => latest.current());
    const end = listen("me", { onNotification: mark, onMissed: mark });
    return () => { end(); stop(); };
  }, [isUsed]);
}
