/** The journeys of a vehicle, compared with the trips that its gateway recorded. */
import "../texts/journeys.js";
import { html } from "../lib/preact.js";
import { all, get, pathOf } from "../api.js";
import { number, quantity, startOfDay, timeText, today } from "../format.js";
import { Icon } from "../parts/icons.js";
import { nameOf, useNames } from "../parts/names.js";
import { Figures, Loading, Title, Trouble, useLoad } from "../parts/ui.js";
import { setQuery, to } from "../router.js";
import { may } from "../state.js";
import { t } from "../texts.js";

/** The days that are compared at first. */
const usual = 30;

/**
 * A day, some days before another.
 * @param {string} day
 * @param {number} count
 */
function daysBefore(day, count) { return new Date(Date.parse(day) - count * 86_400_000).toISOString().slice(0, 10); }

/** @param {{ place: import("../router.js").Place }} props */
export default function Reconciliation({ place }) {
  useNames();
  const id = place.parts[1];
  const until = place.query.get("to") ?? today(), from = place.query.get("from") ?? daysBefore(until, usual);
  const isLong = Date.parse(until) - Date.parse(from) > 365 * 86_400_000;
  const loaded = useLoad(async signal => {
    if (isLong) return null;
    const [found, journeys] = await Promise.all([
      get(pathOf("/api/vehicles", id, "reconciliation"), { from: startOfDay(from).toISOString(), to: startOfDay(daysBefore(until, -1)).toISOString() }, signal),
      all("/api/journeys", { vehicleId: id, from: daysBefore(from, 31), to: until }),
    ]);
    return { found, journeys: new Map(journeys.map(journey => [journey.id, journey])) };
  }, [id, from, until]);
  const set = (/** @type {string} */ name) => (/** @type {any} */ event) => setQuery({ from, to: until, [name]: event.target.value });
  const { value } = loaded;
  return html`<div class="page"><${Title} above=${html`<a href="/vehicles">${t("vehicles.title")}</a> / <a href=${to("vehicles", id)}>${nameOf("vehicle", id)}</a>`} title=${t("match.title")}>
      <button type="button" class="button" onClick=${() => print()}>${t("action.print")}</button></${Title}>
    <p class="soft">${t("match.help")}</p>
    <div class="filters open"><label class="filter"><span class="soft">${t("filter.from")}</span><input type="date" value=${from} max=${until} onChange=${set("from")} /></label>
      <label class="filter"><span class="soft">${t("filter.to")}</span><input type="date" value=${until} min=${from} onChange=${set("to")} /></label></div>
    ${isLong ? html`<p class="card padded" role="alert">${t("match.long")}</p>` : loaded.error ? html`<${Trouble} error=${loaded.error} retry=${loaded.reload} />` : !value ? html`<${Loading} />`
      : html`<${Comparison} id=${id} found=${value.found} journeys=${value.journeys} />`}</div>`;
}

/** @param {{ id: string, found: any, journeys: Map<string, any> }} props */
function Comparison({ id, found, journeys }) {
  const figures = [
    { label: "match.matched", count: found.matched.length }, { label: "match.trips", count: found.unclaimedTrips.length, detail: found.unclaimedTrips.length > 0 ? quantity(found.unclaimedKilometers, "km", 1) : "" },
    { label: "match.journeys", count: found.journeysWithoutTrip.length }, { label: "match.gaps", count: found.odometerGaps.length }, { label: "match.overlaps", count: found.overlaps.length },
  ];
  const isGood = figures.slice(1).every(({ count }) => count === 0) && found.matched.length > 0;
  const driverOf = (/** @type {string} */ journey) => { const driver = journeys.get(journey)?.driverId; return driver ? nameOf("driver", driver) : "–"; };
  const link = (/** @type {string} */ journey) => html`<a href=${to("journeys", journey)}>${timeText(journeys.get(journey)?.startTime ?? found.matched.find((/** @type {any} */ match) => match.journeyId === journey)?.from)}</a>`;
  return html`<${Figures} label=${t("match.title")} list=${figures} />
    ${isGood && html`<p class="card padded">${t("match.good")}</p>`}
    <${Part} title="match.trips" list=${found.unclaimedTrips} heads=${["trip.start", "trip.end", "trip.distance", ""]} row=${(/** @type {any} */ trip) => html`<td class="whole">${timeText(trip.from)}</td><td class="whole rest">${timeText(trip.to)}</td><td class="num">${quantity(trip.distance, "km", 1)}</td>
      <td class="row-actions">${may("journeys", "write") && html`<a class="button" aria-label=${t("match.declareFor", { time: timeText(trip.from) })} href=${"/journeys/new?" + new URLSearchParams({ vehicleId: id, startTime: trip.from, endTime: trip.to })}><${Icon} name="plus" size=${14} />${t("match.declare")}</a>`}</td>`} />
    <${Part} title="match.journeys" list=${found.journeysWithoutTrip} heads=${["trip.start", "trip.end", "field.driverId"]} row=${(/** @type {any} */ journey) => html`<td class="whole"><a href=${to("journeys", journey.journeyId)}>${timeText(journey.from)}</a></td><td class="whole rest">${journey.to ? timeText(journey.to) : t("journeyStatus.inProgress")}</td><td>${driverOf(journey.journeyId)}</td>`} />
    <${Part} title="match.gaps" list=${found.odometerGaps} heads=${["trip.distance", "match.after", "match.before"]} row=${(/** @type {any} */ gap) => html`<td class="num">${quantity(gap.kilometers, "km", 1)}</td><td class="whole">${link(gap.after)}</td><td class="whole">${link(gap.before)}</td>`} />
    <${Part} title="match.overlaps" list=${found.overlaps} heads=${["match.first", "match.second"]} row=${(/** @type {string[]} */ pair) => pair.map(journey => html`<td>${link(journey)} <span class="soft">${driverOf(journey)}</span></td>`)} />
    <${Part} title="match.matched" list=${found.matched} heads=${["trip.start", "field.driverId", "match.count", "match.declared", "match.recorded"]} row=${(/** @type {any} */ match) => {
      const journey = journeys.get(match.journeyId);
      const declared = journey?.endOdometer !== undefined && journey?.startOdometer !== undefined ? journey.endOdometer - journey.startOdometer : undefined;
      return html`<td class="whole"><a href=${to("journeys", match.journeyId)}>${timeText(match.from)}</a></td><td>${driverOf(match.journeyId)}</td><td class="num">${number(match.trips.length)}</td>
        <td class="num">${quantity(declared, "km", 1)}</td><td class="num">${quantity(match.trips.reduce((/** @type {number} */ sum, /** @type {any} */ trip) => sum + (trip.distance ?? 0), 0), "km", 1)}</td>`;
    }} />`;
}

/** The headings of columns with numbers. */
const numeric = ["trip.distance", "match.count", "match.declared", "match.recorded"];

/**
 * A table with its title; nothing if it is empty.
 * @param {{ title: string, list: any[], heads: string[], row: (entry: any) => any }} props
 */
function Part({ title, list, heads, row }) {
  if (list.length === 0) return null;
  return html`<section class="card"><header><h2>${t(title)}</h2><span class="soft">${number(list.length)}</span></header>
    <div class="scroll" tabindex="0" role="region" aria-label=${t(title)}><table><thead><tr>${heads.map(head => html`<th scope="col" class=${numeric.includes(head) ? "num" : head === "trip.end" ? "rest" : ""}>${head ? t(head) : html`<span class="hidden">${t("action.edit")}</span>`}</th>`)}</tr></thead>
      <tbody>${list.map((entry, place) => html`<tr key=${place}>${row(entry)}</tr>`)}</tbody></table></div></section>`;
}
