/**
 * Lists, details and forms of things. All kinds have the same kinds of routes, so a description of each kind is enough.
 *
 * @typedef {import("./fields.js").Field} Field
 * @typedef {{ name: string, label: import("../texts.js").Key, isPossible: (thing: any) => boolean, question?: import("../texts.js").Key,
 *   isBad?: boolean, done: import("../texts.js").Key, body?: (thing: any) => any }} Command
 * @typedef {{ id: string, path: string, area: string, title: import("../texts.js").Key, add?: import("../texts.js").Key,
 *   empty: import("../texts.js").Key, name: (thing: any) => string, fields: Field[], columns: string[],
 *   filters?: string[], sort?: string, hasText?: boolean, status?: (thing: any) => any, commands?: Command[],
 *   link?: (thing: any) => string, numbers?: string[], resolver?: string }} Kind
 *   `columns`: names of fields. `filters`: fields with choices. `status`: drawn in the first column's row.
 */
import { html, useEffect, useRef, useState } from "../lib/preact.js";
import { get, newId, pathOf, request } from "../api.js";
import { timeText } from "../format.js";
import { submit } from "../queue.js";
import { go, setQuery, to } from "../router.js";
import { may, tell } from "../state.js";
import { t } from "../texts.js";
import { Value, choiceText } from "./fields.js";
import { Form } from "./form.js";
import { Icon } from "./icons.js";
import { remember, useNames } from "./names.js";
import { Empty, Loading, Title, Trouble, useLoad, useQuestion } from "./ui.js";

/**
 * The entries of a list, page by page as the person scrolls.
 * @param {string} path
 * @param {Record<string, any>} query
 */
function usePages(path, query) {
  const key = path + JSON.stringify(query);
  const [state, setState] = useState(/** @type {any} */ ({ key: "", things: [], next: undefined, isLoading: true }));
  const load = async (/** @type {string | undefined} */ cursor, /** @type {any[]} */ before) => {
    try {
      const page = await get(path, { limit: 100, ...query, cursor });
      setState({ key, things: [...before, ...page.data], next: page.next, isLoading: false });
    } catch (error) {
      setState({ key, things: before, next: undefined, isLoading: false, error });
    }
  };
  useEffect(() => {
    setState((/** @type {any} */ old) => ({ ...old, isLoading: true, error: undefined }));
    load(undefined, []);
  }, [key]);
  return { ...state, more: () => load(state.next, state.things), reload: () => load(undefined, []) };
}

/**
 * @param {{ kind: Kind, place: import("../router.js").Place, children?: any, more?: any }} props `more`: actions.
 */
export function ThingList({ kind, place, more }) {
  const query = place.query;
  const wanted = Object.fromEntries((kind.filters ?? []).map(name => [name, query.get(name)]));
  const pages = usePages(kind.path, { ...wanted, q: query.get("q"), sort: query.get("sort") ?? kind.sort });
  const [text, setText] = useState(query.get("q") ?? "");
  const end = useRef(/** @type {any} */ (null));
  if (kind.resolver) remember(kind.resolver, pages.things);
  useEffect(() => {
    const timer = setTimeout(() => { if (text !== (query.get("q") ?? "")) setQuery({ q: text }); }, 200);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => {
    if (!pages.next || !end.current) return;
    const observer = new IntersectionObserver(entries => { if (entries.some(entry => entry.isIntersecting)) pages.more(); }, { rootMargin: "600px" });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [pages.next]);
  const fieldOf = (/** @type {string} */ name) => /** @type {Field} */ (kind.fields.find(field => field.name === name));
  const columns = kind.columns.filter(name => !(may("vehicles") === "own" && fieldOf(name).of === "driver"));
  const isFiltered = Boolean(query.get("q")) || Object.values(wanted).some(Boolean);
  const mayAdd = kind.add && may(kind.area, "write");
  const link = kind.link ?? (thing => to(kind.id, thing.id));
  // The same things as on the page, all of them.
  const exported = (/** @type {string} */ format) => `${kind.path}?${new URLSearchParams(Object.entries({
    ...wanted, q: query.get("q"), sort: query.get("sort") ?? kind.sort, format }).flatMap(([name, value]) => (value ? [[name, value]] : [])))}`;
  return html`<div class="page"><${Title} title=${t(kind.title)}>
      ${more}${pages.things.length > 0 && may("vehicles") !== "own" && ["csv", "xlsx"].map(format => html`<a class="button export" download href=${exported(format)} aria-label=${t("export." + format)}>${format.toUpperCase()}</a>`)}${mayAdd && html`<a class="button primary" href=${"/" + kind.id + "/new"}><${Icon} name="plus" size=${16} />${t(/** @type {any} */ (kind.add))}</a>`}</${Title}>
    <div class="filters">${kind.hasText !== false && html`<label class="find"><span class="hidden">${t("search.in", { list: t(kind.title) })}</span><${Icon} name="search" size=${16} />
        <input type="search" value=${text} placeholder=${t("search")} onInput=${(/** @type {any} */ event) => setText(event.target.value)} /></label>`}
      ${(kind.filters ?? []).map(name => html`<label class="filter"><span class="soft">${t(fieldOf(name).label)}</span>
        <select onChange=${(/** @type {any} */ event) => setQuery({ [name]: event.target.value })}>
          <option value="" selected=${!wanted[name]}>${t("all")}</option>
          ${fieldOf(name).choices?.map(choice => html`<option value=${choice} selected=${choice === wanted[name]}>${choiceText(fieldOf(name), choice)}</option>`)}</select></label>`)}</div>
    ${pages.error && html`<${Trouble} error=${pages.error} retry=${pages.reload} />`}
    ${pages.isLoading && pages.things.length === 0 ? html`<${Loading} />`
      : pages.things.length === 0 ? !pages.error && html`<div class="card"><${Empty} title=${isFiltered ? t("empty.filtered") : t(kind.empty)}>
          ${!isFiltered && mayAdd && html`<p><a class="button primary" href=${"/" + kind.id + "/new"}>${t(/** @type {any} */ (kind.add))}</a></p>`}</${Empty}></div>`
      : html`<div class="card scroll" aria-busy=${pages.isLoading ? "true" : "false"}><table class="list"><thead><tr>
          ${columns.map((name, number) => html`<th scope="col" class=${[kind.numbers?.includes(name) ? "num" : "", number > 1 ? "rest" : "", number > 3 ? "far" : ""].join(" ").trim()}>${t(fieldOf(name).label)}</th>`)}
          ${kind.status && html`<th scope="col">${t("field.status")}</th>`}</tr></thead>
        <tbody>${pages.things.map((/** @type {any} */ thing) => html`<tr key=${thing.id}>
          ${columns.map((name, number) => {
            const value = html`<${Value} field=${fieldOf(name)} value=${thing[name]} whole=${thing} />`;
            return html`<td class=${[kind.numbers?.includes(name) ? "num" : "", number > 1 ? "rest" : "", number > 3 ? "far" : ""].join(" ").trim()}>${number === 0 ? html`<a class="row-link" href=${link(thing)}>${value}</a>` : value}</td>`;
          })}${kind.status && html`<td>${kind.status(thing)}</td>`}</tr>`)}</tbody></table></div>`}
    <div ref=${end}></div></div>`;
}

/** @param {{ kind: Kind, id: string, children?: (thing: any, reload: () => void) => any }} props `children`: more parts of the page. */
export function ThingDetail({ kind, id, children }) {
  useNames();
  const thing = useLoad(async signal => request("GET", pathOf(kind.path, id), { signal }), [kind.id, id]);
  const [dialog, ask] = useQuestion();
  const back = html`<a href=${"/" + kind.id}>${t(kind.title)}</a>`;
  if (!thing.value) {
    return html`<div class="page"><${Title} above=${back} title=${thing.error ? t("error.title") : "…"} />
      ${thing.error ? html`<${Trouble} error=${thing.error} retry=${thing.reload} />` : html`<${Loading} />`}</div>`;
  }
  const { value } = thing.value;
  const run = async (/** @type {Command} */ command) => {
    const done = await request("POST", pathOf(kind.path, id, command.name), { body: command.body?.(value) });
    thing.set({ value: done.value ?? value, tag: done.tag });
    thing.reload();
    tell(t(command.done));
  };
  return html`<div class="page narrow"><${Title} above=${back} title=${kind.name(value)} beside=${kind.status?.(value)}>
      ${may(kind.area, "write") && (kind.commands ?? []).filter(command => command.isPossible(value)).map(command => html`<button type="button" class=${"button" + (command.isBad ? " danger-line" : "")}
        onClick=${() => ask({
          title: t(command.label), text: command.question ? t(command.question, { name: kind.name(value) }) : "", action: t(command.label), isBad: command.isBad,
          run: () => run(command),
        })}>${t(command.label)}</button>`)}
      ${may(kind.area, "write") && html`<a class="button" href=${to(kind.id, id, "edit")}>${t("action.edit")}</a>`}</${Title}>
    ${dialog}
    <section class="card"><dl class="facts">${kind.fields.map(field => html`<div class=${field.kind === "notes" ? "wide" : ""}><dt>${t(field.label)}</dt><dd><${Value} field=${field} value=${value[field.name]} whole=${value} /></dd></div>`)}
      <div><dt>${t("field.createdAt")}</dt><dd>${timeText(value.createdAt)}</dd></div>
      <div><dt>${t("field.updatedAt")}</dt><dd>${timeText(value.updatedAt)}</dd></div></dl></section>
    ${children?.(value, thing.reload)}</div>`;
}

/** @param {{ kind: Kind, id?: string, start?: Record<string, any> }} props Without an id, a new thing is made. */
export function ThingForm({ kind, id, start }) {
  const [made] = useState(newId);
  const thing = useLoad(async signal => (id ? request("GET", pathOf(kind.path, id), { signal }) : null), [kind.id, id]);
  const link = kind.link ?? ((/** @type {any} */ thing) => to(kind.id, thing.id));
  const back = id && thing.value ? link(thing.value.value) : "/" + kind.id;
  const above = html`<a href=${"/" + kind.id}>${t(kind.title)}</a>`;
  if (id && !thing.value) {
    return html`<div class="page narrow"><${Title} above=${above} title="…" />${thing.error ? html`<${Trouble} error=${thing.error} retry=${thing.reload} />` : html`<${Loading} />`}</div>`;
  }
  const present = thing.value?.value;
  // Drivers return to the page from which they came. Others see the thing that they have saved.
  const isDriver = may("vehicles") === "own";
  const fields = kind.fields.filter(field => !field.isRead && !(id && field.isFixed) && !(isDriver && field.of === "driver"));
  const save = async (/** @type {Record<string, any>} */ values, /** @type {string[]} */ changed) => {
    if (id) {
      const { tag } = /** @type {any} */ (thing.value);
      const body = Object.fromEntries(changed.map(name => [name, values[name]]));
      if ("quantity" in body && values.unit) body.unit = values.unit;
      if (changed.length > 0) {
        try {
          await request("PATCH", pathOf(kind.path, id), { body, headers: { "If-Match": tag } });
        } catch (error) {
          // The next attempt changes the present version of the thing. The form shows the changes of others.
          if (/** @type {any} */ (error).conflicts?.length) /** @type {any} */ (thing.value).tag = (await request("GET", pathOf(kind.path, id))).tag;
          throw error;
        }
      }
      tell(t("saved"));
      go(back);
    } else {
      // The client chooses the id, so that a request that is sent twice creates only one thing.
      const body = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
      const name = kind.id === "vehicles" ? values.id : made;
      delete body.id;
      const answer = await submit({
        method: "PUT", path: pathOf(kind.path, name), body, headers: { "If-None-Match": "*" }, label: t(/** @type {any} */ (kind.add)),
      });
      if (answer) tell(t("saved"));
      go(!answer || isDriver ? "/mine" : link({ ...answer.value, id: name }), { replace: true });
    }
  };
  return html`<div class="page narrow"><${Title} above=${above} title=${id ? kind.name(present) : t(/** @type {any} */ (kind.add))} />
    <section class="card padded"><${Form} fields=${fields} thing=${present} given=${start} draft=${`${kind.id} ${id ?? "new"}`} action=${t("action.save")}
      onCancel=${() => go(back)} onSave=${save} /></section></div>`;
}
