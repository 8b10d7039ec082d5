/**
 * The hours of service of drivers, as a connected program has logged them.
 * @typedef {import("../parts/things.js").Kind} Kind
 * @typedef {{ id: string, driverId: string, status: string, from: string, to?: string, vehicleId?: string }} Period `to`: absent while it lasts.
 */
import "../texts/duty.js";
import { presentTime } from "../clock.js";
import { html } from "../lib/preact.js";
import { all } from "../api.js";
import { durationText, locale, timeText, timeZone } from "../format.js";
import { Status } from "../parts/icons.js";
import { nameOf, useNames } from "../parts/names.js";
import { useLoad } from "../parts/ui.js";
import { t } from "../texts.js";

/**
 * How a period is drawn: the driver drives, is on duty, or rests.
 * @type {Record<string, "driving" | "duty" | "rest">}
 */
const groups = { driving: "driving", yardMove: "driving", onDuty: "duty", waitingTime: "duty", offDuty: "rest", sleeperBerth: "rest", personalConveyance: "rest" };

/** @type {Record<string, { shape: import("../parts/icons.js").Shape, tone?: string }>} */
const looks = { driving: { shape: "moving" }, duty: { shape: "dot", tone: "accent" }, rest: { shape: "silent" } };
const shownDays = 7, newest = 12;
const dayLength = 86_400_000;

/** @param {{ status: string }} props */
export function DutyStatus({ status }) {
  const look = looks[groups[status] ?? "rest"];
  return html`<${Status} shape=${look.shape} tone=${look.tone}>${t("dutyStatus." + status)}</${Status}>`;
}

/** @type {Kind} */
export const dutyPeriods = {
  id: "duty-periods", path: "/api/duty-periods", area: "drivers", title: "duty.title", empty: "duty.empty", isBrief: true, isFinal: () => true, hasText: false, sort: "-from",
  name: period => t("dutyStatus." + period.status),
  fields: [
    { name: "from", label: "field.from", kind: "time" },
    { name: "to", label: "field.to", kind: "time" },
    { name: "driverId", label: "field.driverId", kind: "thing", of: "driver" },
    { name: "vehicleId", label: "field.vehicleId", kind: "thing", of: "vehicle" },
    { name: "status", label: "field.status", kind: "choice", texts: "dutyStatus", choices: Object.keys(groups), isRead: true, isOmitted: true },
  ],
  columns: ["from", "to", "driverId", "vehicleId"], filters: ["status", "driverId", "vehicleId"], period: ["fromFrom", "fromTo"], sorts: ["from", "to"],
  status: period => html`<${DutyStatus} status=${period.status} />`,
};

/**
 * The beginning of a day in the person's time zone, ms.
 * @param {number} time
 */
function startOfDay(time) {
  const parts = new Intl.DateTimeFormat("sv-SE", { timeZone: timeZone(), dateStyle: "short", timeStyle: "medium" }).format(time).split(" ")[1].split(":").map(Number);
  return time - ((parts[0] * 60 + parts[1]) * 60 + parts[2]) * 1000 - time % 1000;
}

/**
 * The parts of a period that are within a day.
 * @param {Period} period
 * @param {number} begin ms
 * @param {number} end ms
 * @param {number} now ms
 */
function within(period, begin, end, now) {
  const from = Math.max(Date.parse(period.from), begin), to = Math.min(period.to ? Date.parse(period.to) : now, end);
  return to > from ? { from, to, group: groups[period.status] ?? "rest" } : null;
}

/**
 * The hours of service of one driver. Nothing is shown if no program logs them.
 * @param {{ driver: any }} props
 */
export function DutyCard({ driver }) {
  useNames();
  const now = Date.parse(presentTime());
  const first = startOfDay(now - (shownDays - 1) * dayLength);
  // A period that began before the first day may reach into it.
  const loaded = useLoad(async () => /** @type {Promise<Period[]>} */ (all("/api/duty-periods", { driverId: driver.id, sort: "-from", fromFrom: new Date(first - dayLength).toISOString() }, 2000)), [driver.id]);
  const list = loaded.value ?? [];
  if (list.length === 0) return null;
  const days = Array.from({ length: shownDays }, (_, back) => startOfDay(now - back * dayLength + 60_000));
  return html`<section class="card duty"><header><h2>${t("duty.title")}</h2><a href=${"/duty-periods?driverId=" + encodeURIComponent(driver.id)} aria-label=${`${t("duty.title")}: ${t("all")}`}>${t("all")}</a></header>
    <h3 class="quiet small soft">${t("duty.days")}</h3>
    <ul class="duty-days">${days.map((begin, back) => {
      const end = back === 0 ? begin + dayLength : days[back - 1];
      const parts = list.flatMap(period => within(period, begin, end, now) ?? []);
      const sum = (/** @type {string} */ group) => parts.filter(part => part.group === group).reduce((total, { from, to }) => total + to - from, 0) / 1000;
      const percent = (/** @type {number} */ time) => `${((time - begin) / (end - begin) * 100).toFixed(2)}%`;
      return html`<li key=${begin}><span class="day">${new Intl.DateTimeFormat(locale(), { weekday: "short", day: "numeric", month: "numeric", timeZone: timeZone() }).format(begin)}</span>
        <span class="strip" aria-hidden="true">${parts.map(part => html`<i class=${part.group} style=${{ left: percent(part.from), width: `${((part.to - part.from) / (end - begin) * 100).toFixed(2)}%` }}></i>`)}</span>
        <span class="soft small">${parts.length === 0 ? t("duty.none") : sum("driving") + sum("duty") === 0 ? t("dutyStatus.offDuty") : t("duty.sums", { driving: durationText(sum("driving")), duty: durationText(sum("driving") + sum("duty")) })}</span></li>`;
    })}</ul>
    <p class="duty-legend small" aria-hidden="true">${["driving", "onDuty", "offDuty"].map(status => html`<span><span class=${"key " + groups[status]}></span>${t("dutyStatus." + status)}</span>`)}</p>
    <div class="scroll" tabindex="0" role="region" aria-label=${t("duty.newest")}><table><thead><tr><th scope="col">${t("field.status")}</th><th scope="col">${t("field.from")}</th><th scope="col" class="rest">${t("field.to")}</th><th scope="col" class="num">${t("duty.length")}</th><th scope="col" class="rest">${t("field.vehicleId")}</th></tr></thead>
      <tbody>${list.slice(0, newest).map(period => html`<tr key=${period.id}><td><${DutyStatus} status=${period.status} /></td><td>${timeText(period.from)}</td><td class="rest">${period.to ? timeText(period.to) : html`<span class="soft">${t("duty.lasts")}</span>`}</td>
        <td class="num">${durationText(((period.to ? Date.parse(period.to) : now) - Date.parse(period.from)) / 1000)}</td><td class="rest">${period.vehicleId ? nameOf("vehicle", period.vehicleId) : "–"}</td></tr>`)}</tbody></table></div>
    <p class="quiet soft small">${t("duty.source")}</p></section>`;
}
