/**
 * The filters of lists, and the headings of their columns, which sort.
 *
 * @typedef {import("./fields.js").Field} Field
 * @typedef {import("./things.js").Kind} Kind
 */
import { html, useState } from "../lib/preact.js";
import { setQuery } from "../router.js";
import { t } from "../texts.js";
import { ThingInput, choiceText, choicesOf } from "./fields.js";
import { Icon, SortMark } from "./icons.js";

/**
 * What a list can be restricted to. On a phone, all but the search is folded.
 * @param {{ kind: Kind, filters: string[], wanted: Record<string, string | null>, fieldOf: (name: string) => Field, children?: any }} props
 */
export function Filters({ kind, filters, wanted, fieldOf, children }) {
  const [isOpen, setOpen] = useState(false);
  const names = Object.keys(wanted), count = names.filter(name => wanted[name]).length;
  return html`<div class=${"filters" + (isOpen ? " open" : "")}>${children}
    ${names.length > 0 && html`<button type="button" class="button fold" aria-expanded=${isOpen ? "true" : "false"} onClick=${() => setOpen(!isOpen)}>${count > 0 ? t("filter.some", { count }) : t("filter.title")}</button>`}
    ${filters.map(name => html`<${Filter} key=${name} field=${fieldOf(name)} value=${wanted[name] ?? ""} />`)}
    ${kind.period?.map((name, place) => html`<label class="filter" key=${name}><span class="soft">${t(place === 0 ? "filter.from" : "filter.to")}</span>
      <input type="date" value=${wanted[name] ?? ""} onChange=${(/** @type {any} */ event) => setQuery({ [name]: event.target.value })} /></label>`)}
    ${count > 0 && html`<button type="button" class="plain link clear" onClick=${() => setQuery(Object.fromEntries(names.map(name => [name, null])))}>${t("filter.clear")}</button>`}</div>`;
}

/**
 * Restricts a list to a value of a field.
 * @param {{ field: Field, value: string }} props
 */
export function Filter({ field, value }) {
  const set = (/** @type {string} */ chosen) => setQuery({ [field.name]: chosen });
  const id = "filter-" + field.name;
  if (field.kind === "thing") {
    return html`<div class="filter"><label class="soft" for=${id}>${t(field.label)}</label><${ThingInput} id=${id} of=${field.of} value=${value} placeholder=${t("all")} onChoose=${set} />
      ${value && html`<button type="button" class="plain" aria-label=${t("filter.remove", { name: t(field.label) })} onClick=${() => set("")}><${Icon} name="close" size=${14} /></button>`}</div>`;
  }
  const choices = field.kind === "flag" ? [["true", t("yes")], ["false", t("no")]]
    : [...(field.groups ?? []).map(([group, text]) => [group, t(text)]), ...choicesOf(field).map(choice => [choice, choiceText(field, choice)])];
  return html`<label class="filter"><span class="soft">${t(field.label)}</span>
    <select onChange=${(/** @type {any} */ event) => set(event.target.value)}><option value="" selected=${!value}>${t("all")}</option>
      ${choices.map(([choice, text]) => html`<option value=${choice} selected=${choice === value}>${text}</option>`)}</select></label>`;
}

/**
 * The heading of a column. If the server can sort by the column, a click does so, and a second click reverses the order.
 * @param {{ kind: Kind, name: string, label: string, sort: string, look?: string }} props
 */
export function Heading({ kind, name, label, sort, look }) {
  if (!kind.sorts?.includes(name)) return html`<th scope="col" class=${look}>${label}</th>`;
  const [first] = sort.split(",");
  const order = first === name ? "ascending" : first === "-" + name ? "descending" : undefined;
  return html`<th scope="col" class=${look} aria-sort=${order}><button type="button" class="plain sort" onClick=${() => setQuery({ sort: order === "ascending" ? "-" + name : name })}>${label}<${SortMark} order=${order} /></button></th>`;
}
