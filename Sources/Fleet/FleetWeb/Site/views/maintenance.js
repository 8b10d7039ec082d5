/** The workshop's board: what is overdue, what is due soon, what is planned, and what is in the workshop. */
import { html, useState } from "../lib/preact.js";
import { all, pathOf, post } from "../api.js";
import { dayText, quantity, today } from "../format.js";
import { useChanges } from "../parts/changes.js";
import { Icon, Shape } from "../parts/icons.js";
import { labelOf, nameOf, serviceTypeName, useNames } from "../parts/names.js";
import { Pages } from "../parts/pages.js";
import { Empty, Loading, Title, Trouble, useLoad, useQuestion } from "../parts/ui.js";
import { to } from "../router.js";
import { may, tell } from "../state.js";
import { t } from "../texts.js";
import { DefectStatus, Severity, workshop } from "./work-kinds.js";

/** The most entries of each list that the board shows; the lists have all. */
const most = 300;

/** @typedef {{ key: string, vehicleId?: string, fleetId?: string, title: string, detail: string[], link: string, schedule?: any, record?: any }} Card */

/**
 * When a service is due, in words.
 * @param {any} next
 * @param {string | null | undefined} forecast
 */
export function dueTexts(next, forecast) {
  const late = next?.dueDate && next.dueDate < today();
  return [
    next?.dueDate ? t(late ? "due.since" : "due.by", { day: dayText(next.dueDate) }) : "",
    next?.dueOdometer !== undefined && next?.dueOdometer !== null ? t("due.at", { value: quantity(next.dueOdometer, "km") }) : "",
    next?.dueEngineHours !== undefined && next?.dueEngineHours !== null ? t("due.at", { value: quantity(next.dueEngineHours, "h") }) : "",
    forecast && forecast !== next?.dueDate && forecast > today() ? t("due.forecast", { day: dayText(forecast) }) : "",
  ].filter(Boolean);
}

async function load() {
  const [schedules, records, defects] = await Promise.all([
    all("/api/service-schedules", { state: "overdue,dueSoon", sort: "forecastDate" }, most),
    all("/api/maintenance-records", { status: "scheduled,inProgress", sort: "scheduledDate" }, most),
    all("/api/defects", { status: "open,acknowledged", sort: "-severity,-createdAt" }, most),
  ]);
  return { schedules, records, defects };
}

/**
 * The cards of each column.
 * @param {{ schedules: any[], records: any[] }} lists
 * @returns {Record<string, Card[]>}
 */
function columnsOf({ schedules, records }) {
  /** @type {Record<string, Card[]>} */
  const columns = { overdue: [], dueSoon: [], scheduled: [], inProgress: [] };
  const shown = new Set();
  for (const schedule of schedules) {
    const record = schedule.vehicleId && records.find(record => record.scheduleId === schedule.id && record.vehicleId === schedule.vehicleId);
    if (record) shown.add(record.id);
    columns[record?.status === "inProgress" ? "inProgress" : schedule.state].push({
      key: schedule.id, vehicleId: schedule.vehicleId, fleetId: schedule.fleetId, title: schedule.name || serviceTypeName(schedule.serviceType), schedule, record,
      detail: schedule.fleetId ? [t("board.ofFleet")] : dueTexts(schedule.next, schedule.forecastDate), link: record ? to("maintenance-records", record.id) : to("service-schedules", schedule.id),
    });
  }
  for (const record of records) {
    if (shown.has(record.id)) continue;
    const isLate = record.status === "scheduled" && record.scheduledDate && record.scheduledDate < today();
    columns[isLate ? "overdue" : record.status].push({
      key: record.id, vehicleId: record.vehicleId, title: serviceTypeName(record.serviceType), record, link: to("maintenance-records", record.id),
      detail: [record.scheduledDate && t(isLate ? "due.since" : "due.by", { day: dayText(record.scheduledDate) }), record.vendorName, record.notes?.slice(0, 120)].filter(Boolean),
    });
  }
  return columns;
}

/** @type {Record<string, import("../parts/icons.js").Shape>} */
const shapes = { overdue: "danger", dueSoon: "idle", scheduled: "parked", inProgress: "moving" };

export default function Maintenance() {
  useNames();
  const lists = useLoad(load, []);
  useChanges(["serviceSchedule", "maintenanceRecord", "meterReading", "defect"], lists.refresh);
  const [dialog, ask] = useQuestion();
  const mayWrite = Boolean(may("maintenance", "write"));
  const start = (/** @type {any} */ record) => ask({
    title: t("records.start"), text: t("records.startQuestion"), action: t("records.start"),
    run: async () => {
      await post(pathOf("/api/maintenance-records", record.id, "start"));
      tell(t("records.started"));
      lists.reload();
    },
  });
  const columns = lists.value && columnsOf(lists.value);
  const isEmpty = columns && Object.values(columns).every(list => list.length === 0) && lists.value?.defects.length === 0;
  return html`<div class="page wide"><${Pages} list=${workshop} at="/maintenance" /><${Title} title=${t("nav.maintenance")}>
      ${mayWrite && html`<a class="button" href="/service-schedules/new">${t("schedules.add")}</a><a class="button primary" href="/maintenance-records/new"><${Icon} name="plus" size=${16} />${t("records.add")}</a>`}</${Title}>${dialog}
    ${lists.error && html`<${Trouble} error=${lists.error} retry=${lists.reload} />`}
    ${!columns ? !lists.error && html`<${Loading} />` : isEmpty ? html`<div class="card"><${Empty} title=${t("board.empty")}><p>${t("board.emptyHelp")}</p></${Empty}></div>`
      : html`<div class="board">${Object.entries(columns).map(([name, cards]) => html`<section class="column" key=${name} aria-labelledby=${"column-" + name}>
          <h2 id=${"column-" + name}><span class=${"status " + shapes[name]}><${Shape} shape=${shapes[name]} />${t("board." + name)}</span><span class="soft">${cards.length}</span></h2>
          ${cards.length === 0 ? html`<p class="soft small none">${t("board.none")}</p>` : html`<ul>${cards.map(card => html`<li class="card job" key=${card.key}>
            <p class="soft small">${card.vehicleId ? labelOf("vehicle", card.vehicleId) : nameOf("fleet", /** @type {string} */ (card.fleetId))}</p>
            <a class="job-link" href=${card.link}>${card.title}</a>${card.detail.map(text => html`<p class="small">${text}</p>`)}
            ${mayWrite && html`<div class="job-actions">${card.record?.status === "scheduled" ? html`<button type="button" class="button" aria-label=${`${t("records.start")}: ${card.title}, ${labelOf("vehicle", card.record.vehicleId)}`} onClick=${() => start(card.record)}>${t("records.start")}</button>`
              : card.record ? html`<a class="button" href=${card.link} aria-label=${`${t("board.open")}: ${card.title}, ${labelOf("vehicle", card.record.vehicleId)}`}>${t("board.open")}</a>`
              : card.vehicleId && html`<a class="button" aria-label=${`${t("board.plan")}: ${card.title}, ${labelOf("vehicle", card.vehicleId)}`} href=${"/maintenance-records/new?" + new URLSearchParams({ vehicleId: card.vehicleId, serviceType: card.schedule.serviceType, scheduleId: card.schedule.id })}>${t("board.plan")}</a>`}</div>`}</li>`)}</ul>`}</section>`)}</div>
        <${OpenDefects} list=${lists.value?.defects ?? []} />`}</div>`;
}

/** @param {{ list: any[] }} props */
function OpenDefects({ list }) {
  const [isWhole, setWhole] = useState(false);
  if (list.length === 0) return null;
  const rank = ["unsafe", "major", "minor"];
  const sorted = [...list].sort((one, other) => rank.indexOf(one.severity) - rank.indexOf(other.severity));
  const shown = isWhole ? sorted : sorted.slice(0, 8);
  return html`<section class="card"><header><h2>${t("board.defects")}</h2><span class="soft">${list.length}</span><a class="end" href="/defects?status=open">${t("board.all")}</a></header>
    <ul class="links">${shown.map(defect => html`<li key=${defect.id}><span class="grow"><a href=${to("defects", defect.id)}>${defect.text}</a> <span class="soft small">${labelOf("vehicle", defect.vehicleId)}</span></span>
      <${Severity} severity=${defect.severity} /><span class="rest"><${DefectStatus} status=${defect.status} /></span></li>`)}</ul>
    ${!isWhole && sorted.length > shown.length && html`<p class="quiet"><button type="button" class="button" onClick=${() => setWhole(true)}>${t("board.more", { count: sorted.length - shown.length })}</button></p>`}</section>`;
}
