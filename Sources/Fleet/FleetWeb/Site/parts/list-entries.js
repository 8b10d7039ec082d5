/**
 * The entries of lists, which are loaded in parts.
 * @typedef {import("./changes.js").Change} Change
 */
import { useEffect, useRef, useState } from "../lib/preact.js";
import { get } from "../api.js";
import { valueAt } from "./fields.js";
import { isLost } from "./ui.js";

/** The entries of the first page, which appears early. A person who scrolls on waits less often if the next ones are larger. */
const firstPage = 100, nextPage = 500;
/** The most entries of one request. */
const mostEntries = 1000;
/** The most entries that are replaced without loading the whole list. The API selects up to 100 ids. */
const mostReplaced = 50;

/**
 * The entries of a list, page by page as the person scrolls. `refresh` loads as many entries again as are shown, without a sign on the page.
 * In a long list, it loads only the changed entries if they have stayed at their places.
 * @param {string} path
 * @param {Record<string, any>} query
 */
export function usePages(path, query) {
  const key = path + JSON.stringify(query);
  const [state, setState] = useState(/** @type {any} */ ({ key: "", things: [], next: undefined, isLoading: true, turn: 0 }));
  // `turn`: the number of the newest load; the answers of earlier ones are no longer used. `refreshing`: the number of a refresh in progress.
  const loads = useRef({ turn: 0, present: Promise.resolve(), refreshing: 0, count: 0, things: /** @type {any[]} */ ([]) });
  loads.current.things = state.things;
  // A list that was complete stays so if a few entries are added.
  loads.current.count = state.things.length + (state.next ? 0 : firstPage);
  const run = async (/** @type {string | undefined} */ cursor, /** @type {any[]} */ before) => {
    const turn = ++loads.current.turn;
    const use = (/** @type {any} */ next) => { if (turn === loads.current.turn) setState({ key, turn, isLoading: false, ...next }); };
    try {
      const page = await get(path, { limit: cursor ? nextPage : firstPage, ...query, cursor });
      use({ things: [...before, ...page.data], next: page.next });
    } catch (error) {
      use({ things: before, next: undefined, error });
    }
  };
  const load = (/** @type {string | undefined} */ cursor, /** @type {any[]} */ before) => (loads.current.present = run(cursor, before));
  /**
   * The changed entries by their ids; `null` if the whole list must be loaded, because entries may have come, gone or moved.
   * @param {Change[] | null} changes
   * @returns {Promise<Map<string, any> | null>}
   */
  const changedEntries = async changes => {
    const ids = new Set(changes?.map(change => change.id)), { things } = loads.current;
    if (!changes || things.length <= firstPage || ids.size > mostReplaced || changes.some(({ action, id }) => action !== "updated" || id.includes(","))) return null;
    const before = things.filter(thing => ids.has(thing.id));
    if (before.length < ids.size) return null;
    /** @type {Map<string, any>} */
    const found = new Map((await get(path, { ...query, id: [...ids].join(","), limit: ids.size })).data.map((/** @type {any} */ thing) => [thing.id, thing]));
    const order = String(query.sort ?? "").split(",").map(name => name.replace("-", ""));
    const stays = (/** @type {any} */ old) => found.has(old.id) && order.every(name => JSON.stringify(valueAt(old, name)) === JSON.stringify(valueAt(found.get(old.id), name)));
    return before.every(stays) ? found : null;
  };
  const refresh = async (/** @type {Change[] | null} */ changes) => {
    await loads.current.present;
    const turn = ++loads.current.turn, count = Math.max(firstPage, loads.current.count);
    /** @type {any} */
    let next = {};
    loads.current.refreshing = turn;
    try {
      const found = await changedEntries(changes);
      if (turn !== loads.current.turn) return;
      if (found) {
        next = { things: loads.current.things.map(thing => found.get(thing.id) ?? thing) };
        return;
      }
      /** @type {any[]} */
      const things = [];
      /** @type {string | undefined} */
      let cursor;
      do {
        const page = await get(path, { limit: Math.min(mostEntries, count - things.length), ...query, cursor });
        if (turn !== loads.current.turn) return;
        things.push(...page.data);
        cursor = page.next;
      } while (cursor && things.length < count);
      next = { things, next: cursor, error: undefined };
    } catch (error) {
      if (turn !== loads.current.turn) return;
      if (!isLost(error)) throw error;
      next = { things: [], next: undefined, error };
    } finally {
      loads.current.refreshing = 0;
      // A new turn also makes the end of the list load more if it is visible.
      if (turn === loads.current.turn) setState((/** @type {any} */ old) => ({ ...old, ...next, turn }));
    }
  };
  useEffect(() => {
    setState((/** @type {any} */ old) => ({ ...old, isLoading: true, error: undefined }));
    load(undefined, []);
    return () => { loads.current.turn += 1; };
  }, [key]);
  return { ...state, more: () => { if (loads.current.refreshing !== loads.current.turn) load(state.next, state.things); }, reload: () => load(undefined, []), refresh };
}
