/** Style sheets that only some pages need. */

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
