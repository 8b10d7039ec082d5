/** Reports: made on request or on a schedule, with a chart and a table, for the screen, for paper and as files. */
import "../texts/dispatch.js";
import "../texts/reports.js";
import { html, useState } from "../lib/preact.js";
import { get, pathOf, post, request } from "../api.js";
import { dayText, durationText, moneyText, nearText, number, quantity, timeText } from "../format.js";
import { Form } from "../parts/form.js";
import { Icon, Status } from "../parts/icons.js";
import { nameOf, useNames } from "../parts/names.js";
import { Filter } from "../parts/filters.js";
import { Empty, Loading, Title, Trouble, useLoad, useQuestion } from "../parts/ui.js";
import { go, to } from "../router.js";
import { may, tell } from "../state.js";
import { t } from "../texts.js";

/** The kinds of reports, with the figure that the chart shows. */
const kinds = /** @type {Record<string, string>} */ ({
  utilization: "engineOnSeconds", trips: "distance", fuel: "fuelUsed", drivers: "score", costs: "total", maintenance: "cost", compliance: "",
});
const groups = ["vehicle", "driver", "fleet", "day", "week", "month"];
/** The formats of files. Only a server that can change reports, and therefore sends their entity tags, makes all of them. */
const formats = /** @type {const} */ (["csv", "xlsx", "pdf"]);

/** @param {{ place: import("../router.js").Place }} props */
export default function Reports({ place }) {
  const id = place.parts[1];
  if (id === "new") return html`<${NewReport} place=${place} />`;
  return id ? html`<${Report} key=${id} id=${id} />` : html`<${List} place=${place} />`;
}

/** The kinds that the person may see. */
function visibleKinds() { return Object.keys(kinds).filter(kind => kind !== "costs" || may("costs")); }

/** @param {any} report */
function periodText(report) { return `${dayText(report.from)} – ${dayText(report.to)}`; }

/** @param {{ place: import("../router.js").Place }} props */
function List({ place }) {
  useNames();
  const kind = place.query.get("kind") ?? "", fleetId = place.query.get("fleetId") ?? "";
  const loaded = useLoad(signal => get("/api/reports", { kind, fleetId, limit: 100 }, signal), [kind, fleetId]);
  const list = loaded.value?.data ?? [];
  const mayMake = may("reports", "write");
  return html`<div class="page"><${Title} title=${t("reports.title")}>${mayMake && html`<a class="button primary" href="/reports/new"><${Icon} name="plus" size=${16} />${t("reports.add")}</a>`}</${Title}>
    <div class="filters"><${Filter} field=${{ name: "kind", label: "reports.kind", kind: "choice", texts: "report", choices: visibleKinds() }} value=${kind} />
      <${Filter} field=${{ name: "fleetId", label: "field.fleetId", kind: "thing", of: "fleet" }} value=${fleetId} /></div>
    ${loaded.error ? html`<${Trouble} error=${loaded.error} retry=${loaded.reload} />` : !loaded.value ? html`<${Loading} />`
      : list.length === 0 ? html`<div class="card"><${Empty} title=${t(kind || fleetId ? "empty.filtered" : "reports.empty")}>${!kind && !fleetId && mayMake && html`<p>${t("reports.emptyHelp")}</p><div class="actions">${visibleKinds().map(name => html`<a class="button" href=${"/reports/new?kind=" + name}>${t("report." + name)}</a>`)}</div>`}</${Empty}></div>`
      : html`<div class="card scroll"><table class="list"><thead><tr><th scope="col">${t("reports.kind")}</th><th scope="col">${t("reports.period")}</th><th scope="col" class="rest">${t("reports.groupBy")}</th><th scope="col" class="rest">${t("field.fleetId")}</th><th scope="col" class="rest">${t("reports.made")}</th></tr></thead>
        <tbody>${list.map((/** @type {any} */ report) => html`<tr key=${report.id}><td><a class="row-link" href=${to("reports", report.id)}>${t("report." + report.kind)}</a>${report.schedule && html` <${Status} shape="dot" tone="accent">${t("reports.repeated")}</${Status}>`}</td><td>${periodText(report)}</td>
          <td class="rest">${t("reportGroup." + report.groupBy)}</td><td class="rest">${report.fleetId ? nameOf("fleet", report.fleetId) : t("all")}</td><td class="rest">${nearText(report.createdAt)}</td></tr>`)}</tbody></table></div>`}</div>`;
}

/** The last whole month, as the first and the last day. */
function lastMonth() {
  const now = new Date();
  const day = (/** @type {number} */ month, /** @type {number} */ date) => new Date(Date.UTC(now.getFullYear(), month, date)).toISOString().slice(0, 10);
  return { from: day(now.getMonth() - 1, 1), to: day(now.getMonth(), 0) };
}

/** @param {{ place: import("../router.js").Place }} props */
function NewReport({ place }) {
  const wanted = place.query.get("kind");
  const period = lastMonth();
  return html`<div class="page narrow"><${Title} above=${html`<a href="/reports">${t("reports.title")}</a>`} title=${t("reports.add")} />
    <section class="card padded"><${Form} draft="reports new" action=${t("reports.make")} onCancel=${() => go("/reports")}
      given=${{ kind: wanted ?? "utilization", ...period, groupBy: wanted === "drivers" ? "driver" : "vehicle" }} fields=${[
        { name: "kind", label: "reports.kind", kind: "choice", texts: "report", choices: visibleKinds(), required: true },
        { name: "groupBy", label: "reports.groupBy", kind: "choice", texts: "reportGroup", choices: groups, required: true },
        { name: "from", label: "field.from", kind: "day", required: true },
        { name: "to", label: "field.to", kind: "day", required: true },
        { name: "fleetId", label: "field.fleetId", kind: "thing", of: "fleet", hint: "reports.fleetHint" },
      ]} onSave=${async (/** @type {Record<string, any>} */ values) => {
        const made = await post("/api/reports", Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)));
        go(to("reports", made.id), { replace: true });
      }} /></section></div>`;
}

/** @param {any} value */
function isMoney(value) { return Array.isArray(value) && value.every(one => one && typeof one === "object" && "currency" in one) || Boolean(value?.currency); }

/** @param {any} value @returns {any[]} */
function amounts(value) { return Array.isArray(value) ? value : value ? [value] : []; }

/**
 * The columns of a table, from the members of its rows.
 * @param {any[]} rows
 * @returns {{ key: string, title: string, of: (row: any) => any, isNumber: boolean }[]}
 */
function columnsOf(rows) {
  const order = ["state", "status", "vehicles", "usedDays", "trips", "distance", "distancePerTrip", "engineOnSeconds", "movingSeconds", "idleSeconds", "unknownSeconds", "idleShare", "fuelUsed", "drivingEvents", "score", "total", "perKilometer", "distanceBasis", "inspectionsDone", "byCategory", "note"];
  const keys = [...new Set(rows.flatMap(row => Object.keys(row)))].filter(key => key !== "group" && key !== "name")
    .sort((a, b) => ((order.indexOf(a) + 1) || 99) - ((order.indexOf(b) + 1) || 99));
  return keys.flatMap(key => {
    if (key === "byCategory") {
      return [...new Set(rows.flatMap(row => Object.keys(row.byCategory ?? {})))].map(name => ({
        key: "byCategory." + name, title: words("expense", name, "cost"), of: (/** @type {any} */ row) => row.byCategory?.[name], isNumber: true,
      }));
    }
    const isText = rows.some(row => typeof row[key] === "string") && !rows.some(row => isMoney(row[key]));
    return [{ key, title: words("figure", key), of: (/** @type {any} */ row) => row[key], isNumber: !isText }];
  });
}

/**
 * @param {string} group
 * @param {string} name
 * @param {string} [other]
 */
function words(group, name, other) {
  for (const key of [`${group}.${name}`, `${other}.${name}`]) {
    const text = t(key);
    if (text !== key) return text;
  }
  return name.replace(/([A-Z])/g, " $1").toLowerCase();
}

/**
 * @param {string} key
 * @param {any} value
 */
function figureText(key, value) {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return "–";
  if (isMoney(value)) return amounts(value).map(one => moneyText(one)).join(" + ");
  if (typeof value === "string") return /^\d{4}-\d\d-\d\d$/.test(value) ? dayText(value) : words("figureText", value);
  if (typeof value !== "number") return typeof value === "boolean" ? t(value ? "yes" : "no") : JSON.stringify(value);
  if (key.endsWith("Seconds")) return durationText(value);
  if (key.endsWith("Share") || key === "inspectionsDone") return `${number(value * 100, 1)}\u00a0%`;
  if (key.startsWith("distance")) return quantity(value, "km", 1);
  if (key === "fuelUsed") return quantity(value, "L", 1);
  return number(value, 1);
}

/**
 * The name of a row: a day, week or month, or a thing.
 * @param {string} grouping
 * @param {string} name
 */
function groupText(grouping, name) {
  if (!name) return t("reports.none");
  return grouping === "day" ? dayText(name) : name;
}

/** @param {{ id: string }} props */
function Report({ id }) {
  const loaded = useLoad(signal => request("GET", pathOf("/api/reports", id), { signal }), [id]);
  const above = html`<a href="/reports">${t("reports.title")}</a>`;
  if (!loaded.value) {
    return html`<div class="page"><${Title} above=${above} title="…" />${loaded.error ? html`<${Trouble} error=${loaded.error} retry=${loaded.reload} />` : html`<${Loading} />`}</div>`;
  }
  const { value: report, tag } = loaded.value;
  const rows = /** @type {any[]} */ (report.rows ?? []);
  const columns = columnsOf(rows);
  return html`<div class="page report"><${Title} above=${above} title=${t("report." + report.kind)}
      beside=${html`<b>${periodText(report)}</b> <span class="soft">${t("reportGroup." + report.groupBy)}${report.fleetId ? html` · <${FleetName} id=${report.fleetId} />` : ""}</span> <span class="soft small">${t("reports.madeAt", { time: timeText(report.createdAt) })}</span>`}>
      <button type="button" class="button" onClick=${() => print()}>${t("reports.print")}</button>
      ${formats.filter(format => tag || format === "csv").map(format => html`<a class="button" download href=${`${pathOf("/api/reports", id)}?format=${format}`} aria-label=${t("reports.as", { format: format.toUpperCase() })}>${format.toUpperCase()}</a>`)}</${Title}>
    ${report.missed && html`<p class="soft" role="status">${t("reports.missed", { count: number(report.missed) })}</p>`}
    ${report.pending?.journeys && html`<p class="soft" role="status">${t("reports.pendingJourneys", { count: number(report.pending.journeys) })}</p>`}
    ${report.pending && report.pending.days > 0 && html`<p class="soft" role="status">${t("reports.pending", { vehicles: number(report.pending.vehicles), days: number(report.pending.days) })}</p>`}
    ${rows.length === 0 ? html`<div class="card"><${Empty} title=${t("reports.noRows")}><p>${t("reports.noRowsHelp")}</p></${Empty}></div>` : html`<${Bars} report=${report} rows=${rows} />
      <section class="card scroll" tabindex="0" role="region" aria-label=${t("report." + report.kind)}><table><thead><tr><th scope="col">${t("reportGroup." + report.groupBy)}</th>${columns.map(column => html`<th scope="col" class=${column.isNumber ? "num" : ""} key=${column.key}>${column.title}</th>`)}</tr></thead>
        <tbody>${rows.map((row, index) => html`<tr key=${index}><th scope="row">${report.groupBy === "vehicle" && row.group ? html`<a href=${to("vehicles", row.group)}>${row.group}</a>` : groupText(report.groupBy, row.name ?? row.group)}</th>
          ${columns.map(column => html`<td class=${column.isNumber ? "num" : ""} key=${column.key}>${figureText(column.key, column.of(row))}</td>`)}</tr>`)}</tbody></table></section>`}
    ${report.formula && html`<p class="soft small">${t("reports.formula")} <span lang="en">${report.formula}</span></p>`}
    ${tag && html`<${Schedule} report=${report} tag=${tag} onChange=${loaded.set} />`}</div>`;
}

/** @param {{ id: string }} props */
function FleetName({ id }) {
  useNames();
  return html`${nameOf("fleet", id)}`;
}

/**
 * The main figure of each row. The table below has the same numbers.
 * @param {{ report: any, rows: any[] }} props
 */
function Bars({ report, rows }) {
  const key = kinds[report.kind] ?? "";
  const valueOf = (/** @type {any} */ row) => (isMoney(row[key]) ? Number(amounts(row[key])[0]?.amount ?? 0) : typeof row[key] === "number" ? row[key] : 0);
  const most = Math.max(...rows.map(valueOf));
  if (!key || !(most > 0)) return null;
  if (["day", "week", "month"].includes(report.groupBy) && rows.length > 1) {
    const width = 100 / rows.length;
    return html`<section class="card"><header><h2>${words("figure", key)}</h2></header><div class="columns" role="img" aria-label=${words("figure", key)}>
      <svg viewBox="0 0 100 40" preserveAspectRatio="none">${rows.map((row, index) => html`<rect class="bar" key=${index} x=${index * width + width * 0.12} width=${width * 0.76} y=${40 - valueOf(row) / most * 38} height=${valueOf(row) / most * 38}><title>${groupText(report.groupBy, row.name ?? row.group)}: ${figureText(key, row[key])}</title></rect>`)}</svg>
      <p class="soft small"><span>${groupText(report.groupBy, rows[0].name ?? rows[0].group)}</span><span>${t("reports.highest", { value: figureText(key, rows.find(row => valueOf(row) === most)[key]) })}</span><span>${groupText(report.groupBy, rows[rows.length - 1].name ?? rows[rows.length - 1].group)}</span></p></div></section>`;
  }
  const shown = [...rows].sort((a, b) => valueOf(b) - valueOf(a)).slice(0, 12);
  return html`<section class="card"><header><h2>${words("figure", key)}</h2></header><table class="bars"><tbody>${shown.map((row, index) => html`<tr key=${index}><th scope="row">${groupText(report.groupBy, row.name ?? row.group)}</th>
    <td class="fill"><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="bar" width=${Math.max(0.5, valueOf(row) / most * 100)} height="8" /></svg></td><td class="num">${figureText(key, row[key])}</td></tr>`)}</tbody></table></section>`;
}

const weekdays = ["1", "2", "3", "4", "5", "6", "0"];

/**
 * When a report is made again, in words.
 * @param {any} schedule
 */
function scheduleText(schedule) {
  const [minute, hour, day, , weekday] = schedule.cron.split(" ");
  const time = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  if (/^\d+$/.test(day)) return t("schedule.monthly", { day, time });
  if (/^\d$/.test(weekday)) return t("schedule.weekly", { day: t("weekday." + weekday), time });
  return day === "*" && weekday === "*" ? t("schedule.daily", { time }) : schedule.cron;
}

/** @param {{ report: any, tag: string, onChange: (answer: any) => void }} props */
function Schedule({ report, tag, onChange }) {
  useNames();
  const [isOpen, setOpen] = useState(false);
  const [dialog, ask] = useQuestion();
  const [every, setEvery] = useState("week");
  const [day, setDay] = useState("1");
  const people = useLoad(async () => (isOpen ? get("/api/people", { limit: 200, sort: "lastName" }) : null), [isOpen]);
  const history = useLoad(async signal => (report.schedule ? get("/api/reports", { schedule: report.id, limit: 20 }, signal) : null), [report.id, Boolean(report.schedule)]);
  if (!may("reports", "write") || !may("people")) return null;
  const { schedule } = report;
  const end = () => ask({
    title: t("reports.stop"), text: t("reports.stopQuestion"), action: t("reports.stop"), isBad: true,
    run: async () => onChange(await request("PATCH", pathOf("/api/reports", report.id), { body: { schedule: null }, headers: { "If-Match": tag } })),
  });
  const save = async (/** @type {Record<string, any>} */ values) => {
    const [hour, minute] = values.time.split(":").map(Number);
    const cron = [minute, hour, every === "month" ? day : "*", "*", every === "week" ? day : "*"].join(" ");
    const body = { schedule: { cron, recipients: values.recipients, format: values.format, period: every } };
    onChange(await request("PATCH", pathOf("/api/reports", report.id), { body, headers: { "If-Match": tag } }));
    setOpen(false);
    tell(t("saved"));
  };
  const choices = (people.value?.data ?? []).filter((/** @type {any} */ person) => person.isActive && person.email);
  return html`<section class="card no-print"><header><h2>${t("reports.schedule")}</h2>${schedule ? html`<button type="button" class="button danger-line" onClick=${end}>${t("reports.stop")}</button>`
      : html`<button type="button" class="button" aria-expanded=${isOpen ? "true" : "false"} onClick=${() => setOpen(!isOpen)}>${t("reports.repeat")}</button>`}</header>${dialog}
    ${schedule ? html`<dl class="facts"><div><dt>${t("reports.when")}</dt><dd>${scheduleText(schedule)}</dd></div><div><dt>${t("reports.next")}</dt><dd>${timeText(report.nextAt)}</dd></div>
        <div><dt>${t("reports.recipients")}</dt><dd>${schedule.recipients.map((/** @type {string} */ person) => nameOf("person", person)).join(", ")}</dd></div><div><dt>${t("reports.format")}</dt><dd>${(schedule.format ?? "pdf").toUpperCase()}</dd></div></dl>
        ${(history.value?.data ?? []).length > 0 && html`<ul class="links">${history.value.data.map((/** @type {any} */ one) => html`<li key=${one.id}><a href=${to("reports", one.id)}>${periodText(one)}</a><span class="soft small">${nearText(one.createdAt)}</span></li>`)}</ul>`}`
      : !isOpen ? html`<p class="quiet soft">${t("reports.scheduleHelp")}</p>`
      : !people.value ? html`<${Loading} />` : html`<div class="padded"><div class="chips" role="group" aria-label=${t("reports.when")}>${["day", "week", "month"].map(name => html`<button type="button" class="chip" aria-pressed=${every === name ? "true" : "false"} onClick=${() => { setEvery(name); setDay("1"); }}>${t("schedule." + name)}</button>`)}
          ${every === "week" && html`<label class="filter"><span class="hidden">${t("schedule.weekday")}</span><select onChange=${(/** @type {any} */ event) => setDay(event.target.value)}>${weekdays.map(number => html`<option value=${number} selected=${number === day}>${t("weekday." + number)}</option>`)}</select></label>`}
          ${every === "month" && html`<label class="filter"><span class="hidden">${t("schedule.dayOfMonth")}</span><select onChange=${(/** @type {any} */ event) => setDay(event.target.value)}>${Array.from({ length: 28 }, (_, index) => String(index + 1)).map(number => html`<option value=${number} selected=${number === day}>${number}.</option>`)}</select></label>`}</div>
        <${Form} draft=${"schedule " + report.id} action=${t("action.save")} onSave=${save} onCancel=${() => setOpen(false)} given=${{ time: "06:00", format: "pdf", recipients: [] }} fields=${[
          { name: "time", label: "schedule.time", kind: "clock", required: true },
          { name: "format", label: "reports.format", kind: "choice", texts: "reportFormat", choices: [...formats], required: true },
          { name: "recipients", label: "reports.recipients", kind: "choices", required: true, choices: choices.map((/** @type {any} */ person) => person.id), textOf: (/** @type {string} */ id) => { const person = choices.find((/** @type {any} */ one) => one.id === id); return `${person?.firstName} ${person?.lastName}`; } },
        ]} /></div>`}</section>`;
}
