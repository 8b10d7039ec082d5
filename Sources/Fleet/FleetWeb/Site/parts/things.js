/**
 * Lists, details and forms of things. All kinds have the same kinds of routes, so a description of each kind is enough.
 *
 * @typedef {import("./fields.js").Field} Field
 * @typedef {{ name: string, label: import("../texts.js").Key, isPossible: (thing: any) => boolean, question?: import("../texts.js").Key,
 *   isBad?: boolean, isMain?: boolean, isRare?: boolean, isRemoval?: boolean, isOnce?: boolean, done: import("../texts.js").Key, body?: (thing: any) => any, answer?: (value: any) => { text: string, isBad?: boolean }, fields?: Field[],
 *   given?: (thing: any) => Promise<Record<string, any>>, patch?: (thing: any) => any, undo?: (thing: any) => any }} Command
 *   `answer`: the message about the answer, which is not the thing. `isRare`: in a menu. `isRemoval`: the thing is removed. `isOnce`: the request has an id, with which the server executes it once. `fields`: what is entered for the command; `given`: their first values. `patch`: the command is a change with this body, and
 *   `undo` the change that reverts it.
 * @typedef {{ id: string, path: string, area: string, title: import("../texts.js").Key, add?: import("../texts.js").Key,
 *   empty: import("../texts.js").Key, name: (thing: any) => string, fields: Field[], columns: string[],
 *   filters?: string[], period?: [string, string], bulk?: string[], sort?: string, sorts?: string[], hasText?: boolean, status?: (thing: any) => any, commands?: Command[],
 *   link?: (thing: any) => string, numbers?: string[], resolver?: string, adding?: string, changing?: string, isFinal?: (thing: any) => boolean,
 *   one?: string, pages?: [string, import("../texts.js").Key, string][], isBrief?: boolean, edited?: (thing: any) => any, isSingle?: boolean, isWatched?: boolean, picture?: (thing: any) => string | null | undefined, below?: (thing: any) => string | null | undefined, secret?: { name: string, text: import("../texts.js").Key } }} Kind
 *   `one`: the kind's name in the audit, if the server reports changes of its things. `adding`: the action that a person needs for a new one; `changing`: for a change. `isFinal`: whether it can no longer be edited. `pages`: the pages beside
 *   the list. `isWatched`: the server changes the thing, so its page is loaded again and again. `isSingle`: there is one thing, at the path itself. `secret`: the value that only the answers to the creation and to some commands have, and the text
 *   above it; such things are not sent later. `isBrief`: the details leave out what has no value. `edited`: the values with which the form begins.
 *   `picture`: the id of the photo that the list shows; `below`: the text below the first column's value. `columns`: names of fields. `filters`: fields with choices, flags, and things. `period`: the parameters of the first and the last day of the list.
 *   `bulk`: the fields that can be changed for several things at once. `sorts`: the columns by which the server can sort; `status` is that of the status. `status`: drawn in the first column's row.
 */
import { html, useEffect, useMemo, useRef, useState } from "../lib/preact.js";
import { get, newId, pathOf, request } from "../api.js";
import { timeText } from "../format.js";
import { go, setQuery, to } from "../router.js";
import { may, tell } from "../state.js";
import { t } from "../texts.js";
import { useChanges } from "./changes.js";
import { Value, valueAt } from "./fields.js";
import { Filters, Heading } from "./filters.js";
import { Form } from "./form.js";
import { Icon, Status } from "./icons.js";
import { usePages } from "./list-entries.js";
import { remember, useNames } from "./names.js";
import { Pages } from "./pages.js";
import { SmallPhoto } from "./photos.js";
import { Rows, manyRows } from "./rows.js";
import { Dialog, Empty, Loading, Menu, Secret, Title, Trouble, errorText, useLoad, useQuestion } from "./ui.js";
import { nested, withoutEmpty } from "./values.js";

/**
 * @param {{ kind: Kind, place: import("../router.js").Place, children?: any, more?: any }} props `more`: actions.
 */
export function ThingList({ kind, place, more }) {
  const query = place.query;
  const fieldOf = (/** @type {string} */ name) => /** @type {Field} */ (kind.fields.find(field => field.name === name));
  const filters = (kind.filters ?? []).filter(name => fieldOf(name).kind !== "thing" || mayFind(fieldOf(name).of));
  const wanted = Object.fromEntries([...filters, ...kind.period ?? []].map(name => [name, query.get(name)]));
  const sort = query.get("sort") ?? kind.sort ?? "";
  const pages = usePages(kind.path, { ...wanted, q: query.get("q"), sort });
  const [text, setText] = useState(query.get("q") ?? "");
  const end = useRef(/** @type {any} */ (null));
  useChanges(changesOf(kind), pages.refresh);
  // These visit all entries, so they do it only for new ones.
  useMemo(() => { if (kind.resolver) remember(kind.resolver, pages.things); }, [pages.things]);
  const hasPictures = useMemo(() => Boolean(kind.picture && pages.things.some(kind.picture)), [pages.things]);
  useEffect(() => {
    const timer = setTimeout(() => { if (text !== (query.get("q") ?? "")) setQuery({ q: text }); }, 200);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => {
    if (!pages.next || !end.current) return;
    const observer = new IntersectionObserver(entries => { if (entries.some(entry => entry.isIntersecting)) pages.more(); }, { root: end.current.closest("main"), rootMargin: "1200px 0px" });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [pages.next, pages.turn]);
  const columns = kind.columns.filter(name => !(may("vehicles") === "own" && fieldOf(name).of === "driver"));
  // Names of vehicles and phone numbers stay on one line. On narrow screens, only the first columns are shown.
  const classOf = (/** @type {string} */ name, /** @type {number} */ number) => [
    kind.numbers?.includes(name) ? "num" : "",
    name === "id" || name === "phone" || fieldOf(name).of === "vehicle" ? "whole" : "",
    name === "url" ? "url" : "", number > 1 ? "rest" : "", number > 3 ? "far" : "",
  ].join(" ").trim();
  const [chosen, setChosen] = useState(/** @type {Set<string>} */ (new Set()));
  const mayChoose = Boolean(kind.bulk) && may(kind.area, "write") === "all";
  const choose = (/** @type {string} */ id) => setChosen(old => new Set(old.has(id) ? [...old].filter(other => other !== id) : [...old, id]));
  const picked = useMemo(() => (chosen.size > 0 ? pages.things.filter((/** @type {any} */ thing) => chosen.has(thing.id)) : []), [pages.things, chosen]);
  const areAllChosen = picked.length > 0 && picked.length === pages.things.length;
  const isFiltered = Boolean(query.get("q")) || Object.values(wanted).some(Boolean);
  const mayAdd = kind.add && may(kind.area, kind.adding ?? "write");
  const link = kind.link ?? (thing => to(kind.id, thing.id));
  // The same things as on the page, all of them.
  const exported = (/** @type {string} */ format) => `${kind.path}?${new URLSearchParams(Object.entries({
    ...wanted, q: query.get("q"), sort, format }).flatMap(([name, value]) => (value ? [[name, value]] : [])))}`;
  return html`<div class="page"><${Pages} list=${kind.pages} at=${"/" + kind.id} /><${Title} title=${t(kind.title)}>
      ${more}${pages.things.length > 0 && may("vehicles") !== "own" && ["csv", "xlsx"].map(format => html`<a class="button export" download href=${exported(format)} aria-label=${t("export." + format)}>${format.toUpperCase()}</a>`)}${mayAdd && html`<a class="button primary" href=${"/" + kind.id + "/new"}><${Icon} name="plus" size=${16} />${t(/** @type {any} */ (kind.add))}</a>`}</${Title}>
    <${Filters} kind=${kind} filters=${filters} wanted=${wanted} fieldOf=${fieldOf}>${kind.hasText !== false && html`<label class="find"><span class="hidden">${t("search.in", { list: t(kind.title) })}</span><${Icon} name="search" size=${16} />
        <input type="search" value=${text} placeholder=${t("search")} onInput=${(/** @type {any} */ event) => setText(event.target.value)} /></label>`}</${Filters}>
    ${mayChoose && chosen.size > 0 && html`<${Bulk} kind=${kind} fieldOf=${fieldOf} things=${picked} onDone=${() => { setChosen(new Set()); pages.reload(); }} onClear=${() => setChosen(new Set())} />`}
    ${pages.error && html`<${Trouble} error=${pages.error} retry=${pages.reload} />`}
    ${pages.isLoading && pages.things.length === 0 ? html`<${Loading} />`
      : pages.things.length === 0 ? !pages.error && html`<div class="card"><${Empty} title=${isFiltered ? t("empty.filtered") : t(kind.empty)}>
          ${!isFiltered && mayAdd && html`<p><a class="button primary" href=${"/" + kind.id + "/new"}>${t(/** @type {any} */ (kind.add))}</a></p>`}</${Empty}></div>`
      : html`<div class="card scroll" aria-busy=${pages.isLoading ? "true" : "false"}><table class="list" aria-rowcount=${pages.things.length < manyRows ? undefined : pages.next ? -1 : pages.things.length + 1}><thead><tr>
          ${mayChoose && html`<th scope="col" class="tick"><label><span class="hidden">${t("bulk.all")}</span><input type="checkbox" checked=${areAllChosen} onChange=${() => setChosen(areAllChosen ? new Set() : new Set(pages.things.map((/** @type {any} */ thing) => thing.id)))} /></label></th>`}
          ${columns.map((name, number) => html`<${Heading} kind=${kind} name=${name} label=${t(fieldOf(name).label)} sort=${sort} look=${classOf(name, number)} />`)}
          ${kind.status && html`<${Heading} kind=${kind} name="status" label=${t("field.status")} sort=${sort} />`}</tr></thead>
        <${Rows} things=${pages.things} columns=${columns.length + (mayChoose ? 1 : 0) + (kind.status ? 1 : 0)} row=${(/** @type {any} */ thing, /** @type {number | undefined} */ place) => html`<tr key=${thing.id} data-thing=${thing.id} aria-rowindex=${place && place + 1} class=${thing.void ? "void" : chosen.has(thing.id) ? "picked" : undefined}>
          ${mayChoose && html`<td class="tick"><label><input type="checkbox" aria-label=${t("bulk.one", { name: kind.name(thing) })} checked=${chosen.has(thing.id)} onChange=${() => choose(thing.id)} /></label></td>`}${columns.map((name, number) => {
            const below = number === 0 ? kind.below?.(thing) : undefined, plain = html`<${Value} field=${fieldOf(name)} value=${valueAt(thing, name)} whole=${thing} />`;
            const value = below ? html`<span class="named">${plain} <span class="small">${below}</span></span>` : plain;
            return html`<td class=${classOf(name, number)}>${number === 0 ? html`<${Pictured} isUsed=${hasPictures} id=${kind.picture?.(thing)}><a class="row-link" href=${link(thing)}>${value}</a></${Pictured}>${thing.void && !kind.status && html` <${VoidMark} />`}` : value}</td>`;
          })}${kind.status && html`<td>${kind.status(thing)}</td>`}</tr>`} /></table></div>`}
    <div ref=${end}></div></div>`;
}

/**
 * The first cell of a row, with the photo if one of the things has a photo.
 * @param {{ isUsed: boolean, id?: string | null, children?: any }} props
 */
function Pictured({ isUsed, id, children }) {
  const [isLost, setLost] = useState(false);
  if (!isUsed) return children;
  return html`<span class="pictured"><span class="picture">${id && !isLost && html`<${SmallPhoto} id=${id} alt="" onError=${() => setLost(true)} />`}</span><span>${children}</span></span>`;
}

/** The areas of permissions of things that others refer to. They are also the first parts of the addresses of their pages. */
const areas = /** @type {Record<string, string>} */ ({ vehicle: "vehicles", driver: "drivers", fleet: "fleets", person: "people" });

/**
 * Whether the person sees more than one thing of a kind.
 * @param {Field["of"]} of
 */
function mayFind(of) {
  const reach = may(of === "webhook" ? "integrations" : areas[String(of)] ?? "settings");
  return Boolean(reach) && reach !== "own";
}

/**
 * A value as a link to its page if it is a thing that the person may see.
 * @param {{ field: Field, value: any, children?: any }} props
 */
function Linked({ field, value, children }) {
  const area = field.kind === "thing" && typeof field.of === "string" ? areas[field.of] : undefined;
  return value && area && mayFind(field.of) ? html`<a href=${to(area, value)}>${children}</a>` : children;
}

/**
 * Changes the same fields of several things.
 * @param {{ kind: Kind, things: any[], fieldOf: (name: string) => Field, onDone: () => void, onClear: () => void }} props
 */
function Bulk({ kind, things, fieldOf, onDone, onClear }) {
  const [isOpen, setOpen] = useState(false);
  const [failed, setFailed] = useState(/** @type {{ name: string, error: Error }[]} */ ([]));
  const fields = (kind.bulk ?? []).map(name => ({ ...fieldOf(name), required: false, isFixed: false }));
  const change = (/** @type {any} */ thing, /** @type {any} */ body) => request("PATCH", pathOf(kind.path, thing.id), { body, headers: { "If-Match": "*" } });
  const save = async (/** @type {Record<string, any>} */ values) => {
    const body = withoutEmpty(values);
    if (Object.keys(body).length === 0) { setOpen(false); return; }
    /** @type {{ thing: any, before: any }[]} */
    const done = [];
    /** @type {{ name: string, error: Error }[]} */
    const wrong = [];
    for (const thing of things) {
      try {
        await change(thing, body);
        done.push({ thing, before: Object.fromEntries(Object.keys(body).map(name => [name, thing[name] ?? null])) });
      } catch (error) { wrong.push({ name: kind.name(thing), error: /** @type {Error} */ (error) }); }
    }
    setFailed(wrong);
    if (done.length > 0) {
      tell(t("bulk.done", { count: done.length }), { action: { label: t("action.undo"), run: async () => {
        for (const { thing, before } of done) await change(thing, before).catch(() => {});
        onDone();
      } } });
    }
    if (wrong.length === 0) onDone();
    setOpen(false);
  };
  return html`<div class="card bulk" role="status"><b>${t("bulk.chosen", { count: things.length })}</b>
      <button type="button" class="button primary" onClick=${() => setOpen(true)}>${t("bulk.edit")}</button><button type="button" class="button" onClick=${onClear}>${t("bulk.clear")}</button>
      ${failed.length > 0 && html`<ul class="fault">${failed.map(({ name, error }) => html`<li>${name}: ${errorText(error)}</li>`)}</ul>`}</div>
    ${isOpen && html`<${Dialog} title=${t("bulk.title", { count: things.length })} onClose=${() => setOpen(false)}><p class="soft">${t("bulk.help")}</p>
      <${Form} fields=${fields} draft=${"bulk " + kind.id} action=${t("action.save")} onCancel=${() => setOpen(false)} onSave=${save} /></${Dialog}>`}`;
}

/** The mark of an entry that no longer counts. */
function VoidMark() { return html`<${Status} shape="silent">${t("void")}</${Status}>`; }

/** The secrets that the server has just made, by the ids of their things. A page shows each until the person leaves it. */
const secrets = /** @type {Map<string, string>} */ (new Map());

/**
 * @param {Kind} kind
 * @param {string} id
 * @param {any} value the answer of the server
 */
export function keepSecret(kind, id, value) {
  const secret = kind.secret && value?.[kind.secret.name];
  if (secret) secrets.set(id, secret);
}

/** @param {{ kind: Kind, thing: any }} props */
function NewSecret({ kind, thing }) {
  const secret = secrets.get(thing.id);
  if (!secret || !kind.secret) return null;
  return html`<section class="card padded new-secret" role="status"><p>${t(kind.secret.text, { name: kind.name(thing) })}</p><${Secret} text=${secret} label=${t(kind.secret.text, { name: kind.name(thing) })} /></section>`;
}

/**
 * The address of a thing in the API.
 * @param {Kind} kind
 * @param {string} id
 */
export function pathTo(kind, id) { return kind.isSingle ? kind.path : pathOf(kind.path, id); }

/**
 * The buttons of a thing's commands, and the dialog of the chosen one.
 * @param {{ kind: Kind, thing: any, tag: string | null, onDone: (answer: { value: any, tag: string | null } | null) => void, children?: any }} props `children`: further buttons before the menu.
 */
export function Commands({ kind, thing, tag, onDone, children }) {
  const [dialog, ask] = useQuestion();
  const [chosen, setChosen] = useState(/** @type {{ command: Command, id: string, given: Record<string, any> } | null} */ (null));
  const change = (/** @type {any} */ body, /** @type {string | null} */ match) => request("PATCH", pathTo(kind, thing.id), { body, headers: { "If-Match": match ?? "*" } });
  const run = async (/** @type {Command} */ command, /** @type {any} */ body) => {
    if (command.isRemoval) {
      await request("DELETE", pathOf(kind.path, thing.id));
      tell(t(command.done));
      go("/" + kind.id, { replace: true });
    } else if (command.patch) {
      const answer = await change(command.patch(thing), tag);
      const { undo } = command;
      tell(t(command.done), undo ? { action: { label: t("action.undo"), run: async () => onDone(await change(undo(thing), answer.tag)) } } : {});
      onDone(answer);
    } else {
      const answer = await request("POST", pathOf(kind.path, thing.id, command.name), { body });
      keepSecret(kind, thing.id, answer.value);
      const message = command.answer?.(answer.value);
      tell(message?.text ?? t(command.done), { isBad: message?.isBad });
      onDone(answer.value?.id === thing.id ? answer : null);
    }
  };
  const begin = async (/** @type {Command} */ command) => {
    if (command.fields) setChosen({ command, id: newId(), given: await command.given?.(thing) ?? {} });
    else ask({
      title: t(command.label), text: command.question ? t(command.question, { name: kind.name(thing) }) : "", action: t(command.label), isBad: command.isBad,
      run: () => run(command, command.body?.(thing)),
    });
  };
  const possible = (kind.commands ?? []).filter(command => command.isPossible(thing));
  const button = (/** @type {Command} */ command) => html`<button type="button" key=${command.name}
      class=${"button" + (command.isMain ? " primary" : command.isBad ? " danger-line" : "")} onClick=${() => begin(command)}>${t(command.label)}</button>`;
  const rare = possible.filter(command => command.isRare);
  return html`${possible.filter(command => !command.isRare).map(button)}${children}${rare.length > 0 && html`<${Menu} label=${t("nav.more")}>${rare.map(button)}</${Menu}>`}
    ${dialog}${chosen && html`<${Dialog} title=${t(chosen.command.label)} onClose=${() => setChosen(null)}>
      ${chosen.command.question && html`<p>${t(chosen.command.question, { name: kind.name(thing) })}</p>`}
      <${Form} fields=${chosen.command.fields} given=${chosen.given} draft=${`${kind.id} ${thing.id} ${chosen.command.name}`} action=${t(chosen.command.label)} onCancel=${() => setChosen(null)}
        onSave=${async (/** @type {Record<string, any>} */ values) => { await run(chosen.command, { ...withoutEmpty(nested(values)), ...(chosen.command.isOnce ? { id: chosen.id } : {}) }); setChosen(null); }} /></${Dialog}>`}`;
}

/**
 * The newest things of a list, with links to the whole list and to a new thing.
 * @param {{ kind: Kind, query: Record<string, string>, sort?: string, start?: Record<string, string>, title?: string, text?: (thing: any) => any, detail?: (thing: any) => any[], count?: number }} props
 *   `query`: what restricts the list; `start`: the first values of a new thing; `text` and `detail`: what is shown of each.
 */
export function ThingCard({ kind, query, sort = kind.sort, start = query, title = t(kind.title), text = kind.name, detail, count = 5 }) {
  useNames();
  const loaded = useLoad(async signal => (may(kind.area) ? get(kind.path, { ...query, sort, limit: count }, signal) : null), [kind.id, JSON.stringify(query)]);
  useChanges(may(kind.area) ? changesOf(kind) : [], loaded.refresh, change => !query.vehicleId || !change.vehicleId || change.vehicleId === query.vehicleId);
  if (!may(kind.area)) return null;
  const list = loaded.value?.data ?? [];
  const link = kind.link ?? (thing => to(kind.id, thing.id));
  const isOwn = may(kind.area, kind.adding ?? "write") === "own";
  return html`<section class="card"><header><h2>${title}</h2>${list.length > 0 && html`<a href=${`/${kind.id}?${new URLSearchParams(query)}`} aria-label=${`${title}: ${t("all")}`}>${t("all")}</a>`}
      ${kind.add && may(kind.area, kind.adding ?? "write") && !isOwn && html`<a class="button" href=${`/${kind.id}/new?${new URLSearchParams(start)}`}>${t(kind.add)}</a>`}</header>
    ${loaded.error ? html`<${Trouble} error=${loaded.error} retry=${loaded.reload} />` : !loaded.value ? html`<${Loading} />`
      : list.length === 0 ? html`<p class="quiet soft">${t(kind.empty)}</p>`
      : html`<ul class="links">${list.map((/** @type {any} */ thing) => html`<li key=${thing.id}><span class="grow"><a href=${link(thing)}>${text(thing)}</a>
          ${detail && html`<span class=${"soft small block" + (thing.void ? " struck" : "")}>${detail(thing).filter(Boolean).join(" · ")}</span>`}</span>${kind.status ? kind.status(thing) : thing.void && html`<${VoidMark} />`}</li>`)}</ul>`}</section>`;
}

/** The time after which a watched thing is loaded again, ms. */
const watch = 5000;

/**
 * The kinds of changes after which a list of things is loaded again.
 * @param {Kind} kind
 */
export function changesOf(kind) { return kind.one ? [kind.one] : []; }

/**
 * The version of a thing in its entity tag; 0 without one.
 * @param {string | null | undefined} tag
 */
export function versionOf(tag) { return Number(/^"(\d+)/.exec(tag ?? "")?.[1] ?? 0); }

/**
 * Whether a change is that of a thing, and newer than what is shown. The server also reports the person's own changes.
 * @param {Kind} kind
 * @param {string} id
 * @param {string | null | undefined} tag that of the shown version
 * @param {import("./changes.js").Change} change
 */
export function isNews(kind, id, tag, change) {
  return change.kind === kind.one && (kind.isSingle || change.id === id) && (change.action === "deleted" || change.version > versionOf(tag));
}

/** @param {{ kind: Kind, id: string, top?: (thing: any) => any, children?: (thing: any, reload: () => void) => any }} props more parts of the page. */
export function ThingDetail({ kind, id, top, children }) {
  useNames();
  const thing = useLoad(async signal => request("GET", pathTo(kind, id), { signal }), [kind.id, id]);
  useChanges(changesOf(kind), thing.refresh, change => isNews(kind, id, thing.value?.tag, change));
  useEffect(() => () => { secrets.delete(id); }, [id]);
  useEffect(() => {
    if (!kind.isWatched) return;
    const timer = setInterval(() => { if (document.visibilityState === "visible") thing.reload(); }, watch);
    return () => clearInterval(timer);
  }, [id]);
  const back = kind.isSingle ? undefined : html`<a href=${"/" + kind.id}>${t(kind.title)}</a>`;
  if (!thing.value) {
    return html`<div class="page"><${Title} above=${back} title=${thing.error ? t("error.title") : "…"} />
      ${thing.error ? html`<${Trouble} error=${thing.error} retry=${thing.reload} />` : html`<${Loading} />`}</div>`;
  }
  const { value } = thing.value;
  const done = (/** @type {{ value: any, tag: string | null } | null} */ answer) => {
    if (answer) thing.set(answer);
    thing.reload();
  };
  const facts = kind.fields.filter(field => !field.isOmitted && field.kind !== "secret" && !(field.isRead && field.isShown && !field.isShown(value)) && field.name !== "createdAt" && field.kind !== "lines"
    && !(kind.isBrief && [undefined, null, "", false].includes(valueAt(value, field.name))) && !(kind.isBrief && valueAt(value, field.name)?.length === 0));
  const edit = may(kind.area, "write") && !kind.isFinal?.(value) && html`<a class="button" href=${kind.isSingle ? `/${kind.id}/edit` : to(kind.id, id, "edit")}>${t("action.edit")}</a>`;
  return html`<div class=${"page" + (kind.isSingle ? "" : " narrow")}>${kind.isSingle && html`<${Pages} list=${kind.pages} at=${"/" + kind.id} />`}<${Title} above=${back} title=${kind.name(value)} beside=${kind.status ? kind.status(value) : value.void && html`<${VoidMark} />`}>
      ${may(kind.area, kind.changing ?? "write") ? html`<${Commands} kind=${kind} thing=${value} tag=${thing.value.tag} onDone=${done}>${edit}</${Commands}>` : edit}</${Title}>
    ${kind.secret && html`<${NewSecret} kind=${kind} thing=${value} />`}${top?.(value)}
    <section class="card"><dl class=${"facts" + (value.void ? " void" : "")}>${facts.map((field, place) => html`${field.group && field.group !== facts[place - 1]?.group && html`<div class="wide group"><dt>${t(field.group)}</dt></div>`}<div class=${["notes", "files"].includes(field.kind) ? "wide" : ""}><dt>${t(field.label)}</dt><dd><${Linked} field=${field} value=${valueAt(value, field.name)}><${Value} field=${field} value=${valueAt(value, field.name)} whole=${value} /></${Linked}></dd></div>`)}
      ${facts.some(field => field.group) && html`<div class="wide group"></div>`}
      ${!kind.isSingle && html`<div><dt>${t("field.createdAt")}</dt><dd>${timeText(value.createdAt)}</dd></div>
      <div><dt>${t("field.updatedAt")}</dt><dd>${timeText(value.updatedAt)}</dd></div>`}</dl></section>
    ${children?.(value, thing.reload)}</div>`;
}
