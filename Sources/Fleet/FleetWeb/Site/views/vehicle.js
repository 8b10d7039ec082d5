/** One vehicle: its present state, charts of its values, its trips, trouble codes and details. */
import { html, useEffect, useRef, useState } from "../lib/preact.js";
import { get, pathOf, request } from "../api.js";
import { durationText, nearText, quantity, startOfToday } from "../format.js";
import { listen } from "../live.js";
import { Value } from "../parts/fields.js";
import { Shape, Status } from "../parts/icons.js";
import { remember, vehicleName } from "../parts/names.js";
import { loadTrack, stateOf } from "../parts/positions.js";
import { Empty, Loading, Title, Trouble, useLoad, useTick } from "../parts/ui.js";
import { setQuery, to } from "../router.js";
import { may } from "../state.js";
import { t } from "../texts.js";
import { vehicles } from "./kinds.js";

/** The signals that are shown as numbers and charts: name, unit, and digits after the point. */
export const signals = /** @type {const} */ ([
  ["speed", "km/h", 0], ["rpm", "rpm", 0], ["fuelLevel", "%", 0], ["coolantTemp", "°C", 0], ["engineLoad", "%", 0],
  ["throttlePosition", "%", 0], ["intakeAirTemp", "°C", 0], ["batteryVoltage", "V", 1], ["fuelRate", "L/h", 1], ["odometer", "km", 0],
]);

/** @param {{ place: import("../router.js").Place }} props */
export default function Vehicle({ place }) {
  const id = place.parts[1];
  const loaded = useLoad(signal => get(pathOf("/api/vehicles", id, "latest"), {}, signal), [id]);
  const [values, setValues] = useState(/** @type {any} */ ({}));
  useTick(10);
  useEffect(() => {
    if (!loaded.value) return;
    remember("vehicle", [loaded.value.vehicle]);
    setValues(loaded.value.telemetry ?? {});
    return listen("vehicle:" + id, {
      onRecord: record => {
        if (record.type === "telemetry") setValues((/** @type {any} */ old) => (old.timestamp > record.timestamp ? old : { ...old, ...record }));
        else if (record.type === "dtc" || record.type === "trip") loaded.reload();
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
  return html`<div class="page"><${Title} above=${html`${back} / ${vehicle.id}`} title=${html`${vehicleName(vehicle)}${about && html` <span class="soft">${about}</span>`}`}
      beside=${html`<${Status} shape=${state}>${t("state." + state)}</${Status}> ${vehicles.status?.(vehicle)} ${vehicle.licencePlate && html`<span class="plate">${vehicle.licencePlate}</span>`}
        <span class="soft small">${values.timestamp && t("vehicle.lastRecord", { time: nearText(values.timestamp) })}</span>`}>
      ${may("assignments", "write") && html`<a class="button" href=${"/assignments/new?vehicleId=" + encodeURIComponent(id)}>${t("vehicle.assign")}</a>`}
      ${may("vehicles", "write") && html`<a class="button" href=${to("vehicles", id, "edit")}>${t("action.edit")}</a>`}</${Title}>
    <${Now} values=${values} />
    <div class="two"><${Course} id=${id} values=${values} place=${place} /><${Codes} list=${loaded.value.dtc ?? []} /></div>
    <div class="two"><${Trips} id=${id} key=${"trips" + (loaded.value.trip?.id ?? "")} /><${Track} id=${id} /></div>
    <section class="card"><header><h2>${t("vehicle.data")}</h2></header><dl class="facts">${vehicles.fields.filter(field => !["name", "status", "lastRecordAt"].includes(field.name))
      .filter(field => vehicle[field.name] !== undefined && vehicle[field.name] !== null)
      .map(field => html`<div class=${field.kind === "notes" ? "wide" : ""}><dt>${t(field.label)}</dt><dd><${Value} field=${field} value=${vehicle[field.name]} /></dd></div>`)}</dl></section></div>`;
}

/** @param {{ values: any }} props */
export function Now({ values }) {
  const shown = signals.filter(([name]) => values[name] !== undefined).slice(0, 6);
  if (shown.length === 0) return null;
  return html`<section class="tiles card" aria-label=${t("vehicle.now")}>${shown.map(([name, unit, digits]) => html`<div class="tile" key=${name}><small>${t("signal." + name)}</small>
    <b>${quantity(values[name], unit, digits)}</b></div>`)}</section>`;
}

/** @param {{ id: string, values: any, place: import("../router.js").Place }} props */
function Course({ id, values, place }) {
  const [Chart, setChart] = useState(/** @type {any} */ (null));
  useEffect(() => {
    // Load the style sheet and the code that only this page needs.
    import("../parts/chart.js").then(module => setChart(() => module.default));
  }, []);
  const known = signals.filter(([name]) => values[name] !== undefined);
  const choices = known.length > 0 ? known : signals.slice(0, 1);
  const [name, unit, digits] = choices.find(([name]) => name === place.query.get("signal")) ?? choices[0];
  const hours = Number(place.query.get("hours")) || 1;
  const [zoom, setZoom] = useState(/** @type {[number, number] | null} */ (null));
  const [to, setTo] = useState(() => Date.now() / 1000);
  useEffect(() => { setZoom(null); setTo(Date.now() / 1000); }, [hours, name]);
  const period = zoom ?? [to - hours * 3600, to];
  const loaded = useLoad(async signal => {
    const every = Math.max(1, Math.round((period[1] - period[0]) / 800));
    /** @type {number[]} */
    const times = [];
    /** @type {(number | null)[]} */
    const found = [];
    /** @type {string | undefined} */
    let cursor;
    do {
      /** @type {any} */
      const page = await get(pathOf("/api/vehicles", id, "telemetry"), {
        from: new Date(period[0] * 1000).toISOString(), to: new Date(period[1] * 1000).toISOString(), fields: name, every, limit: 1000, cursor,
      }, signal);
      for (const record of page.data) {
        if (typeof record[name] !== "number") continue;
        const time = Date.parse(record.timestamp) / 1000;
        // A pause without values is a gap in the chart's line.
        const last = times[times.length - 1];
        if (last !== undefined && time - last > Math.max(120, 4 * every)) {
          times.push(last + 1);
          found.push(null);
        }
        times.push(time);
        found.push(record[name]);
      }
      cursor = page.next;
    } while (cursor);
    return { times, values: found };
  }, [id, name, period[0], period[1]]);
  return html`<section class="card"><header><h2>${t("vehicle.chart")}</h2><div class="end controls">
      <label><span class="hidden">${t("vehicle.signal")}</span><select onChange=${(/** @type {any} */ event) => setQuery({ signal: event.target.value })}>${choices.map(([choice]) => html`<option value=${choice} selected=${choice === name}>${t("signal." + choice)}</option>`)}</select></label>
      <label><span class="hidden">${t("vehicle.period")}</span><select onChange=${(/** @type {any} */ event) => setQuery({ hours: event.target.value })}>${[1, 6, 24, 168].map(count => html`<option value=${count} selected=${count === hours}>${t("period." + count)}</option>`)}</select></label>
      ${zoom && html`<button type="button" class="button" onClick=${() => setZoom(null)}>${t("action.undo")}</button>`}</div></header>
    ${loaded.error && !(loaded.error instanceof Error && /** @type {any} */ (loaded.error).status === 400) ? html`<${Trouble} error=${loaded.error} retry=${loaded.reload} />`
      : !loaded.value && !loaded.error || !Chart ? html`<${Loading} />`
      : !loaded.value || loaded.value.times.length === 0 ? html`<${Empty} title=${t("vehicle.noData")} />`
      : html`<${Chart} times=${loaded.value.times} values=${loaded.value.values} label=${t("signal." + name)} unit=${unit} digits=${digits} from=${period[0]} to=${period[1]}
          onZoom=${(/** @type {number} */ from, /** @type {number} */ until) => setZoom([from, until])} />`}</section>`;
}

/** @param {{ list: any[] }} props */
export function Codes({ list }) {
  const [words, setWords] = useState(/** @type {Record<string, string>} */ ({}));
  const codes = list.flatMap(record => [
    ...(record.permanent ?? []).filter((/** @type {string} */ code) => !(record.dtcCodes ?? []).includes(code)).map((/** @type {string} */ code) => ({ code, kind: "permanent", record })),
    ...(record.dtcCodes ?? []).map((/** @type {string} */ code) => ({ code, kind: "stored", record })),
    ...(record.pending ?? []).filter((/** @type {string} */ code) => !(record.dtcCodes ?? []).includes(code)).map((/** @type {string} */ code) => ({ code, kind: "pending", record })),
  ]);
  useEffect(() => {
    if (codes.length === 0) return;
    fetch(new URL("../lib/trouble-codes.json", import.meta.url)).then(answer => answer.json()).then(setWords, () => {});
  }, [codes.length > 0]);
  const isOn = list.some(record => record.mil);
  return html`<section class="card"><header><h2>${t("vehicle.codes")}</h2>${isOn && html`<${Status} shape="danger">${t("vehicle.lampOn")}</${Status}>`}</header>
    ${codes.length === 0 ? html`<p class="quiet"><span class="moving"><${Shape} shape="good" /></span> ${t("vehicle.noCodes")}</p>` : html`<ul class="codes">${codes.map(({ code, kind, record }) => html`<li key=${code + record.ecu}>
      <span class=${"code" + (kind === "pending" ? " pending" : "")}>${code}</span><div><b>${words[code] ?? ""}</b>
      <span class="soft small">${t("vehicle." + kind)} · ${record.ecu} · ${nearText(record.timestamp)}</span>
      ${record.freezeFrame?.dtc === code && html`<span class="soft small">${t("vehicle.frozen")} ${frozen(record.freezeFrame)}</span>`}</div></li>`)}</ul>`}</section>`;
}

/**
 * The values of a freeze frame in one line.
 * @param {any} frame
 */
function frozen(frame) {
  const values = frame.readings ?? frame;
  return signals.filter(([name]) => typeof values[name] === "number").map(([name, unit, digits]) => quantity(values[name], unit, digits)).join(", ");
}

/** @param {{ id: string }} props */
function Trips({ id }) {
  const loaded = useLoad(signal => get(pathOf("/api/vehicles", id, "trips"), { limit: 40 }, signal), [id]);
  /** @type {Map<string, any>} */
  const trips = new Map();
  // The newest record comes first. The record of a trip's end comes before that of its start, and contains all values.
  for (const record of loaded.value?.data ?? []) if (!trips.has(record.tripId)) trips.set(record.tripId, record);
  const list = [...trips.values()].slice(0, 12);
  return html`<section class="card"><header><h2>${t("vehicle.trips")}</h2></header>
    ${loaded.error ? html`<${Trouble} error=${loaded.error} retry=${loaded.reload} />` : !loaded.value ? html`<${Loading} />`
      : list.length === 0 ? html`<p class="quiet soft">${t("vehicle.noTrips")}</p>`
      : html`<div class="scroll"><table><thead><tr><th scope="col">${t("trip.start")}</th><th scope="col" class="num">${t("trip.distance")}</th><th scope="col" class="num">${t("trip.time")}</th>
          <th scope="col" class="num">${t("trip.fuel")}</th><th scope="col" class="num rest">${t("trip.maxSpeed")}</th></tr></thead>
        <tbody>${list.map(trip => html`<tr key=${trip.tripId}><td>${nearText(trip.startTime ?? trip.timestamp)}</td>
          ${trip.event === "start" ? html`<td colspan="4"><${Status} shape="moving">${t("vehicle.underWay")}</${Status}></td>`
            : html`<td class="num">${quantity(trip.distance, "km", 1)}</td><td class="num">${trip.startTime && trip.endTime ? durationText((Date.parse(trip.endTime) - Date.parse(trip.startTime)) / 1000) : "–"}</td>
            <td class="num">${quantity(trip.fuelUsed ?? trip.fuelUsedEstimated, "L", 1)}</td><td class="num rest">${quantity(trip.maxSpeed, "km/h")}</td>`}</tr>`)}</tbody></table></div>`}</section>`;
}

/** @param {{ id: string }} props */
function Track({ id }) {
  const element = useRef(/** @type {any} */ (null));
  const [isEmpty, setEmpty] = useState(false);
  useEffect(() => {
    const abort = new AbortController();
    /** @type {any} */
    let map = null;
    Promise.all([import("../parts/map.js"), loadTrack(id, startOfToday(), new Date(), abort.signal)]).then(([{ FleetMap }, track]) => {
      if (abort.signal.aborted) return;
      const points = track.flat();
      if (points.length === 0) { setEmpty(true); return; }
      map = new FleetMap(element.current, { label: t("vehicle.track") });
      map.showTrack(track);
      const [longitude, latitude] = points[points.length - 1];
      map.show([{ id, name: "", state: "parked", heading: 0, longitude, latitude }], id);
      map.fit(points, { padding: 40 });
      if (may("geofences")) request("GET", "/api/geofences").then(({ value }) => map?.showFences(value), () => {});
    }, () => setEmpty(true));
    return () => { abort.abort(); map?.remove(); };
  }, [id]);
  return html`<section class="card clip"><header><h2>${t("vehicle.track")}</h2></header>${isEmpty ? html`<p class="quiet soft">${t("vehicle.noTrack")}</p>` : html`<div class="canvas small-map" ref=${element}></div>`}</section>`;
}
