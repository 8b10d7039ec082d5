/** The whole fleet at a glance: figures that lead to the filtered lists, and who has which vehicle. */
import "../texts/fleet.js";
import { presentTime } from "../clock.js";
import { html } from "../lib/preact.js";
import { all } from "../api.js";
import { number, timeText } from "../format.js";
import { healthOf } from "../parts/gateways.js";
import { Status } from "../parts/icons.js";
import { nameOf, remember, useNames } from "../parts/names.js";
import { Empty, Figures, Loading, Title, Trouble, useLoad } from "../parts/ui.js";
import { to } from "../router.js";
import { may } from "../state.js";
import { t } from "../texts.js";
import { vehicles } from "./kinds.js";

/** The most assignments that the page shows; the list has all. */
const most = 50;

/** @typedef {import("../parts/ui.js").Figure} Figure */

async function load() {
  const [fleet, assignments, schedules, defects, gateways] = await Promise.all([
    all("/api/vehicles", { sort: "id" }),
    all("/api/assignments", { status: "active", sort: "from" }),
    may("maintenance") ? all("/api/service-schedules", { state: "overdue,dueSoon" }) : null,
    may("defects") ? all("/api/defects", { severity: "unsafe", status: "open,acknowledged" }) : null,
    may("settings") ? all("/api/gateways").catch(() => null) : null,
  ]);
  remember("vehicle", fleet);
  return { fleet, assignments, schedules, defects, gateways };
}

/**
 * The figures that the person may see.
 * @param {Awaited<ReturnType<typeof load>>} loaded
 * @returns {Figure[]}
 */
function figuresOf({ fleet, schedules, defects, gateways }) {
  const having = (/** @type {string[]} */ ...statuses) => fleet.filter(vehicle => statuses.includes(vehicle.status)).length;
  const overdue = schedules?.filter(schedule => schedule.state === "overdue").length ?? 0, unsafe = defects?.length ?? 0;
  const silent = gateways?.filter(gateway => healthOf(gateway) === "silent").length ?? 0, inactive = having("inactive");
  /** @type {(Figure | null)[]} */
  const figures = [
    { label: "fleet.total", count: fleet.length - having("retired"), link: "/vehicles?status=available,assigned,inService,inactive", detail: inactive > 0 ? t("overview.inactive", { count: number(inactive) }) : "" },
    { label: "fleet.active", count: having("available", "assigned"), link: "/vehicles?status=available,assigned", detail: t("overview.free", { count: number(having("available")) }) },
    { label: "fleet.inService", count: having("inService"), link: "/vehicles?status=inService" },
    schedules && { label: "overview.overdue", count: overdue, link: "/service-schedules?state=overdue", shape: overdue > 0 ? "danger" : undefined, detail: t("overview.dueSoon", { count: number(schedules.length - overdue) }) },
    defects && { label: "overview.unsafe", count: unsafe, link: "/defects?severity=unsafe&status=open,acknowledged", shape: unsafe > 0 ? "danger" : undefined,
      detail: unsafe > 0 ? t("overview.vehicles", { count: number(new Set(defects.map(defect => defect.vehicleId)).size) }) : "" },
    gateways && { label: "overview.silent", count: silent, link: "/gateways?health=silent", shape: silent > 0 ? "silent" : undefined, detail: t("overview.silentHelp") },
  ];
  return /** @type {Figure[]} */ (figures.filter(Boolean));
}

export default function Fleet() {
  useNames();
  const loaded = useLoad(load, []);
  const { value } = loaded;
  return html`<div class="page"><${Title} title=${t("overview.title")}>${may("assignments", "write") && html`<a class="button primary" href="/assignments/new">${t("assignments.add")}</a>`}</${Title}>
    ${loaded.error && html`<${Trouble} error=${loaded.error} retry=${loaded.reload} />`}
    ${!value ? !loaded.error && html`<${Loading} />`
      : value.fleet.length === 0 ? html`<div class="card"><${Empty} title=${t("overview.empty")}><p>${t("overview.emptyHelp")}</p>${may("vehicles", "write") && html`<p><a class="button primary" href="/vehicles/new">${t("vehicles.add")}</a></p>`}</${Empty}></div>`
      : html`<${Figures} label=${t("overview.figures")} list=${figuresOf(value)} />
        <${Assignments} list=${value.assignments} fleet=${value.fleet} />`}</div>`;
}

/** @param {{ list: any[], fleet: any[] }} props */
function Assignments({ list, fleet }) {
  const now = presentTime();
  const statuses = new Map(fleet.map(vehicle => [vehicle.id, vehicle]));
  return html`<section class="card"><header><h2>${t("overview.assignments")}</h2><span class="soft">${number(list.length)}</span><a class="end" href="/assignments?status=active">${t("board.all")}</a></header>
    ${list.length === 0 ? html`<p class="quiet soft">${t("overview.noAssignment")}</p>`
      : html`<div class="scroll"><table class="list"><thead><tr><th scope="col">${t("field.vehicleId")}</th><th scope="col">${t("field.driverId")}</th><th scope="col" class="rest">${t("field.from")}</th><th scope="col" class="rest">${t("field.to")}</th><th scope="col">${t("field.status")}</th></tr></thead>
        <tbody>${list.slice(0, most).map(entry => html`<tr key=${entry.id}><td class="whole"><a class="row-link" href=${to("assignments", entry.id)}>${nameOf("vehicle", entry.vehicleId)}</a></td><td>${nameOf("driver", entry.driverId)}</td>
          <td class="rest">${timeText(entry.from)}</td><td class="rest">${entry.to ? timeText(entry.to) : html`<span class="soft">${t("overview.open")}</span>`}</td>
          <td>${entry.from > now ? html`<${Status} shape="parked">${t("overview.later")}</${Status}>` : statuses.has(entry.vehicleId) && vehicles.status?.(statuses.get(entry.vehicleId))}</td></tr>`)}</tbody></table></div>
        ${list.length > most && html`<p class="quiet"><a class="button" href="/assignments?status=active">${t("board.more", { count: number(list.length - most) })}</a></p>`}`}</section>`;
}
