/**
 * Numbers, times, units and money as the person reads and writes them. The server stores metric units and UTC.
 */
import { currentSession } from "./state.js";
import { language } from "./texts.js";

/** @typedef {"h" | "km" | "km/h" | "°C" | "L" | "L/100km" | "m" | "kg" | "kWh" | "%" | "rpm" | "V" | "kPa" | "g/s" | "L/h" | "s"} Unit */

/** For each metric unit: the unit that people with imperial units (of the United States) see, and both conversions. */
/** @type {Record<string, { name: string, id?: string, from: (value: number) => number, to: (value: number) => number }>} `id`: the name of the unit in the API. */
const imperial = {
  "km": { name: "mi", id: "mi", from: km => km / 1.609344, to: mi => mi * 1.609344 },
  "km/h": { name: "mph", from: km => km / 1.609344, to: mi => mi * 1.609344 },
  "°C": { name: "°F", from: c => c * 1.8 + 32, to: f => (f - 32) / 1.8 },
  "L": { name: "gal", id: "usGallon", from: l => l / 3.785411784, to: gal => gal * 3.785411784 },
  "L/h": { name: "gal/h", from: l => l / 3.785411784, to: gal => gal * 3.785411784 },
  "L/100km": { name: "mpg", from: l => 235.214583 / l, to: mpg => 235.214583 / mpg },
  "m": { name: "ft", from: m => m / 0.3048, to: ft => ft * 0.3048 },
  "kg": { name: "lb", id: "lb", from: kg => kg / 0.45359237, to: lb => lb * 0.45359237 },
};

/** The litres in each unit of volume in which a quantity can be entered. */
export const litres = /** @type {Record<string, number>} */ ({ L: 1, usGallon: 3.785411784, imperialGallon: 4.54609 });

function isImperial() { return currentSession()?.person.units === "imperial"; }

/** The language and country for numbers and dates. */
export function locale() {
  const chosen = currentSession()?.person.locale ?? navigator.language;
  return chosen.startsWith(language()) ? chosen : language();
}

/** The browser's time zone. To ask for it takes long. */
const ownTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The person's time zone. */
export function timeZone() { return currentSession()?.person.timeZone ?? ownTimeZone; }

/** @type {Map<string, Intl.DateTimeFormat>} */
const dateFormats = new Map();
/** @param {Intl.DateTimeFormatOptions} options */
function dates(options) {
  const key = locale() + timeZone() + JSON.stringify(options);
  let found = dateFormats.get(key);
  if (!found) {
    try {
      found = new Intl.DateTimeFormat(locale(), { timeZone: timeZone(), ...options });
    } catch {
      found = new Intl.DateTimeFormat(language(), options);
    }
    dateFormats.set(key, found);
  }
  return found;
}

/** @type {Map<string, Intl.NumberFormat>} */
const numberFormats = new Map();

/**
 * @param {number} value
 * @param {number} [digits] the maximum number of digits after the point
 * @param {number} [least] the minimum
 */
export function number(value, digits = 0, least = 0) {
  const key = `${locale()} ${digits} ${least}`;
  let found = numberFormats.get(key);
  if (!found) {
    found = new Intl.NumberFormat(locale(), { maximumFractionDigits: digits, minimumFractionDigits: least });
    numberFormats.set(key, found);
  }
  return found.format(value);
}

/**
 * The name of the unit that the person sees.
 * @param {string} unit
 */
export function unitName(unit) {
  const name = isImperial() ? imperial[unit]?.name ?? unit : unit;
  return name === "L/100km" ? "L/100 km" : name;
}

/**
 * Whether a unit can be entered in another one.
 * @param {string} unit
 */
export function hasOtherUnit(unit) { return unit in imperial; }

/**
 * A value in the person's unit.
 * @param {number} value
 * @param {string} unit
 */
export function inUnit(value, unit) {
  return isImperial() && imperial[unit] ? imperial[unit].from(value) : value;
}

/**
 * The number alone, in the person's unit.
 * @param {number} value
 * @param {string} unit
 * @param {number} [digits]
 */
export function amount(value, unit, digits = 0) {
  return number(inUnit(value, unit), digits);
}

/**
 * A number with its unit.
 * @param {number | null | undefined} value
 * @param {string} unit
 * @param {number} [digits]
 */
export function quantity(value, unit, digits = 0) {
  return value === null || value === undefined ? "–" : `${amount(value, unit, digits)}\u00a0${unitName(unit)}`;
}

/**
 * Reads a number with an optional unit, as people write it: `12,5`, `1.234,5 km`, `12.5 gal`.
 * @param {string} text
 * @param {string} [unit] the unit of the result; a number without a unit is in the person's own unit
 * @returns {number | null} `null` if it is not a number
 */
export function parseQuantity(text, unit) { return parseAmount(text, unit)?.value ?? null; }

/**
 * The name of a unit in which a person entered an amount.
 * @param {string} id the unit in the API
 */
export function enteredUnit(id) { return Object.values(imperial).find(other => other.id === id)?.name ?? (id === "imperialGallon" ? "imp gal" : id); }

/**
 * Reads a number with an optional unit.
 * @param {string} text
 * @param {string} [unit] the unit of the result
 * @returns {{ value: number, entered?: { value: number, unit: string } } | null} `null` if it is not a number. `entered`: the
 *   number and its unit as they were written, if the unit is another one
 */
export function parseAmount(text, unit) {
  const found = /^\s*([-+]?[\d.,'\s\u00a0\u202f]*\d)\s*(.*?)\s*$/u.exec(text);
  if (!found) return null;
  const value = parseNumber(found[1]);
  if (value === null) return null;
  const written = found[2].toLowerCase().replace(/\s/g, "");
  if (!unit) return written ? null : { value };
  const other = imperial[unit];
  const inOther = () => ({ value: other.to(value), ...(other.id ? { entered: { value, unit: other.id } } : {}) });
  if (!written) return isImperial() && other ? inOther() : { value };
  if (written === unit.toLowerCase()) return { value };
  if (other && (written === other.name || (unit === "km" && /^(mile|miles|meilen)$/.test(written)))) return inOther();
  return null;
}

/**
 * @param {string} text
 * @returns {number | null}
 */
export function parseNumber(text) {
  const plain = decimalText(text);
  return plain === null ? null : Number(plain);
}

/**
 * The digits of a number that a person wrote, with a decimal point and without grouping; `null` if it is not a number.
 * @param {string} text
 * @returns {string | null}
 */
function decimalText(text) {
  let plain = text.replace(/['\s\u00a0\u202f]/g, "");
  const point = plain.lastIndexOf("."), comma = plain.lastIndexOf(",");
  if (point >= 0 && comma >= 0) {
    // If there are points and commas, the last of them is the decimal point.
    plain = point > comma ? plain.replaceAll(",", "") : plain.replaceAll(".", "").replace(",", ".");
  } else if (comma >= 0) {
    const groups = /^[-+]?\d{1,3}(,\d{3})+$/.test(plain);
    plain = groups && !usesComma() ? plain.replaceAll(",", "") : plain.replace(",", ".");
  } else if (usesComma() && /^[-+]?\d{1,3}(\.\d{3})+$/.test(plain)) {
    plain = plain.replaceAll(".", "");
  }
  return /^[-+]?\d+(\.\d+)?$/.test(plain) ? plain.replace("+", "") : null;
}

function usesComma() { return number(1.5, 1).includes(","); }

/** @param {{ amount: string, currency: string } | null | undefined} money */
export function moneyText(money) {
  if (!money) return "–";
  const digits = (money.amount.split(".")[1] ?? "").replace(/0+$/, "").length;
  return new Intl.NumberFormat(locale(), { style: "currency", currency: money.currency, ...(digits > 2 ? { maximumFractionDigits: digits } : {}) })
    .format(Number(money.amount));
}

/**
 * Reads money as people write it: `49,90`, `49.90 EUR`, `€ 12`.
 * @param {string} text
 * @param {string} currency if the text names none
 * @returns {{ amount: string, currency: string } | null}
 */
export function parseMoney(text, currency) {
  const signs = /** @type {Record<string, string>} */ ({ "€": "EUR", "$": "USD", "£": "GBP" });
  const found = /^\s*(€|\$|£|[A-Za-z]{3})?\s*([-+]?[\d.,'\s\u00a0\u202f]*\d)\s*(€|\$|£|[A-Za-z]{3})?\s*$/u.exec(text);
  if (!found) return null;
  const amount = decimalText(found[2]);
  // The server stores four digits. An amount with more is refused, so that it is never rounded without a word.
  if (amount === null || (amount.split(".")[1] ?? "").length > 4) return null;
  const [whole, part = ""] = amount.split(".");
  const written = found[1] ?? found[3];
  return { amount: `${whole}.${part.padEnd(2, "0")}`, currency: written ? signs[written] ?? written.toUpperCase() : currency };
}

/**
 * Day and time.
 * @param {string | number | Date | null | undefined} time
 */
export function timeText(time) {
  return time ? dates({ dateStyle: "medium", timeStyle: "short" }).format(new Date(time)) : "–";
}

/**
 * A day without a time zone, as `2026-11-23`.
 * @param {string | null | undefined} day
 */
export function dayText(day) {
  return day ? new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeZone: "UTC" }).format(new Date(day)) : "–";
}

/**
 * The day of a time, in the person's time zone.
 * @param {string | number | Date | null | undefined} time
 */
export function dateText(time) { return time ? dates({ dateStyle: "medium" }).format(new Date(time)) : "–"; }

/**
 * Only the time of the day.
 * @param {string | number | Date} time
 * @param {boolean} [withSeconds]
 */
export function clockText(time, withSeconds = false) {
  return dates({ hour: "2-digit", minute: "2-digit", ...(withSeconds ? { second: "2-digit" } : {}) }).format(new Date(time));
}

/**
 * The time of today, or the day of earlier times.
 * @param {string | number | Date} time
 */
export function nearText(time) {
  const day = dates({ dateStyle: "short" });
  return day.format(new Date(time)) === day.format(new Date()) ? clockText(time) : timeText(time);
}

/**
 * A duration: `3 h 12 min`.
 * @param {number} seconds
 */
export function durationText(seconds) {
  const minutes = Math.round(seconds / 60);
  if (minutes < 1) return `${Math.max(0, Math.round(seconds))}\u00a0s`;
  if (minutes < 60) return `${minutes}\u00a0min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours}\u00a0h${minutes % 60 ? `\u00a0${minutes % 60}\u00a0min` : ""}`;
  return `${Math.round(hours / 24)}\u00a0${language() === "de" ? "Tage" : "days"}`;
}

/** The beginning of today in the person's time zone. */
export function startOfToday() {
  const parts = dates({ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }).formatToParts(new Date());
  const part = (/** @type {string} */ type) => Number(parts.find(part => part.type === type)?.value ?? 0);
  return new Date(Math.floor(Date.now() / 1000) * 1000 - ((part("hour") * 60 + part("minute")) * 60 + part("second")) * 1000);
}

/**
 * The beginning of a day in the person's time zone.
 * @param {string} day as `2026-11-23`
 */
export function startOfDay(day) {
  const wanted = Date.parse(day + "T00:00:00Z");
  const format = dates({ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", hourCycle: "h23", calendar: "iso8601", numberingSystem: "latn" });
  // The difference from UTC may change between the first guess and the beginning of the day.
  let found = wanted;
  for (let turn = 0; turn < 2; turn++) {
    const parts = format.formatToParts(new Date(found));
    const part = (/** @type {string} */ type) => Number(parts.find(part => part.type === type)?.value ?? 0);
    found -= Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute")) - wanted;
  }
  return new Date(found);
}

/** Today in the person's time zone, as `2026-11-23`. */
export function today() {
  const parts = dates({ year: "numeric", month: "2-digit", day: "2-digit", calendar: "iso8601", numberingSystem: "latn" }).formatToParts(new Date());
  return ["year", "month", "day"].map(type => parts.find(part => part.type === type)?.value ?? "").join("-");
}

/**
 * A time for an `<input type="datetime-local">`, in the browser's time zone.
 * @param {string | Date} time
 */
export function localTime(time) {
  const date = new Date(time);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
