/** The fields of a fence as texts that people enter, and the checks of these texts. */
import { amount, number, parseNumber, parseQuantity, unitName } from "../format.js";
import { t } from "../texts.js";
import { crossing, metres } from "./fence.js";

/** @typedef {import("./fence.js").Fence} Fence */

/** @param {Fence} fence */
export function textsOf(fence) {
  return /** @type {any} */ ({
    name: fence.name, radius: fence.radius === null ? "" : amount(fence.radius, "m", 1), dwell: fence.dwellSeconds === null ? "" : number(fence.dwellSeconds / 60, 2),
    speedLimit: fence.speedLimit === null ? "" : amount(fence.speedLimit, "km/h", 1),
    // 7 digits are 1 cm.
    points: fence.points.map(([longitude, latitude]) => [latitude, longitude].map(degrees => String(Number(degrees.toFixed(7))))),
  });
}

/**
 * Reads a coordinate. A comma may be the decimal point.
 * @param {string} text
 */
export function coordinate(text) { return /^\s*-?\d+([.,]\d+)?\s*°?\s*$/.test(text) ? Number(text.replace("°", "").replace(",", ".")) : null; }

/** @param {Fence} fence */
export function lengthText({ shape, points }) {
  const all = shape === "polygon" && points.length > 2 ? [...points, points[0]] : points;
  const length = all.slice(1).reduce((sum, place, index) => sum + metres(all[index], place), 0);
  const text = length < 2000 ? `${amount(length, "m")} ${unitName("m")}` : `${amount(length / 1000, "km", 1)} ${unitName("km")}`;
  return t(shape === "polygon" && points.length > 2 ? "fence.around" : "fence.length", { length: text });
}

/**
 * The fence with all that was entered, and what is wrong with it.
 * @param {Fence} fence
 * @param {any} texts
 * @returns {{ made: Fence, wrong: string[] }}
 */
export function checked(fence, texts) {
  /** @type {string[]} */
  const wrong = [];
  const made = { ...fence, name: texts.name.trim() };
  if (!made.name) wrong.push(`${t("field.name")}: ${t("fault.required")}`);
  const value = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string} */ unit) => {
    if (!texts[name].trim()) return null;
    const found = parseQuantity(texts[name], unit);
    if (found === null || found <= 0) wrong.push(`${t(label)}: ${t("fault.number")}`);
    return found;
  };
  if (fence.shape === "circle" || fence.shape === "corridor") {
    made.radius = value("radius", "fence.radius", "m");
    if (made.radius === null) wrong.push(`${t("fence.radius")}: ${t("fault.required")}`);
  }
  const minutes = texts.dwell.trim() ? parseNumber(texts.dwell) : null;
  if (texts.dwell.trim() && (minutes === null || minutes <= 0)) wrong.push(`${t("fence.dwell")}: ${t("fault.number")}`);
  made.dwellSeconds = minutes === null ? null : Math.round(minutes * 60);
  made.speedLimit = value("speedLimit", "fence.speedLimit", "km/h");
  texts.points.forEach((/** @type {string[]} */ point, /** @type {number} */ index) => {
    const [latitude, longitude] = point.map(coordinate);
    if (latitude === null || longitude === null || Math.abs(latitude) > 90 || Math.abs(longitude) > 180) wrong.push(t("fence.badPoint", { number: index + 1 }));
  });
  const least = { polygon: 3, circle: 1, corridor: 2, other: 0 }[fence.shape];
  if (fence.points.length < least) wrong.push(t("fence.tooFew", { count: least }));
  const crossed = fence.shape === "polygon" ? crossing(fence.points) : null;
  if (crossed) wrong.push(t("fence.crosses", { first: crossed[0], second: crossed[1] }));
  return { made, wrong };
}
