/** The whole fleet at a glance: figures that lead to the filtered lists, and who has which vehicle. */
import "../texts/fleet.js";
import { presentTime } from "../clock.js";
import { html } from "../lib/preact.js";
import { all, get } from "../api.js";
import { number, timeText } from "../format.js";
import { useChanges } from "../parts/changes.js";
import { healthOf } from "../parts/gateways.js";
import { Status } from "../parts/icons.js";
import { VehicleLabel, nameOf, remember, useNames } from "../parts/names.js";
import { Empty, Figures, Loading, Title, Trouble, useLoad } from "../parts/ui.js";
import { to } from "../router.js";
import { may } from "../state.js";
import { t } from "../texts.js";
import { vehicles } from "./kinds.js";

/** The most assignments that the page shows; the list has all. */
const most = 50;

/**
 * The number of things in a list.
 * @param {string} path
 * @param {Record<string, unknown>} query
 * @returns {Promise<number>}
 */
async function countOf(path, query) { return (await get(path, { ...query, limit: 1, count: true })).count; }

/** @param {string} status */
function vehiclesWith(status) { return countOf("/api/vehicles", { status }); }

/** @typedef {import("../parts/ui.js").Figure} Figure */

async function load() {
  const [vehicles, [available, assigned, inService, inactive], assignments, services, defects, gateways] = await Promise.all([
    countOf("/api/vehicles", {}),
    Promise.all(["available", "assigned", "inService", "inactive"].map(vehiclesWith)),
    get("/api/assignments", { status: "active", sort: "from", limit: most, count: true }),
    may("maintenance") ? Promise.all(["overdue", "dueSoon"].map(state => countOf("/api/service-schedules", { state }))) : null,
    may("defects") ? all("/api/defects", { severity: "unsafe", status: "open,acknowledged" }) : null,
    may("settings") ? all("/api/gateways").catch(() => null) : null,
  ]);
  // The states of the vehicles that are shown.
  const ids = [...new Set(assignments.data.map((/** @type {any} */ entry) => entry.vehicleId))];
  const fleet = ids.length > 0 ? (await get("/api/vehicles", { id: ids.join(","), limit: ids.length })).data : [];
  remember("vehicle", fleet);
  return { vehicles, available, assigned, inService, inactive, assignments, services, defects, gateways, fleet };
}

/**
 * The figures that the person may see.
 * @param {Awaited<ReturnType<typeof load>>} loaded
 * @returns {Figure[]}
 */
function figuresOf({ available, assigned, inService, inactive, services, defects, gateways }) {
  const [overdue, dueSoon] = services ?? [0, 0], unsafe = defects?.length ?? 0;
  const silent = gateways?.filter(gateway => healthOf(gateway) === "silent").length ?? 0;
  /** @type {(Figure | null)[]} */
  const figures = [
    { label: "fleet.total", count: available + assigned + inService + inactive, link: "/vehicles?status=available,assigned,inService,inactive", detail: inactive > 0 ? t("overview.inactive", { count: number(inactive) }) : "" },
    { label: "fleet.active", count: available + assigned, link: "/vehicles?status=available,assigned", detail: t("overview.free", { count: number(available) }) },
    { label: "fleet.inService", count: inService, link: "/vehicles?status=inService" },
    services && { label: "overview.overdue", count: overdue, link: "/service-schedules?state=overdue", shape: overdue > 0 ? "danger" : undefined, detail: t("overview.dueSoon", { count: number(dueSoon) }) },
    defects && { label: "overview.unsafe", count: unsafe, link: "/defects?severity=unsafe&status=open,acknowledged", shape: unsafe > 0 ? "danger" : undefined,
      detail: unsafe > 0 ? t("overview.vehicles", { count: number(new Set(defects.map(defect => defect.vehicleId)).size) }) : "" },
    gateways && { label: "overview.silent", count: silent, link: "/gateways?health=silent", shape: silent > 0 ? "silent" : undefined, detail: t("overview.silentHelp") },
  ];
  return /** @type {Figure[]} */ (figures.filter(Boolean));
}

export default function Fleet() {
  useNames();
  const loaded = useLoad(load, []);
  useChanges(["vehicle", "assignment", "serviceSchedule", "maintenanceRecord", "meterReading", "defect"], loaded.refresh);
  const { value } = loaded;
  return html`<div class="page"><${Title} title=${t("overview.title")}>${may("assignments", "write") && html`<a class="button primary" href="/assignments/new">${t("assignments.add")}</a>`}</${Title}>
    ${loaded.error && html`<${Trouble} error=${loaded.error} retry=${loaded.reload} />`}
    ${!value ? !loaded.error && html`<${Loading} />`
      : value.vehicles === 0 ? html`<div class="card"><${Empty} title=${t("overview.empty")}><p>${t("overview.emptyHelp")}</p>${may("vehicles", "write") && html`<p><a class="button primary" href="/vehicles/new">${t("vehicles.add")}</a></p>`}</${Empty}></div>`
      : html`<${Figures} label=${t("overview.figures")} list=${figuresOf(value)} />
        <${Assignments} list=${value.assignments.data} count=${value.assignments.count} fleet=${value.fleet} />`}</div>`;
}

/** @param {{ list: any[], count: number, fleet: any[] }} props */
function Assignments({ list, count, fleet }) {
  const now = presentTime();
  const statuses = new Map(fleet.map(vehicle => [vehicle.id, vehicle]));
  return html`<section class="card"><header><h2>${t("overview.assignments")}</h2><span class="soft">${number(count)}</span><a class="end" href="/assignments?status=active">${t("board.all")}</a></header>
    ${list.length === 0 ? html`<p class="quiet soft">${t("overview.noAssignment")}</p>`
      : html`<div class="scroll"><table class="list"><thead><tr><th scope="col">${t("field.vehicleId")}</th><th scope="col">${t("field.driverId")}</th><th scope="col" class="rest">${t("field.from")}</th><th scope="col" class="rest">${t("field.to")}</th><th scope="col">${t("field.status")}</th></tr></thead>
        <tbody>${list.map(entry => html`<tr key=${entry.id}><td class="whole"><a class="row-link" href=${to("assignments", entry.id)}><${VehicleLabel} id=${entry.vehicleId} /></a></td><td>${nameOf("driver", entry.driverId)}</td>
          <td class="rest">${timeText(entry.from)}</td><td class="rest">${entry.to ? timeText(entry.to) : html`<span class="soft">${t("overview.open")}</span>`}</td>
          <td>${entry.from > now ? html`<${Status} shape="parked">${t("overview.later")}</${Status}>` : statuses.has(entry.vehicleId) && vehicles.status?.(statuses.get(entry.vehicleId))}</td></tr>`)}</tbody></table></div>
        ${count > list.length && html`<p class="quiet"><a class="button" href="/assignments?status=active">${t("board.more", { count: number(count - list.length) })}</a></p>`}`}</section>`;
}
