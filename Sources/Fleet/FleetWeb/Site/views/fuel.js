/** The check of a fill with the vehicle's data, and the figures of a meter reading. */
import "../texts/fuel.js";
import { html } from "../lib/preact.js";
import { quantity, timeText } from "../format.js";
import { Status } from "../parts/icons.js";
import { t } from "../texts.js";

/** @type {Record<string, import("../parts/icons.js").Shape>} */
const shapes = { agrees: "good", less: "danger", more: "idle", none: "danger", noData: "silent" };

/**
 * A number with its sign.
 * @param {number} value
 * @param {string} unit
 */
function signed(value, unit) { return (value > 0 ? "+" : "") + quantity(value, unit, 1); }

/** @param {{ entry: any }} props */
export function FuelCheck({ entry }) {
  const { check } = entry;
  if (!check && !entry.checkAt) return null;
  return html`<section class="card" aria-label=${t("fuelCheck.title")}><header><h2>${t("fuelCheck.title")}</h2>
      ${check && html`<${Status} shape=${shapes[check.tankRise]} tone=${check.tankRise === "agrees" ? "moving" : undefined}>${t("tankRise." + check.tankRise)}</${Status}>`}</header>
    ${!check ? html`<p class="quiet soft">${t("fuelCheck.waits")}</p>` : html`<dl class="facts">
      <div><dt>${t("fuelCheck.filled")}</dt><dd>${quantity(check.quantity, "L", 1)}</dd></div>
      ${check.risenLitres !== undefined && html`<div><dt>${t("fuelCheck.risen")}</dt><dd>${quantity(check.risenLitres, "L", 1)}</dd></div>
      <div><dt>${t("fuelCheck.difference")}</dt><dd>${signed(check.difference, "L")}</dd></div>`}
      ${check.risenAt && html`<div><dt>${t("fuelCheck.risenAt")}</dt><dd>${timeText(check.risenAt)}</dd></div>`}
      <div><dt>${t("fuelCheck.position")}</dt><dd>${t(check.positionAgrees === undefined ? "fuelCheck.unknown" : check.positionAgrees ? "fuelCheck.stood" : "fuelCheck.moved")}</dd></div></dl>`}</section>`;
}

/** @param {{ reading: any }} props */
export function ReadingFigures({ reading }) {
  const { comparison } = reading;
  if (!comparison) return null;
  const unit = reading.odometer === undefined ? "h" : "km";
  return html`<section class="card" aria-label=${t("readingFigures.title")}><header><h2>${t("readingFigures.title")}</h2></header><dl class="facts">
      <div><dt>${t("readingFigures.entered")}</dt><dd>${quantity(reading.odometer ?? reading.engineHours, unit, 1)}</dd></div>
      <div><dt>${t("readingFigures.previous")}</dt><dd>${quantity(comparison.previous, unit, 1)} <span class="soft small">${timeText(comparison.previousAt)}</span></dd></div>
      <div><dt>${t("readingFigures.increase")}</dt><dd>${signed(comparison.increase, unit)}</dd></div>
      <div><dt>${t("readingFigures.telemetry")}</dt><dd>${comparison.telemetry === undefined ? t("readingFigures.noTelemetry") : signed(comparison.telemetry, unit)}</dd></div>
      ${comparison.difference !== undefined && html`<div><dt>${t("readingFigures.difference")}</dt><dd>${signed(comparison.difference, unit)}</dd></div>`}</dl></section>`;
}
