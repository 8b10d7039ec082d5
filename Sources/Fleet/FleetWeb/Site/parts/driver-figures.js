/** The figures of a driver. The texts are those of texts/fuel.js. */
import { html } from "../lib/preact.js";
import { dayText, durationText, number, quantity } from "../format.js";
import { t } from "../texts.js";

/**
 * Days as text; days that follow each other are a period.
 * @param {string[]} days sorted
 */
function daysText(days) {
  /** @type {[string, string][]} */
  const periods = [];
  for (const day of days) {
    const last = periods.at(-1);
    if (last && Date.parse(day) - Date.parse(last[1]) === 86_400_000) last[1] = day;
    else periods.push([day, day]);
  }
  return periods.map(([first, last]) => (first === last ? dayText(first) : `${dayText(first)} – ${dayText(last)}`)).join(", ");
}

/** @param {{ figures: any, title: string }} props `figures`: the answer of the server. */
export function DriverFigures({ figures, title }) {
  const { withoutRecords = [], pending = [] } = figures;
  return html`<section class="card" aria-label=${title}><header><h2>${title}</h2></header><dl class="facts">
      <div><dt>${t("ownFigures.score")}</dt><dd>${figures.score === undefined ? t("ownFigures.noScore") : number(figures.score)}</dd></div>
      <div><dt>${t("ownFigures.distance")}</dt><dd>${figures.daysWithRecords === 0 ? "–" : quantity(figures.distance ?? 0, "km", 1)}</dd></div>
      <div><dt>${t("ownFigures.journeys")}</dt><dd>${number(figures.journeys)}${figures.journeysToReview > 0 ? ` (${number(figures.journeysToReview)} ${t("ownFigures.review")})` : ""}</dd></div>
      <div><dt>${t("ownFigures.hours")}</dt><dd>${durationText(figures.journeySeconds)}</dd></div>
      ${figures.days !== undefined && html`<div><dt>${t("ownFigures.days")}</dt><dd>${t("ownFigures.daysOf", { count: number(figures.daysWithRecords), total: number(figures.days) })}</dd></div>`}</dl>
    ${withoutRecords.length > 0 && html`<p class="quiet soft small">${t("ownFigures.without", { days: daysText(withoutRecords) })}</p>`}
    ${pending.length > 0 && html`<p class="quiet soft small">${t("ownFigures.pending", { days: daysText(pending) })}</p>`}</section>`;
}
