/** The checklists of inspections: those that are built in, and those of the tenant. */
import { html } from "../lib/preact.js";
import { get } from "../api.js";
import { number } from "../format.js";
import { useChanges } from "../parts/changes.js";
import { Icon } from "../parts/icons.js";
import { Pages } from "../parts/pages.js";
import { ThingForm } from "../parts/thing-form.js";
import { Commands } from "../parts/things.js";
import { Loading, Title, Trouble, useLoad } from "../parts/ui.js";
import { to } from "../router.js";
import { may } from "../state.js";
import { t } from "../texts.js";
import { ChecklistStatus, checklistName, checklists, typesOf } from "./checklist-kind.js";
import { checklistOf, itemText } from "./inspection-kind.js";

/** @typedef {import("./checklist-kind.js").Checklist} Checklist */

/** The part of the address that names a list: the id, or the name of a built-in list. */
const keyOf = (/** @type {Checklist} */ list) => list.id ?? list.name;

/** Checklists belong to the whole fleet, so people with a part of it do not change them. */
function mayChange() { return may("maintenance", "write") === "all"; }

/** @param {{ place: import("../router.js").Place }} props */
export default function Checklists({ place }) {
  const [, key, command] = place.parts;
  const loaded = useLoad(async signal => /** @type {Checklist[]} */ ((await get("/api/checklists", { all: true }, signal)).data), [place.path]);
  useChanges(["checklist"], loaded.refresh);
  if (key && key !== "new" && command === "edit") return html`<${ThingForm} kind=${checklists} id=${key} key=${place.path} />`;
  const lists = loaded.value;
  if (!lists) {
    return html`<div class="page"><${Pages} list=${checklists.pages} at="/checklists" /><${Title} title=${t("checklists.title")} />
      ${loaded.error ? html`<${Trouble} error=${loaded.error} retry=${loaded.reload} />` : html`<${Loading} />`}</div>`;
  }
  const find = (/** @type {string | null} */ wanted) => lists.find(list => keyOf(list) === wanted);
  if (key === "new") {
    const from = find(place.query.get("from")), isReplacement = place.query.has("replaces");
    return html`<${ThingForm} kind=${checklists} start=${from && startOf(from, isReplacement)} draft=${`checklists new ${from ? keyOf(from) : ""} ${isReplacement}`} key=${place.path + place.query} />`;
  }
  if (!key) return html`<${List} lists=${lists} />`;
  const list = find(key);
  const above = html`<a href="/checklists">${t("checklists.title")}</a>`;
  if (!list) return html`<div class="page narrow"><${Title} above=${above} title=${t("error.title")} /><div class="trouble" role="alert"><p>${t("error.notFound")}</p></div></div>`;
  return html`<${Detail} list=${list} lists=${lists} above=${above} reload=${loaded.reload} />`;
}

/**
 * The first values of a list that is made from another one.
 * @param {Checklist} from
 * @param {boolean} isReplacement whether the new list takes the place of a built-in one
 */
function startOf(from, isReplacement) {
  const items = from.items.map(({ item, text }) => ({ item, text: from.id ? text : itemText(item) }));
  const name = checklistName(from);
  return isReplacement ? { name: from.name, text: name, vehicleTypes: from.vehicleTypes, items } : { text: t("checklists.copyOf", { name }), vehicleTypes: [], items };
}

/**
 * The types of vehicles as text.
 * @param {string[]} types
 */
function typesText(types) { return types.map(type => t("vehicleType." + type)).join(", "); }

/** @param {{ lists: Checklist[] }} props */
function List({ lists }) {
  const other = checklistOf(lists.filter(list => list.isActive), undefined);
  return html`<div class="page"><${Pages} list=${checklists.pages} at="/checklists" /><${Title} title=${t("checklists.title")}>
      ${mayChange() && html`<a class="button primary" href="/checklists/new"><${Icon} name="plus" size=${16} />${t("checklists.add")}</a>`}</${Title}>
    <div class="card scroll"><table class="list"><thead><tr><th scope="col">${t("checklists.one")}</th><th scope="col">${t("checklists.types")}</th><th scope="col" class="rest num">${t("checklists.items")}</th><th scope="col">${t("field.status")}</th></tr></thead>
      <tbody>${lists.map(list => html`<tr key=${keyOf(list) + (list.id ?? "")}><td><a class="row-link" href=${to("checklists", keyOf(list))}>${checklistName(list)}</a><span class="soft small block">${t(list.id ? "checklists.own" : "checklists.builtIn")}</span></td>
        <td>${typesText(typesOf(list, lists)) || html`<span class="soft">–</span>`}</td><td class="rest num">${number(list.items.length)}</td><td><${ChecklistStatus} list=${list} lists=${lists} /></td></tr>`)}</tbody></table></div>
    ${other && html`<p class="soft small">${t("checklists.others", { list: checklistName(other) })}</p>`}</div>`;
}

/** @param {{ list: Checklist, lists: Checklist[], above: any, reload: () => void }} props */
function Detail({ list, lists, above, reload }) {
  const used = typesOf(list, lists);
  const active = lists.filter(other => other.isActive);
  const before = list.isActive ? list.vehicleTypes.filter(type => !used.includes(type)) : [];
  const copy = html`<a class="button" href=${"/checklists/new?from=" + encodeURIComponent(keyOf(list))}>${t("checklists.copy")}</a>`;
  return html`<div class="page narrow"><${Title} above=${above} title=${checklistName(list)} beside=${html`<${ChecklistStatus} list=${list} lists=${lists} /><span class="soft small">${t(list.id ? "checklists.own" : "checklists.builtIn")}</span>`}>
      ${mayChange() && (list.id ? html`<${Commands} kind=${checklists} thing=${list} tag=${null} onDone=${reload}>${copy}<a class="button" href=${to("checklists", list.id, "edit")}>${t("action.edit")}</a></${Commands}>`
        : html`${copy}${list.isActive && html`<a class="button primary" href=${`/checklists/new?from=${encodeURIComponent(list.name)}&replaces`}>${t("checklists.adapt")}</a>`}`)}</${Title}>
    ${mayChange() && !list.id && list.isActive && html`<p class="soft">${t("checklists.adaptHelp")}</p>`}
    <section class="card"><dl class="facts"><div class="wide"><dt>${t("checklists.types")}</dt><dd>${typesText(used) || t("checklists.noType")}
      ${before.map(type => html`<span class="soft small block">${t("checklists.before", { type: t("vehicleType." + type), list: checklistName(checklistOf(active, type)) })}</span>`)}</dd></div></dl></section>
    <section class="card"><header><h2>${t("checklists.items")}</h2><span class="soft">${number(list.items.length)}</span></header>
      <ol class="check-items shown">${list.items.map((entry, place) => html`<li key=${entry.item}><span class="number" aria-hidden="true">${place + 1}</span><span>${list.id ? entry.text : itemText(entry.item)}</span></li>`)}</ol></section></div>`;
}
