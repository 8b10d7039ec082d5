/** What fills cost. The texts are those of texts/fuel.js. */
import { html } from "../lib/preact.js";
import { enteredUnit, inUnit, litres, moneyText, unitName } from "../format.js";
import { t } from "../texts.js";

/**
 * An amount that nobody has entered.
 * @param {string} text
 * @param {import("../texts.js").Key} why from what it was computed
 */
function computed(text, why) { return html`≈\u00a0${text}<span class="why soft small"> ${t(why)}</span>`; }

/**
 * The price of a litre or gallon (in the person's unit), of a kWh or of a kg. A price for another unit is shown, too, as it was entered.
 * @param {any} entry
 */
export function priceText(entry) {
  const { price, total, quantity: filled, unit } = entry;
  if (!price && !(total && filled > 0)) return null;
  const isVolume = unit in litres, own = isVolume ? unitName("L") : enteredUnit(unit);
  // For one litre, and then for one of the person's units.
  const inOwn = (/** @type {number} */ amount) => (isVolume ? amount / litres[unit] / inUnit(1, "L") : amount);
  const text = (/** @type {number} */ amount, /** @type {string} */ currency) => `${moneyText({ amount: inOwn(amount).toFixed(3), currency })}/${own}`;
  if (!price) return computed(text(Number(total.amount) / filled, total.currency), "price.fromTotal");
  const written = `${moneyText(price)}/${enteredUnit(unit)}`;
  return own === enteredUnit(unit) ? written : `${text(Number(price.amount), price.currency)} (${written})`;
}

/**
 * What a fill has cost. Without the amount that was paid, the server computes it from the price.
 * @param {any} entry
 */
export function costText(entry) {
  if (!entry.cost) return null;
  return entry.total ? moneyText(entry.cost) : computed(moneyText(entry.cost), "price.ofQuantity");
}
