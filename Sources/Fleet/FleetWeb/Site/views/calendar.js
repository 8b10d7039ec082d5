/** The assignments of a week: a row for each vehicle, a column for each day. */
import "../texts/calendar.js";
import { html, useEffect, useRef, useState } from "../lib/preact.js";
import { all } from "../api.js";
import { clockText, dayText, locale, startOfDay, today } from "../format.js";
import { useChanges } from "../parts/changes.js";
import { Icon } from "../parts/icons.js";
import { VehicleLabel, labelOf, nameOf, remember, useNames } from "../parts/names.js";
import { Pages } from "../parts/pages.js";
import { Empty, Loading, Title, Trouble, useLoad } from "../parts/ui.js";
import { setQuery, to } from "../router.js";
import { may } from "../state.js";
import { t } from "../texts.js";
import { assignments as kind } from "./kinds.js";

/** The rows that are shown at first, and added by each click. */
const most = 100;

/**
 * A day, some days later.
 * @param {string} day
 * @param {number} count
 */
function later(day, count) { return new Date(Date.parse(day) + count * 86_400_000).toISOString().slice(0, 10); }

/**
 * The Monday of a day's week.
 * @param {string} day
 */
function mondayOf(day) { return later(day, -((new Date(day).getUTCDay() + 6) % 7)); }

/** @typedef {{ day: string, begin: string, end: string }} Column the times are those at which the day begins and ends */

/** @param {{ place: import("../router.js").Place }} props */
export default function Calendar({ place }) {
  useNames();
  const monday = mondayOf(place.query.get("week") ?? today());
  const [count, setCount] = useState(most);
  const isUsed = place.query.get("used") === "true";
  /** @type {Column[]} */
  const columns = Array.from({ length: 7 }, (_, number) => later(monday, number)).map(day => ({ day, begin: startOfDay(day).toISOString(), end: startOfDay(later(day, 1)).toISOString() }));
  const loaded = useLoad(async () => {
    const isDriver = may("assignments") === "own";
    const [list, fleet] = await Promise.all([
      all("/api/assignments", { from: monday, to: later(monday, 6), status: "active,completed", void: false, sort: "from" }),
      isDriver ? [] : all("/api/vehicles", { status: "available,assigned,inService,inactive", sort: "id" }),
    ]);
    remember("vehicle", fleet);
    /** @type {Map<string, any[]>} */
    const rows = new Map(fleet.map(vehicle => [vehicle.id, []]));
    for (const entry of list) rows.set(entry.vehicleId, [...rows.get(entry.vehicleId) ?? [], entry]);
    return { rows: [...rows] };
  }, [monday]);
  useChanges(["assignment", "vehicle"], loaded.refresh);
  const region = useRef(/** @type {any} */ (null));
  useEffect(() => {
    // On a phone, not all days fit. Show today.
    const present = region.current?.querySelector("th[aria-current]"), names = region.current?.querySelector("th");
    if (present) region.current.scrollLeft = present.offsetLeft - names.offsetWidth;
  }, [monday, Boolean(loaded.value)]);
  const rows = (loaded.value?.rows ?? []).filter(([, list]) => !isUsed || list.length > 0);
  const go = (/** @type {number} */ days) => setQuery({ week: days === 0 ? null : later(monday, days) });
  const mayAssign = may("assignments", "write") === "all";
  return html`<div class="page wide"><${Pages} list=${kind.pages} at="/assignments/calendar" /><${Title} title=${t("assignments.calendar")}>
      ${mayAssign && html`<a class="button primary" href="/assignments/new"><${Icon} name="plus" size=${16} />${t("assignments.add")}</a>`}</${Title}>
    <div class="filters"><div class="controls"><button type="button" class="button" aria-label=${t("calendar.before")} onClick=${() => go(-7)}>‹</button><button type="button" class="button" onClick=${() => go(0)}>${t("calendar.now")}</button>
        <button type="button" class="button" aria-label=${t("calendar.after")} onClick=${() => go(7)}>›</button></div>
      <b role="status">${t("calendar.week", { from: dayText(monday), to: dayText(later(monday, 6)) })}</b>
      <label class="check"><input type="checkbox" checked=${isUsed} onChange=${() => setQuery({ used: isUsed ? null : "true" })} /><span>${t("calendar.used")}</span></label></div>
    ${loaded.error && html`<${Trouble} error=${loaded.error} retry=${loaded.reload} />`}
    ${!loaded.value ? !loaded.error && html`<${Loading} />` : rows.length === 0 ? html`<div class="card"><${Empty} title=${t(isUsed ? "assignments.empty" : "calendar.empty")} /></div>`
      : html`<div class="card scroll" ref=${region} tabindex="0" role="region" aria-label=${t("assignments.calendar")} aria-busy=${loaded.isLoading ? "true" : "false"}><table class="calendar"><thead><tr><th scope="col">${t("field.vehicleId")}</th>
          ${columns.map(({ day }) => html`<th scope="col" key=${day} aria-current=${day === today() ? "date" : undefined}>${headingOf(day)}</th>`)}</tr></thead>
        <tbody>${rows.slice(0, count).map(([id, list]) => html`<tr key=${id}><th scope="row"><a href=${to("vehicles", id)}><${VehicleLabel} id=${id} /></a>
            ${mayAssign && html`<a class="plain" aria-label=${t("calendar.assign", { name: labelOf("vehicle", id) })} href=${"/assignments/new?" + new URLSearchParams({ vehicleId: id, ...(monday > today() ? { from: columns[0].begin } : {}) })}><${Icon} name="plus" size=${14} /></a>`}</th>
          ${columns.map(column => html`<td key=${column.day} class=${column.day === today() ? "today" : ""}><${Cell} list=${list} column=${column} /></td>`)}</tr>`)}</tbody></table></div>
        ${rows.length > count && html`<p class="quiet"><button type="button" class="button" onClick=${() => setCount(count + most)}>${t("board.more", { count: rows.length - count })}</button></p>`}`}</div>`;
}

/** @param {string} day */
function headingOf(day) { return new Intl.DateTimeFormat(locale(), { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" }).format(new Date(day)); }

/**
 * The assignments of a vehicle on a day. A bar continues into the next day's cell if the assignment does.
 * @param {{ list: any[], column: Column }} props
 */
function Cell({ list, column }) {
  const shown = list.filter(entry => entry.from < column.end && (!entry.to || entry.to > column.begin));
  if (shown.length === 0) return html`<span class="hidden">${t("calendar.free")}</span>`;
  return shown.map(entry => {
    const begins = entry.from >= column.begin, ends = entry.to && entry.to <= column.end;
    const [start, end] = [begins && clockText(entry.from), ends && clockText(entry.to)];
    const times = start && end ? `${start}–${end}` : start ? t("calendar.from", { time: start }) : end ? t("calendar.until", { time: end }) : "\u00a0";
    return html`<a key=${entry.id} class=${["bar-link", entry.status, begins ? "begins" : "", ends ? "ends" : ""].join(" ")} href=${to("assignments", entry.id)}><b>${nameOf("driver", entry.driverId)}</b><span class="small">${times}</span></a>`;
  });
}
