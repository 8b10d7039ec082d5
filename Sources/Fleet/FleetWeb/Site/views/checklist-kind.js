/**
 * The description of checklists.
 * @typedef {import("../parts/things.js").Kind} Kind
 * @typedef {{ id?: string, name: string, text: string, vehicleTypes: string[], isActive: boolean, items: import("../parts/check-codes.js").CheckItem[] }} Checklist
 *   `id`: absent for a built-in list.
 */
import "../texts/checklists.js";
import { html } from "../lib/preact.js";
import { newId } from "../api.js";
import { Status } from "../parts/icons.js";
import { hasText, t } from "../texts.js";
import { checklistOf } from "./inspection-kind.js";
import { vehicleTypes } from "./kinds.js";
import { workshop } from "./work-kinds.js";

/**
 * The name of a checklist for people.
 * @param {Checklist} list
 */
export function checklistName(list) { return !list.id && hasText("checklist." + list.name) ? t("checklist." + list.name) : list.text; }

/**
 * The types of vehicles that are inspected with a list.
 * @param {Checklist} list
 * @param {Checklist[]} lists all lists
 */
export function typesOf(list, lists) {
  const active = lists.filter(({ isActive }) => isActive);
  return list.vehicleTypes.filter(type => checklistOf(active, type) === list);
}

/** @param {{ list: Checklist, lists: Checklist[] }} props */
export function ChecklistStatus({ list, lists }) {
  if (!list.isActive) return html`<${Status} shape="silent">${t(list.id ? "checklists.isOff" : "checklists.replaced")}</${Status}>`;
  if (typesOf(list, lists).length === 0) return html`<${Status} shape="idle">${t("checklists.unused")}</${Status}>`;
  return html`<${Status} shape="good" tone="moving">${t("checklists.inUse")}</${Status}>`;
}

/** @type {Kind} */
export const checklists = {
  id: "checklists", one: "checklist", path: "/api/checklists", area: "maintenance", title: "checklists.title", add: "checklists.add", empty: "checklists.empty", pages: workshop, columns: [],
  name: checklistName,
  fields: [
    { name: "text", label: "field.name", kind: "text", required: true, isWide: true },
    { name: "vehicleTypes", label: "checklists.types", kind: "choices", texts: "vehicleType", choices: vehicleTypes, required: true, hint: "checklists.typesHint" },
    { name: "items", label: "checklists.items", kind: "checkItems", required: true, hint: "checklists.itemsHint", initial: () => [{ item: "", text: "" }] },
    // A list with the name of a built-in list replaces it. Other names only have to be different.
    { name: "name", label: "field.code", kind: "text", isHidden: true, isFixed: true, initial: () => "list-" + newId() },
  ],
  commands: [
    { name: "off", label: "checklists.off", question: "checklists.offQuestion", done: "checklists.off.done", isRare: true, isPossible: list => list.isActive, patch: () => ({ isActive: false }), undo: () => ({ isActive: true }) },
    { name: "on", label: "checklists.on", done: "checklists.on.done", isMain: true, isPossible: list => !list.isActive, patch: () => ({ isActive: true }), undo: () => ({ isActive: false }) },
  ],
};
