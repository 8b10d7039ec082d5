/** Style sheets that only some pages need, and the colours of the styles for code that draws. */

/** @type {Map<string, Promise<void>>} */
const sheets = new Map();

/**
 * Loads a style sheet once.
 * @param {URL} address
 * @returns {Promise<void>}
 */
export function loadStyle(address) {
  let loading = sheets.get(address.href);
  if (!loading) {
    loading = new Promise((resolve, reject) => {
      const link = document.createElement("link");
      link.rel = "stylesheet";
      link.href = address.href;
      link.onload = () => resolve();
      link.onerror = () => reject(new Error(address.href));
      document.head.append(link);
    });
    sheets.set(address.href, loading);
  }
  return loading;
}

/**
 * The present value of a colour token.
 * @param {string} name
 * @returns {string}
 */
export function token(name) {
  // The browser chooses between the light and the dark colour only in a property of an element.
  const probe = document.createElement("i");
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}
