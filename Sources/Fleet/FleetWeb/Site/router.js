/**
 * The address of the page: which view is shown, and its parameters.
 *
 * @typedef {{ path: string, parts: string[], query: URLSearchParams }} Place
 */

/** @returns {Place} */
export function place() {
  const path = location.pathname;
  return {
    path,
    parts: path.split("/").filter(Boolean).map(decodeURIComponent),
    query: new URLSearchParams(location.search),
  };
}

/** @type {Set<() => void>} */
const listeners = new Set();

/**
 * Calls a function whenever the address changes.
 * @param {() => void} listener
 */
export function onPlaceChange(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function changed() {
  for (const listener of listeners) listener();
}

/**
 * Shows another page.
 * @param {string} address
 * @param {{ replace?: boolean }} options `replace`: the browser's Back does not return to the present page.
 */
export function go(address, { replace = false } = {}) {
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  changed();
}

/**
 * Changes parameters of the address, and stays on the page.
 * @param {Record<string, string | null | undefined>} values `null` removes a parameter.
 */
export function setQuery(values) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(values)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString();
  go(location.pathname + (text ? "?" + text : ""), { replace: true });
}

/**
 * An address from a path's parts, percent-encoded.
 * @param {...string} parts
 */
export function to(...parts) {
  return "/" + parts.map(encodeURIComponent).join("/");
}

/** Begins to handle clicks on links, and the browser's buttons Back and Forward. */
export function startRouter() {
  addEventListener("popstate", changed);
  document.addEventListener("click", event => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const link = /** @type {Element} */ (event.target).closest("a");
    if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (link.pathname.startsWith("/api/")) return;
    event.preventDefault();
    if (link.href !== location.href) go(link.pathname + link.search + link.hash);
  });
}
