/** The trips of a vehicle, and the map on which one of them is replayed. */
import { html, useEffect, useRef, useState } from "../../lib/preact.js";
import { get, pathOf } from "../../api.js";
import { clockText, durationText, nearText, quantity, startOfToday, timeText } from "../../format.js";
import { Icon, Status } from "../../parts/icons.js";
import { nameOf, useNames } from "../../parts/names.js";
import { loadTrack } from "../../parts/positions.js";
import { Loading, Trouble, useLoad } from "../../parts/ui.js";
import { setQuery, to } from "../../router.js";
import { may } from "../../state.js";
import { t } from "../../texts.js";

/** The most values of a trip that are read for its replay. */
const most = 1500;
/** How much faster than the trip its replay is. */
const paces = [10, 30, 60, 120];

/** @param {{ id: string, latest: any, place: import("../../router.js").Place }} props `latest`: the newest record of a trip. */
export function Trips({ id, latest, place }) {
  useNames();
  const loaded = useLoad(signal => get(pathOf("/api/vehicles", id, "trips"), { limit: 100 }, signal), [id, latest?.id]);
  const claims = useLoad(async signal => {
    if (!may("journeys")) return null;
    const from = new Date(Date.now() - 30 * 86_400_000), to = new Date(Date.now() + 60_000);
    return get(pathOf("/api/vehicles", id, "reconciliation"), { from: from.toISOString(), to: to.toISOString() }, signal).catch(() => null);
  }, [id, latest?.id]);
  const journeys = useLoad(async signal => (may("journeys") ? get("/api/journeys", { vehicle: id, sort: "-startTime", limit: 100 }, signal).catch(() => null) : null), [id]);
  const assignments = useLoad(async signal => (may("assignments") ? get("/api/assignments", { vehicle: id, status: "active,completed", sort: "-from", limit: 100 }, signal).catch(() => null) : null), [id]);
  /**
   * The driver to whom the vehicle was assigned when a trip began.
   * @param {any} trip
   * @returns {string | undefined}
   */
  const assigned = trip => {
    const time = Date.parse(trip.startTime ?? trip.timestamp);
    return (assignments.value?.data ?? []).find((/** @type {any} */ one) => Date.parse(one.from) <= time && (!one.to || time < Date.parse(one.to)))?.driverId;
  };
  /** @type {Map<string, any>} */
  const trips = new Map();
  // The newest record comes first. The record of a trip's end comes before that of its start, and contains all values.
  for (const record of loaded.value?.data ?? []) if (!trips.has(record.tripId)) trips.set(record.tripId, record);
  const list = [...trips.values()];
  const [count, setCount] = useState(8);
  const chosen = trips.get(place.query.get("trip") ?? "");
  /** @type {Map<string, string>} */
  const drivers = new Map((journeys.value?.data ?? []).map((/** @type {any} */ journey) => [journey.id, journey.driverId]));
  /** @type {Map<string, string | undefined>} */
  const claimed = new Map((claims.value?.matched ?? []).flatMap((/** @type {any} */ match) => match.trips.map((/** @type {any} */ trip) => [trip.id, drivers.get(match.journeyId)])));
  const free = new Set((claims.value?.unclaimedTrips ?? []).map((/** @type {any} */ trip) => trip.id));
  const hasDrivers = claimed.size + free.size > 0;
  return html`<section class="card clip trips"><header><h2>${t("vehicle.trips")}</h2>${may("journeys") === "all" && html`<a href=${to("vehicles", id, "reconciliation")}>${t("vehicle.reconciliation")}</a>`}${chosen && html`<button type="button" class="button" onClick=${() => setQuery({ trip: null })}>${t("vehicle.track")}</button>`}</header>
    <div class="split"><div>
      ${loaded.error ? html`<${Trouble} error=${loaded.error} retry=${loaded.reload} />` : !loaded.value ? html`<${Loading} />`
        : list.length === 0 ? html`<p class="quiet soft">${t("vehicle.noTrips")}</p>`
        : html`<div class="scroll" tabindex="0" role="region" aria-label=${t("vehicle.trips")}><table><thead><tr><th scope="col">${t("trip.start")}</th>${hasDrivers && html`<th scope="col">${t("field.driverId")}</th>`}<th scope="col" class="num">${t("trip.distance")}</th><th scope="col" class="num">${t("trip.time")}</th>
            <th scope="col" class="num">${t("trip.fuel")}</th></tr></thead>
          <tbody>${list.slice(0, count).map(trip => html`<tr key=${trip.tripId} class=${trip === chosen ? "chosen" : ""}><td><button type="button" class="plain link" aria-pressed=${trip === chosen ? "true" : "false"} onClick=${() => setQuery({ trip: trip === chosen ? null : trip.tripId })}>${nearText(trip.startTime ?? trip.timestamp)}</button></td>
            ${hasDrivers && html`<td>${claimed.get(trip.id) ?? assigned(trip) ? nameOf("driver", /** @type {string} */ (claimed.get(trip.id) ?? assigned(trip))) : free.has(trip.id) ? html`<span class="danger small">${t("trip.unclaimed")}</span>` : html`<span class="soft">–</span>`}</td>`}
            ${trip.event === "start" ? html`<td colspan="3"><${Status} shape="moving">${t("vehicle.underWay")}</${Status}></td>`
              : html`<td class="num">${quantity(trip.distance, "km", 1)}</td><td class="num">${trip.startTime && trip.endTime ? durationText((Date.parse(trip.endTime) - Date.parse(trip.startTime)) / 1000) : "–"}</td>
              <td class="num">${quantity(trip.fuelUsed ?? trip.fuelUsedEstimated, "L", 1)}</td>`}</tr>`)}</tbody></table></div>
          ${list.length > count && html`<p class="quiet"><button type="button" class="button" onClick=${() => setCount(count + 20)}>${t("vehicle.moreTrips")}</button></p>`}`}</div>
      ${chosen ? html`<${Replay} key=${chosen.tripId} id=${id} trip=${chosen} />` : html`<${Today} id=${id} />`}</div></section>`;
}

/**
 * A map that is made when its code is loaded.
 * @param {string} label
 * @returns {{ element: any, map: any }} `map`: `null` until then
 */
function useMap(label) {
  const element = useRef(/** @type {any} */ (null));
  const [map, setMap] = useState(/** @type {any} */ (null));
  useEffect(() => {
    let isWanted = true;
    /** @type {any} */
    let made = null;
    import("../../parts/map.js").then(({ FleetMap }) => {
      if (!isWanted) return;
      try {
        made = new FleetMap(element.current, { label });
      } catch { return; }
      setMap(made);
      if (may("geofences")) get("/api/geofences").then(fences => { if (isWanted) made.showFences(fences); }, () => {});
    }, () => {});
    return () => { isWanted = false; made?.remove(); };
  }, []);
  return { element, map };
}

/** @param {{ id: string }} props */
function Today({ id }) {
  const { element, map } = useMap(t("vehicle.track"));
  const track = useLoad(signal => loadTrack(id, startOfToday(), new Date(), signal), [id]);
  const points = track.value?.flat() ?? [];
  useEffect(() => {
    if (!map || points.length === 0) return;
    map.showTrack(track.value);
    const [longitude, latitude] = points[points.length - 1];
    map.show([{ id, name: "", state: "parked", heading: 0, longitude, latitude }], id);
    map.fit(points, { padding: 40 });
  }, [map, track.value]);
  return html`<div class="replay"><div class="canvas" ref=${element}></div>
    <p class="quiet soft small">${track.isLoading ? t("loading") : points.length === 0 ? t("vehicle.noTrack") : t("vehicle.trackHelp")}</p></div>`;
}

/** @param {{ id: string, trip: any }} props */
function Replay({ id, trip }) {
  const { element, map } = useMap(t("trip.replay"));
  const begin = Date.parse(trip.startTime ?? trip.timestamp), end = trip.endTime ? Date.parse(trip.endTime) : Date.now();
  const loaded = useLoad(async signal => {
    const every = Math.max(1, Math.ceil((end - begin) / 1000 / most));
    /** @type {any[]} */
    const found = [];
    /** @type {string | undefined} */
    let cursor;
    do {
      /** @type {any} */
      const page = await get(pathOf("/api/vehicles", id, "telemetry"), {
        from: new Date(begin).toISOString(), to: new Date(end + 1000).toISOString(), fields: "latitude,longitude,speed,gpsSpeed,heading,rpm", every, limit: 1000, cursor,
      }, signal);
      found.push(...page.data.filter((/** @type {any} */ record) => record.longitude !== undefined));
      cursor = page.next;
    } while (cursor);
    return found;
  }, [id, trip.tripId]);
  const [at, setAt] = useState(0);
  const [pace, setPace] = useState(30);
  const [isPlaying, setPlaying] = useState(false);
  const points = loaded.value ?? [];
  const times = points.map(record => Date.parse(record.timestamp));
  const present = points[at];
  useEffect(() => {
    if (!map || points.length === 0) return;
    const places = points.map(record => [record.longitude, record.latitude]);
    map.showTrack([places]);
    map.fit(places, { padding: 40, most: 16 });
  }, [map, loaded.value]);
  useEffect(() => {
    if (!map || !present) return;
    const speed = present.speed ?? present.gpsSpeed ?? 0;
    map.show([{ id, name: "", state: speed >= 3 ? "moving" : present.rpm > 0 ? "idle" : "parked", heading: present.heading ?? 0, longitude: present.longitude, latitude: present.latitude }], id);
  }, [map, present]);
  useEffect(() => {
    if (!isPlaying) return;
    const first = at >= points.length - 1 ? 0 : at;
    const started = performance.now();
    let frame = requestAnimationFrame(function step(now) {
      const moment = times[first] + (now - started) * pace;
      let next = first;
      while (next < times.length - 1 && times[next + 1] <= moment) next++;
      setAt(next);
      if (next >= times.length - 1) setPlaying(false);
      else frame = requestAnimationFrame(step);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying, pace]);
  const speedText = present ? quantity(present.speed ?? present.gpsSpeed, "km/h") : "";
  return html`<div class="replay"><div class="canvas" ref=${element}></div>
    ${loaded.error ? html`<${Trouble} error=${loaded.error} retry=${loaded.reload} />` : !loaded.value ? html`<${Loading} />` : points.length === 0 ? html`<p class="quiet soft">${t("trip.noPositions")}</p>`
      : html`<div class="player"><button type="button" class="button primary" onClick=${() => setPlaying(!isPlaying)}><${Icon} name=${isPlaying ? "pause" : "play"} size=${16} />${t(isPlaying ? "trip.pause" : "trip.play")}</button>
        <input type="range" min="0" max=${points.length - 1} value=${at} aria-label=${t("trip.position")} aria-valuetext=${`${timeText(times[at])}, ${speedText}`}
          onInput=${(/** @type {any} */ event) => { setPlaying(false); setAt(Number(event.target.value)); }} />
        <output><b>${clockText(times[at], true)}</b> ${speedText}</output>
        <label class="filter"><span class="hidden">${t("trip.pace")}</span><select onChange=${(/** @type {any} */ event) => setPace(Number(event.target.value))}>${paces.map(choice => html`<option value=${choice} selected=${choice === pace}>× ${choice}</option>`)}</select></label></div>`}</div>`;
}
