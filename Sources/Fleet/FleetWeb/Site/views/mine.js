/** The driver's start page: the assigned vehicle, the journey, and what can be entered. It works without a network. */
import "../texts/fuel.js";
import { presentTime } from "../clock.js";
import { html, useEffect, useRef, useState } from "../lib/preact.js";
import { RequestError, get, newId, pathOf } from "../api.js";
import { durationText, quantity, timeText } from "../format.js";
import { useChanges } from "../parts/changes.js";
import { DriverFigures } from "../parts/driver-figures.js";
import { Form } from "../parts/form.js";
import { Icon, Status } from "../parts/icons.js";
import { VehicleLabel, useNames } from "../parts/names.js";
import { Dialog, Empty, Loading, Title, Trouble, useTick } from "../parts/ui.js";
import { discard, retry, sent, submit, waiting } from "../queue.js";
import { to } from "../router.js";
import { currentSession, may, tell, useShared } from "../state.js";
import { t } from "../texts.js";
import { Severity } from "./work-kinds.js";
import { InspectionStatus, inspectionTitle, loadChecklists } from "./inspection-kind.js";
import { journeys, vehicles } from "./kinds.js";

/** @typedef {{ vehicle: any, current: any, next: any[], journey: any, inspection?: any, defects?: any[], figures?: any }} Day */

/** The driver's data that this browser has stored, for use without a network. */
function known() {
  try {
    return /** @type {Day | null} */ (JSON.parse(localStorage.getItem("day " + currentSession()?.person.id) ?? "null"));
  } catch {
    return null;
  }
}

/** @param {Day} day */
function keep(day) { localStorage.setItem("day " + currentSession()?.person.id, JSON.stringify(day)); }

/** The score, the journeys and the hours of the driver who is signed in; `null` if the account has no driver. */
async function ownFigures() {
  const person = currentSession()?.person.id;
  const driver = may("drivers") === "own" ? (await get("/api/drivers", { limit: 2 })).data.find((/** @type {any} */ one) => one.personId === person) : null;
  return driver ? get(pathOf("/api/drivers", driver.id, "figures")) : null;
}

/** @returns {Promise<Day>} */
async function load() {
  const [list, running] = await Promise.all([
    get("/api/assignments", { status: "active", sort: "-from", limit: 20 }),
    may("journeys") ? get("/api/journeys", { status: "inProgress,paused", limit: 1 }) : { data: [] },
  ]);
  const now = presentTime();
  const current = list.data.find((/** @type {any} */ entry) => entry.from <= now && (!entry.to || entry.to > now)) ?? null;
  const of = current && { vehicle: current.vehicleId };
  const none = { data: [] };
  const [vehicle, reports, defects, figures] = await Promise.all([
    current && get(pathOf("/api/vehicles", current.vehicleId)),
    current && may("inspections") ? get("/api/inspections", { ...of, status: "signed,certified,reviewed", sort: "-at", limit: 1 }) : none,
    current && may("defects") ? get("/api/defects", { ...of, status: "open,acknowledged", limit: 5 }) : none,
    ownFigures().catch(() => null),
    // The checklists are then known without a network.
    may("inspections", "write") ? loadChecklists().catch(() => null) : null,
  ]);
  return { current, vehicle, figures, inspection: reports.data[0] ?? null, defects: defects.data, journey: running.data[0] ?? null, next: list.data.filter((/** @type {any} */ entry) => entry !== current && entry.from > now) };
}

export default function Mine() {
  useShared();
  useNames();
  useTick(30);
  const [day, setDay] = useState(known);
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const [command, setCommand] = useState(/** @type {string | null} */ (null));
  const set = (/** @type {Day} */ value) => { keep(value); setDay(value); };
  // The number of the newest load or action. The answers of earlier loads are no longer used.
  const turn = useRef(0);
  const read = async () => {
    const number = ++turn.current;
    // Entries that wait in this browser are newer than the server's data.
    const isBehind = () => waiting().some(entry => !entry.reason);
    if (isBehind()) return;
    const next = await load();
    if (number === turn.current && !isBehind()) set(next);
  };
  const reload = async () => {
    try {
      await read();
      setError(null);
    } catch (failure) { setError(/** @type {Error} */ (failure)); }
  };
  useChanges(["assignment", "vehicle", "journey", "inspection", "defect", "checklist"], read);
  useEffect(() => {
    reload();
    sent.addEventListener("sent", reload);
    return () => sent.removeEventListener("sent", reload);
  }, []);

  const act = async (/** @type {string} */ name, /** @type {Record<string, any>} */ values = {}) => {
    if (!day) return;
    turn.current += 1;
    const at = presentTime();
    const given = Object.fromEntries(Object.entries({ odometer: values.odometer, notes: values.notes }).filter(([, value]) => value !== null && value !== undefined));
    let journey = day.journey;
    if (name === "start") {
      journey = { id: newId(), vehicleId: day.vehicle.id, purpose: values.purpose, startTime: at };
      await submit({
        method: "PUT", path: pathOf("/api/journeys", journey.id), headers: { "If-None-Match": "*" }, label: t("journey.start"),
        body: { vehicleId: day.vehicle.id, purpose: values.purpose, plannedFrom: at },
      });
    }
    // The command has an id and a time, so it may be sent later, or twice.
    await submit({ method: "POST", path: pathOf("/api/journeys", journey.id, name), body: { id: newId(), at, ...given }, label: t("journey." + name) });
    const status = { start: "inProgress", resume: "inProgress", pause: "paused" }[name];
    set({ ...day, journey: name === "incident" ? journey : status ? { ...journey, status } : null });
    turn.current += 1;
    setCommand(null);
    if (name === "incident") tell(t("saved"));
    await reload();
  };

  const isOwn = Boolean(day?.vehicle);
  const list = waiting();
  const failure = error instanceof RequestError && error.isOffline && day ? null : error;
  return html`<div class="page phone"><${Title} title=${t("mine.title")} />
    ${failure && html`<${Trouble} error=${failure} retry=${reload} />`}
    ${!day && !error && html`<${Loading} />`}
    ${day && !isOwn && html`<div class="card"><${Empty} title=${t("mine.none")}><p>${t("mine.noneHelp")}</p></${Empty}></div>`}
    ${day && isOwn && html`<section class="card mine"><div class="padded"><div class="head"><h2>${day.vehicle.name || day.vehicle.id}</h2>${vehicles.status?.(day.vehicle)}</div>
        <p class="soft">${[day.vehicle.name && day.vehicle.id, [day.vehicle.make, day.vehicle.model].filter(Boolean).join(" ")].filter(Boolean).join(" · ")}</p>
        ${day.vehicle.licencePlate && html`<p><span class="plate large">${day.vehicle.licencePlate}</span></p>`}
        ${day.vehicle.odometer !== undefined && day.vehicle.odometer !== null && html`<p>${t("vehicle.odometer")} <b>${quantity(day.vehicle.odometer, "km")}</b></p>`}
        <p class="soft small">${t("mine.since", { time: timeText(day.current.from) })}</p></div></section>
      ${may("journeys", "write") && html`<section class="card journey"><header><h2>${t("journey.title")}</h2>${day.journey && html`<${Status} shape=${day.journey.status === "paused" ? "idle" : "moving"}>${t("journeyStatus." + day.journey.status)}${day.journey.startTime ? ` · ${durationText((Date.now() - Date.parse(day.journey.startTime)) / 1000)}` : ""}</${Status}>`}</header>
        <div class="padded stack">${!day.journey ? html`<button type="button" class="button primary large" onClick=${() => setCommand("start")}>${t("journey.start")}</button>`
          : html`<button type="button" class="button primary large" onClick=${() => setCommand("complete")}>${t("journey.complete")}</button>
            <div class="pair"><button type="button" class="button large" onClick=${() => act(day.journey.status === "paused" ? "resume" : "pause")}>${t(day.journey.status === "paused" ? "journey.resume" : "journey.pause")}</button>
            <button type="button" class="button large" onClick=${() => setCommand("incident")}>${t("journey.incident")}</button></div>`}</div></section>`}`}
    ${command && html`<${Dialog} title=${t("journey." + command)} onClose=${() => setCommand(null)}><${Form} draft=${"journey " + command} action=${t("journey." + command)} isLarge=${true}
      given=${{ odometer: command === "incident" ? undefined : day?.vehicle?.odometer, purpose: "business" }} onCancel=${() => setCommand(null)} onSave=${(/** @type {any} */ values) => act(command, values)}
      fields=${[
        ...(command === "start" ? [journeys.fields.find(field => field.name === "purpose")] : []),
        ...(command === "incident" ? [] : [{ name: "odometer", label: "vehicle.odometer", kind: "number", unit: "km", isMeasured: true, digits: 0 }]),
        { name: "notes", label: "field.notes", kind: "notes", required: command === "incident" },
      ]} /></${Dialog}>`}
    ${day && isOwn && may("inspections", "write") && html`<section class="card"><header><h2>${t("mine.check")}</h2></header><div class="padded stack"><div class="pair">
        ${["preTrip", "postTrip"].map(kind => html`<a class="button large" href=${`/inspections/new?${new URLSearchParams({ vehicleId: day.vehicle.id, kind })}`}>${t("inspectionKind." + kind)}</a>`)}</div>
        ${may("defects", "report") && html`<a class="button large" href=${"/defects/new?vehicleId=" + encodeURIComponent(day.vehicle.id)}><${Icon} name="warning" />${t("mine.reportDefect")}</a>`}</div>
      ${(day.inspection || (day.defects?.length ?? 0) > 0) && html`<ul class="links">${day.inspection && html`<li><a href=${to("inspections", day.inspection.id)}>${inspectionTitle(day.inspection)}</a><${InspectionStatus} inspection=${day.inspection} /></li>`}
        ${day.defects?.map(defect => html`<li><a href=${to("defects", defect.id)}>${defect.text}</a><${Severity} severity=${defect.severity} /></li>`)}</ul>`}</section>`}
    <div class="stack">${may("fuel", "write") && html`<a class="button large" href=${"/fuel-entries/new" + (isOwn ? "?vehicleId=" + encodeURIComponent(day?.vehicle.id) : "")}><${Icon} name="fuel" />${t("mine.addFuel")}</a>`}
      ${may("expenses", "write") && html`<a class="button large" href=${"/expenses/new" + (isOwn ? "?vehicleId=" + encodeURIComponent(day?.vehicle.id) : "")}><${Icon} name="money" />${t("mine.addExpense")}</a>`}</div>
    ${day?.figures && html`<${DriverFigures} figures=${day.figures} title=${t("ownFigures.title")} />`}
    ${list.length > 0 && html`<section class="card"><header><h2>${t("mine.waiting")}</h2></header><ul class="links">${list.map(entry => html`<li key=${entry.number}><span><b>${entry.label}</b> <span class="soft small">${timeText(entry.at)}</span>
        ${entry.reason && html`<span class="fault">${entry.reason}</span>`}</span>
        ${entry.reason ? html`<span class="actions"><button type="button" class="button" onClick=${() => retry(entry)}>${t("action.retry")}</button><button type="button" class="button" onClick=${() => discard(entry)}>${t("action.remove")}</button></span>` : html`<${Status} shape="silent">${t("net.waits")}</${Status}>`}</li>`)}</ul></section>`}
    ${day && day.next.length > 0 && html`<section class="card"><header><h2>${t("mine.assignments")}</h2></header><ul class="links">${day.next.map(entry => html`<li><a href=${to("assignments", entry.id)}><${VehicleLabel} id=${entry.vehicleId} /></a> <${Status} shape="parked">${timeText(entry.from)}</${Status}></li>`)}</ul></section>`}</div>`;
}
