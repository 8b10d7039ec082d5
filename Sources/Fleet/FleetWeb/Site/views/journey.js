/** The log of a journey, with the doubts that a reviewer decides about. */
import "../texts/journeys.js";
import { html } from "../lib/preact.js";
import { quantity, timeText } from "../format.js";
import { Icon, Status } from "../parts/icons.js";
import { to } from "../router.js";
import { may } from "../state.js";
import { t } from "../texts.js";

/** @type {Record<string, import("../parts/icons.js").Shape>} */
const shapes = { started: "moving", resumed: "moving", paused: "idle", completed: "good", cancelled: "silent", incident: "danger" };

/** The time around a journey in which its neighbours begin or end. */
const around = 12 * 3_600_000;

/** @param {{ journey: any }} props */
export function JourneyDoubts({ journey }) {
  const doubts = journey.log.filter((/** @type {any} */ entry) => entry.doubt && !entry.reviewed);
  if (doubts.length === 0) return null;
  return html`<section class="card padded review" aria-label=${t("journeys.needsReview")}><h2><${Icon} name="warning" size=${18} />${t("doubt.title")}</h2>
    <ul>${doubts.map((/** @type {any} */ entry) => html`<li key=${entry.id}>${t("doubt." + entry.doubt, { event: t("log." + entry.event), time: timeText(entry.timestamp), odometer: quantity(entry.odometer, "km") })}</li>`)}</ul>
    <p class="soft small">${t(may("journeys", "write") === "all" ? "doubt.help" : "doubt.driverHelp")}</p></section>`;
}

/** @param {{ journey: any }} props */
export function JourneyExtras({ journey }) {
  const begin = journey.startTime ?? journey.plannedFrom, end = journey.endTime ?? begin;
  const period = begin && new URLSearchParams({ from: new Date(Date.parse(begin) - around).toISOString().slice(0, 10), to: new Date(Date.parse(end) + around).toISOString().slice(0, 10) });
  return html`<section class="card"><header><h2>${t("log.title")}</h2>${period && may("journeys") !== "own" && html`<a class="button" href=${`${to("vehicles", journey.vehicleId, "reconciliation")}?${period}`}>${t("log.compare")}</a>`}</header>
      ${journey.log.length === 0 ? html`<p class="quiet soft">${t("log.empty")}</p>`
        : html`<div class="scroll" tabindex="0" role="region" aria-label=${t("log.title")}><table class="log"><thead><tr><th scope="col">${t("field.at")}</th><th scope="col">${t("log.event")}</th><th scope="col" class="num">${t("field.odometer")}</th><th scope="col">${t("field.notes")}</th></tr></thead>
          <tbody>${journey.log.map((/** @type {any} */ entry) => html`<tr key=${entry.id}><td class="whole">${timeText(entry.timestamp)}</td>
            <td><${Status} shape=${shapes[entry.event] ?? "dot"} tone=${entry.event === "completed" ? "parked" : undefined}>${t("log." + entry.event)}</${Status}></td>
            <td class="num">${entry.odometer === undefined || entry.odometer === null ? "–" : quantity(entry.odometer, "km")}</td>
            <td>${entry.notes && html`<span class="notes">${entry.notes}</span>`}${entry.doubt && html`<span class="block small"><${Status} shape=${entry.reviewed ? "good" : "danger"} tone=${entry.reviewed ? "parked" : undefined}>${t((entry.reviewed ? "doubtDone." : "doubtShort.") + entry.doubt)}</${Status}></span>`}${!entry.notes && !entry.doubt && "–"}</td></tr>`)}</tbody></table></div>`}</section>`;
}
