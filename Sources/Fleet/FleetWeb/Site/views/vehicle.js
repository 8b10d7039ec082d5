/** One vehicle: what it does now, charts, trouble codes, trips, services, costs, and its history. */
import "../texts/dispatch.js";
import { html, useEffect, useState } from "../lib/preact.js";
import { get, pathOf } from "../api.js";
import { amount, dateText, dayText, durationText, moneyText, nearText, quantity, timeText, timeZone, unitName } from "../format.js";
import { listen } from "../live.js";
import { useChanges } from "../parts/changes.js";
import { Value } from "../parts/fields.js";
import { measured } from "../parts/measures.js";
import { Icon, Status } from "../parts/icons.js";
import { Photo } from "../parts/photos.js";
import { remember, serviceTypeName, vehicleName } from "../parts/names.js";
import { Commands, ThingCard } from "../parts/things.js";
import { stateOf } from "../parts/positions.js";
import { Loading, Title, Trouble, useLoad, useTick } from "../parts/ui.js";
import { to } from "../router.js";
import { may } from "../state.js";
import { t } from "../texts.js";
import { expenses, fuelEntries, vehicles } from "./kinds.js";
import { defects, documents, records } from "./work-kinds.js";
import { remaining } from "./work.js";
import { Codes, Readiness } from "./vehicle/codes.js";
import { Course } from "./vehicle/course.js";
import { Events, Gateway, History } from "./vehicle/history.js";
import { signalName } from "./vehicle/signals.js";
import { Trips } from "./vehicle/trips.js";
import { Costs, Economy, Services, economyText } from "./vehicle/upkeep.js";

/** @param {{ place: import("../router.js").Place }} props */
export default function VehiclePage({ place }) {
  // Nothing of one vehicle remains when another one is shown.
  return html`<${Vehicle} key=${place.parts[1]} id=${place.parts[1]} place=${place} />`;
}

/** @param {{ id: string, place: import("../router.js").Place }} props */
function Vehicle({ id, place }) {
  const loaded = useLoad(signal => get(pathOf("/api/vehicles", id, "latest"), {}, signal), [id]);
  const due = useLoad(async signal => (may("maintenance") ? get(pathOf("/api/vehicles", id, "due"), {}, signal) : { data: [] }), [id]);
  const economy = useLoad(async signal => (may("fuel") ? get(pathOf("/api/vehicles", id, "fuel-economy"), { from: new Date(Date.now() - 365 * 86_400_000).toISOString() }, signal) : null), [id]);
  const isOwn = (/** @type {import("../live.js").Change} */ change) => !change.vehicleId || change.vehicleId === id;
  useChanges(["vehicle"], loaded.refresh, change => change.id === id);
  useChanges(may("maintenance") ? ["serviceSchedule", "maintenanceRecord", "meterReading"] : [], due.refresh, isOwn);
  useChanges(may("fuel") ? ["fuelEntry"] : [], economy.refresh, isOwn);
  const [values, setValues] = useState(/** @type {any} */ ({}));
  useTick(10);
  useEffect(() => {
    if (!loaded.value) return;
    remember("vehicle", [loaded.value.vehicle]);
    const { telemetry = {} } = loaded.value;
    // A record may have arrived while the values were loaded.
    setValues((/** @type {any} */ old) => (old.timestamp > telemetry.timestamp ? old : telemetry));
    return listen("vehicle:" + id, {
      onRecord: record => {
        if (record.type === "telemetry") setValues((/** @type {any} */ old) => (old.timestamp > record.timestamp ? old : { ...old, ...record }));
        else if (record.type === "dtc" || record.type === "trip" || record.type === "monitors") loaded.reload();
      },
      onGap: loaded.reload,
    });
  }, [id, loaded.value]);
  const back = html`<a href="/vehicles">${t("vehicles.title")}</a>`;
  if (!loaded.value) {
    return html`<div class="page"><${Title} above=${back} title=${id} />${loaded.error ? html`<${Trouble} error=${loaded.error} retry=${loaded.reload} />` : html`<${Loading} />`}</div>`;
  }
  const { vehicle } = loaded.value;
  const hasEnded = loaded.value.trip?.event === "end" && !(values.timestamp > loaded.value.trip.timestamp);
  const state = stateOf({ ...values, hasEnded }, Date.now());
  const about = [vehicle.make, vehicle.model, vehicle.modelYear].filter(Boolean).join(" ");
  return html`<div class="page vehicle"><${Title} above=${html`${back} / ${vehicle.id}`} picture=${vehicle.photoId && html`<${Photo} id=${vehicle.photoId} alt=${t("vehicle.photoOf", { name: vehicleName(vehicle) })} look="vehicle-photo" />`} title=${html`${vehicleName(vehicle)}${about && html` <span class="soft">${about}</span>`}`}
      beside=${html`<${Status} shape=${state}>${t("state." + state)}</${Status}> ${vehicles.status?.(vehicle)} ${vehicle.licencePlate && html`<span class="plate">${vehicle.licencePlate}</span>`}
        <span class="soft small">${values.timestamp && t("vehicle.lastRecord", { time: nearText(values.timestamp) })}</span>`}>
      ${may("records") === "all" && values.longitude !== undefined && html`<a class="button" href=${`/live?vehicle=${encodeURIComponent(id)}&follow=1`}><${Icon} name="follow" size=${16} />${t("vehicle.follow")}</a>`}
      ${may("assignments", "write") && html`<a class="button" href=${"/assignments/new?vehicleId=" + encodeURIComponent(id)}>${t("vehicle.assign")}</a>`}
      ${may("vehicles", "write") && html`<a class="button" href=${to("vehicles", id, "edit")}>${t("action.edit")}</a>`}
      ${may("vehicles", "write") === "all" && html`<${Commands} kind=${vehicles} thing=${vehicle} tag=${null} onDone=${loaded.reload} />`}</${Title}>
    <${Summary} id=${id} vehicle=${vehicle} values=${values} due=${due.value} economy=${economy.value} />
    <${Now} values=${values} state=${state} />
    <div class="two"><${Course} id=${id} values=${values} place=${place} /><div class="column"><${Codes} list=${loaded.value.dtc ?? []} /><${Readiness} list=${loaded.value.monitors ?? []} /></div></div>
    <${Trips} id=${id} latest=${loaded.value.trip} place=${place} />
    <div class="halves">${may("maintenance") && html`<${Services} id=${id} due=${due} />`}<${Work} id=${id} /><${Costs} id=${id} /><${Economy} economy=${economy} />
      <${Events} id=${id} /><${Gateway} id=${id} latest=${loaded.value} /></div>
    <section class="card"><header><h2>${t("vehicle.data")}</h2></header><dl class="facts">${vehicles.fields.filter(field => !["name", "status", "lastRecordAt", "photoId"].includes(field.name))
      .filter(field => vehicle[field.name] !== undefined && vehicle[field.name] !== null)
      .map(field => html`<div class=${field.kind === "notes" ? "wide" : ""}><dt>${t(field.label)}</dt><dd><${Value} field=${field} value=${vehicle[field.name]} /></dd></div>`)}</dl></section>
    <${History} id=${id} /></div>`;
}

/**
 * The defects, work orders, documents, fills and expenses of a vehicle.
 * @param {{ id: string }} props
 */
function Work({ id }) {
  const query = { vehicleId: id };
  return html`<${ThingCard} kind=${defects} query=${query} detail=${(/** @type {any} */ defect) => [t("severity." + defect.severity), dateText(defect.createdAt)]} />
    <${ThingCard} kind=${records} query=${query} text=${(/** @type {any} */ record) => serviceTypeName(record.serviceType)} detail=${(/** @type {any} */ record) => [dayText(record.completedDate ?? record.scheduledDate), record.cost && moneyText(record.cost), record.vendorName]} />
    <${ThingCard} kind=${documents} query=${query} start=${{ "of.kind": "vehicle", "of.id": id }} detail=${(/** @type {any} */ document) => [document.title && t("document." + document.kind), document.number]} />
    <${ThingCard} kind=${fuelEntries} query=${query} detail=${(/** @type {any} */ entry) => [measured(entry, "quantity"), entry.cost && moneyText(entry.cost), entry.odometer !== undefined && quantity(entry.odometer, "km")]} />
    <${ThingCard} kind=${expenses} query=${query} detail=${(/** @type {any} */ expense) => [expense.amount && moneyText(expense.amount), dateText(expense.at), expense.vendorName]} />`;
}

/**
 * The figures that a dispatcher looks for first.
 * @param {{ id: string, vehicle: any, values: any, due: any, economy: any }} props
 */
function Summary({ id, vehicle, values, due, economy }) {
  const days = useLoad(signal => get(pathOf("/api/vehicles", id, "days"), {
    from: new Date(Date.now() - 86_400_000).toISOString().slice(0, 10), to: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10),
  }, signal), [id]);
  const zone = days.value?.timeZone ?? timeZone();
  // The parts of this locale are in the order of ISO 8601.
  const date = new Intl.DateTimeFormat("sv-SE", { timeZone: zone }).format(new Date());
  const today = days.value?.data.find((/** @type {any} */ day) => day.date === date);
  const odometer = vehicle.odometer ?? values.odometer;
  const averages = /** @type {[string, any][]} */ (Object.entries(economy?.average ?? {}));
  const next = due?.data[0];
  const voltage = values.batteryVoltage ?? values.controlModuleVoltage;
  const tiles = [
    odometer !== undefined && [t("vehicle.odometer"), quantity(odometer, "km"), vehicle.odometerEstimated ? t("tile.estimated") : vehicle.odometerAt ? t("tile.reading", { time: nearText(vehicle.odometerAt) }) : t("tile.fromEngine")],
    [t("tile.today"), today ? today.distance === undefined ? "–" : quantity(today.distance, "km", 1) : days.value ? quantity(0, "km") : "…", today?.movingSeconds !== undefined ? t("tile.todayDetail", { driving: durationText(today.movingSeconds), idle: durationText(today.idleSeconds) }) : ""],
    values.fuelLevel !== undefined && [t("signal.fuelLevel"), quantity(values.fuelLevel, "%"), vehicle.tankCapacity ? t("tile.fuelOf", { litres: quantity(vehicle.tankCapacity * values.fuelLevel / 100, "L"), tank: quantity(vehicle.tankCapacity, "L") }) : ""],
    averages.length > 0 && [t("tile.economy"), economyText(averages[0][1]), t("tile.average", { distance: quantity(averages[0][1].distance, "km") })],
    voltage !== undefined && [t("signal.batteryVoltage"), quantity(voltage, "V", 1), voltage >= 13 ? t("tile.charging") : voltage < 11.8 ? t("tile.low") : t("tile.resting")],
    may("maintenance") && due && [t("tile.nextService"), next ? serviceTypeName(next.serviceType) : "–", next ? remaining(next).join(" · ") : t("tile.none")],
  ].filter(Boolean);
  return html`<section class="tiles card" aria-label=${vehicleName(vehicle)}>${tiles.map(tile => html`<div class="tile" key=${/** @type {any} */ (tile)[0]}><small>${/** @type {any} */ (tile)[0]}</small><b>${/** @type {any} */ (tile)[1]}</b><span class="soft small">${/** @type {any} */ (tile)[2]}</span></div>`)}</section>`;
}

/** The signals that have a gauge, with the ends of its scale; values beyond `warn` are marked. */
const gauges = /** @type {{ name: string, unit: string, low: number, high: number, warn?: number }[]} */ ([
  { name: "speed", unit: "km/h", low: 0, high: 160 }, { name: "rpm", unit: "rpm", low: 0, high: 6000 }, { name: "engineLoad", unit: "%", low: 0, high: 100 },
  { name: "throttlePosition", unit: "%", low: 0, high: 100 }, { name: "coolantTemp", unit: "°C", low: 0, high: 130, warn: 112 }, { name: "fuelRate", unit: "L/h", low: 0, high: 30 },
]);

/** @param {{ values: any, state: string }} props */
function Now({ values, state }) {
  const shown = gauges.filter(({ name }) => values[name] !== undefined);
  if (shown.length === 0) return null;
  return html`<section class=${"card gauges" + (state === "silent" ? " old" : "")} aria-label=${t("vehicle.now")}>${shown.map(({ name, unit, low, high, warn }) => {
    const part = Math.min(1, Math.max(0, (values[name] - low) / (high - low)));
    const isHigh = warn !== undefined && values[name] > warn;
    return html`<div class=${"gauge tile" + (isHigh ? " high" : "")} key=${name}><svg viewBox="0 0 100 56" aria-hidden="true"><path class="track" d="M8 50A42 42 0 0 1 92 50" pathLength="100" /><path class="level" d="M8 50A42 42 0 0 1 92 50" pathLength="100" stroke-dasharray=${`${(part * 100).toFixed(1)} 200`} /></svg>
      <b>${amount(values[name], unit, unit === "L/h" ? 1 : 0)}</b><small>${signalName(name)}, ${unitName(unit)}</small></div>`;
  })}${state === "silent" && html`<p class="soft small">${t("vehicle.values", { time: timeText(values.timestamp) })}</p>`}</section>`;
}

