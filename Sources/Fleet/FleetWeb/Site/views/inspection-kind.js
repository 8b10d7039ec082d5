/**
 * The description of inspection reports, and their checklists.
 * @typedef {import("../parts/things.js").Kind} Kind
 */
import { html } from "../lib/preact.js";
import { get } from "../api.js";
import { nearText } from "../format.js";
import { Status } from "../parts/icons.js";
import { nameOf } from "../parts/names.js";
import { hasText, t } from "../texts.js";

/** @param {{ inspection: any }} props */
export function InspectionStatus({ inspection }) {
  const { status, hasDefects, supersededBy } = inspection;
  if (supersededBy) return html`<${Status} shape="silent">${t("inspections.superseded")}</${Status}>`;
  if (hasDefects && status === "signed") return html`<${Status} shape="danger">${t("inspections.withDefects")}</${Status}>`;
  const shapes = /** @type {Record<string, import("../parts/icons.js").Shape>} */ ({ draft: "silent", signed: "idle", certified: "parked", reviewed: "good" });
  return html`<${Status} shape=${shapes[status] ?? "dot"} tone=${status === "reviewed" ? "moving" : undefined}>${t("inspectionStatus." + status)}</${Status}>`;
}

/** @type {Kind} */
export const inspections = {
  id: "inspections", one: "inspection", path: "/api/inspections", area: "inspections", title: "inspections.title", add: "inspections.add", empty: "inspections.empty",
  name: inspection => `${t("inspectionKind." + inspection.kind)} · ${nameOf("vehicle", inspection.vehicleId)}`, sort: "-at",
  fields: [
    { name: "vehicleId", label: "field.vehicleId", kind: "thing", of: "vehicle" },
    { name: "kind", label: "field.inspectionKind", kind: "choice", texts: "inspectionKind", choices: ["preTrip", "postTrip", "annual"] },
    { name: "at", label: "field.at", kind: "time" },
    { name: "driverId", label: "field.driverId", kind: "thing", of: "driver" },
    { name: "odometer", label: "field.odometer", kind: "number", unit: "km", isMeasured: true },
    { name: "place", label: "field.place", kind: "text" },
    { name: "status", label: "field.status", kind: "choice", texts: "inspectionStatus", choices: ["draft", "signed", "certified", "reviewed"], isRead: true },
    { name: "hasDefects", label: "inspections.hasDefects", kind: "flag", isRead: true, isOmitted: true },
  ],
  columns: ["vehicleId", "at", "kind", "driverId", "odometer"], filters: ["status", "kind", "hasDefects", "vehicleId", "driverId"], period: ["from", "to"], sorts: ["at", "kind", "status"], numbers: ["odometer"],
  status: inspection => html`<${InspectionStatus} inspection=${inspection} />`,
};

/** @typedef {{ item: string, text: string }} CheckItem */
/** @typedef {{ id?: string, name: string, text: string, vehicleTypes: string[], items: CheckItem[] }} Checklist `id`: absent for a built-in list. */

/**
 * The checklists. This browser keeps them for use without a network.
 * @returns {Promise<Checklist[]>}
 */
export async function loadChecklists() {
  try {
    const { data } = await get("/api/checklists");
    localStorage.setItem("checklists", JSON.stringify(data));
    return data;
  } catch (error) {
    const known = localStorage.getItem("checklists");
    if (known) return JSON.parse(known);
    throw error;
  }
}

/**
 * The checklist of a type of vehicle. The tenant's own lists come before the built-in ones.
 * @template {Checklist} List
 * @param {List[]} lists those in use
 * @param {string | undefined} type
 */
export function checklistOf(lists, type) {
  const listOf = (/** @type {string} */ wanted) => {
    const having = lists.filter(list => list.vehicleTypes.includes(wanted));
    return having.find(list => list.id) ?? having[0];
  };
  return (type ? listOf(type) : undefined) ?? listOf("car") ?? lists[0];
}

/**
 * The text of an item.
 * @param {string} item
 * @param {Checklist[]} [lists]
 */
export function itemText(item, lists = []) {
  // The text of the tenant comes before that of a built-in item with the same code.
  const textIn = (/** @type {Checklist[]} */ some) => some.flatMap(list => list.items).find(entry => entry.item === item)?.text;
  return textIn(lists.filter(list => list.id)) ?? (hasText("check." + item) ? t("check." + item) : textIn(lists) ?? item);
}

/** @param {any} inspection */
export function inspectionTitle(inspection) { return `${t("inspectionKind." + inspection.kind)} · ${nearText(inspection.at)}`; }
