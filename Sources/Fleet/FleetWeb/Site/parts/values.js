/** The values of forms, as the server receives them. */

/**
 * Values whose names have points, as objects: `every.days` is the member `days` of `every`.
 * @param {Record<string, any>} values
 */
export function nested(values) {
  /** @type {Record<string, any>} */
  const made = {};
  for (const [name, value] of Object.entries(values)) {
    const parts = name.split("."), last = /** @type {string} */ (parts.pop());
    parts.reduce((/** @type {any} */ inner, part) => inner[part] ??= {}, made)[last] = value;
  }
  return made;
}

/**
 * The values that are not empty.
 * @param {Record<string, any>} values
 * @returns {Record<string, any>}
 */
export function withoutEmpty(values) {
  return Object.fromEntries(Object.entries(values)
    .map(([name, value]) => [name, value && typeof value === "object" && !Array.isArray(value) ? withoutEmpty(value) : value])
    .filter(([, value]) => value !== null && value !== undefined && !(typeof value === "object" && Object.keys(value).length === 0)));
}
