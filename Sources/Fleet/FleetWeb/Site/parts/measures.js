/** Quantities of fills with their units. */
import { number, parseQuantity } from "../format.js";

/**
 * The units of fills, as people write them.
 * @type {Record<string, string>}
 */
export const measureNames = { L: "L", usGallon: "gal", imperialGallon: "imp gal", kWh: "kWh", kg: "kg" };
/** @type {Record<string, string>} */
const measureWords = {
  l: "L", litre: "L", litres: "L", liter: "L", gal: "usGallon", gallon: "usGallon", gallons: "usGallon", "us gal": "usGallon",
  "imp gal": "imperialGallon", kwh: "kWh", kg: "kg",
};

/**
 * Reads a quantity with its unit: `41,3`, `12.5 gal`, `8 kWh`.
 * @param {string} text
 * @returns {{ quantity: number, unit?: string } | null} without a unit if the text has none
 */
export function parseMeasure(text) {
  const found = /^\s*([\d.,'\s]*\d)\s*(.*?)\s*$/.exec(text);
  const amount = found && parseQuantity(found[1]);
  if (!found || amount === null) return null;
  const written = found[2].toLowerCase();
  if (!written) return { quantity: amount };
  const unit = measureWords[written];
  return unit ? { quantity: amount, unit } : null;
}

/**
 * A quantity with its unit, as it was entered.
 * @param {any} thing
 * @param {string} name
 */
export function measured(thing, name) {
  return thing[name] === undefined ? "" : `${number(thing[name], 3)} ${measureNames[thing.unit] ?? ""}`.trim();
}
