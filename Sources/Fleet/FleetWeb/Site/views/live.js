/** The live map of all vehicles, with a list of the same vehicles. */
import { html, useEffect, useMemo, useRef, useState } from "../lib/preact.js";
import { get, pathOf } from "../api.js";
import { durationText, nearText, quantity, startOfToday } from "../format.js";
import { listen, live, liveState } from "../live.js";
import { Icon, Status } from "../parts/icons.js";
import { nameOf, useNames } from "../parts/names.js";
import { apply, loadPositions, loadTrack, stateOf } from "../parts/positions.js";
import { Empty, Loading, Trouble, useLoad, useTick } from "../parts/ui.js";
import { setQuery, to } from "../router.js";
import { may } from "../state.js";
import { t } from "../texts.js";

/** @typedef {import("../parts/positions.js").Position} Position */

const order = /** @type {const} */ (["moving", "idle", "parked", "silent"]);

/**
 * The state in words, with speed or duration.
 * @param {{ position: Position }} props
 */
export function StateText({ position }) {
  const { state } = position;
  const more = state === "moving" ? quantity(position.speed, "km/h")
    : position.time ? (state === "silent" ? "" : durationText((Date.now() - Math.min(Date.parse(position.time), position.since)) / 1000)) : "";
  return html`<${Status} shape=${state}>${t("state." + state)}${more && ` · ${more}`}</${Status}>`;
}

/** @param {{ place: import("../router.js").Place }} props */
export default function Live({ place }) {
  const loaded = useLoad(loadPositions, []);
  const positions = useRef(/** @type {Map<string, Position>} */ (new Map()));
  const [version, setVersion] = useState(0);
  const element = useRef(/** @type {any} */ (null));
  const map = useRef(/** @type {any} */ (null));
  const [hasMap, setHasMap] = useState(true);
  const [isFollowing, setFollowing] = useState(() => place.query.get("follow") === "1");
  const selected = place.query.get("vehicle");
  const wanted = place.query.get("state");
  const track = useRef(/** @type {{ id: string | null, lines: number[][][] }} */ ({ id: null, lines: [] }));

  const choose = (/** @type {string | null} */ id) => {
    setFollowing(false);
    setQuery({ vehicle: id, follow: null });
  };

  // The map's code is large. Show the list before it is loaded.
  useEffect(() => {
    let isWanted = true;
    import("../parts/map.js").then(({ FleetMap }) => {
      if (!isWanted) return;
      try {
        map.current = new FleetMap(element.current, { onSelect: choose, onMove: () => setFollowing(false) });
      } catch { setHasMap(false); return; }
      setVersion((/** @type {number} */ count) => count + 1);
      if (may("geofences")) get("/api/geofences").then(fences => map.current?.showFences(fences), () => {});
    }, () => setHasMap(false));
    return () => { isWanted = false; map.current?.remove(); map.current = null; };
  }, []);

  // Records arrive one by one. Draw all records of a short time together.
  useEffect(() => {
    if (!loaded.value) return;
    positions.current = loaded.value;
    let isWaiting = false;
    const draw = () => {
      if (isWaiting) return;
      isWaiting = true;
      // The map of thousands of vehicles takes longer to draw. Leave most of the time to the person.
      const pause = Math.max(150 + positions.current.size / 10, 8 * drawing.current);
      setTimeout(() => requestAnimationFrame(() => { isWaiting = false; setVersion((/** @type {number} */ count) => count + 1); }), pause);
    };
    draw();
    const stop = listen("fleet", {
      onRecord: record => {
        if (!apply(positions.current, record)) return;
        if (record.vehicleId === track.current.id && record.longitude !== undefined) {
          const line = track.current.lines.at(-1);
          if (line) line.push([record.longitude, record.latitude]);
        }
        draw();
      },
      onGap: loaded.reload,
    });
    return stop;
  }, [loaded.value]);

  // The state of a vehicle that has stopped sending changes without a record.
  useEffect(() => {
    const timer = setInterval(() => {
      for (const [id, position] of positions.current) {
        // Until a record arrives, the server knows more of the vehicle than this page.
        const state = position.isKnown ? stateOf(position.telemetry, Date.now()) : position.state;
        if (state !== position.state) positions.current.set(id, { ...position, state, since: Date.now() });
      }
      setVersion((/** @type {number} */ count) => count + 1);
    }, 10_000);
    return () => clearInterval(timer);
  }, []);

  const all = useMemo(() => [...positions.current.values()], [version]);
  const chosen = selected ? positions.current.get(selected) : undefined;

  const drawing = useRef(0);
  useEffect(() => {
    const begun = performance.now();
    map.current?.show(all, selected);
    drawing.current = performance.now() - begun;
    if (track.current.id) map.current?.showTrack(track.current.lines);
    if (isFollowing && chosen && chosen.longitude !== null) map.current?.center([chosen.longitude, chosen.latitude]);
  }, [version, selected]);

  const isFitted = useRef(false);
  const fit = (animates = true) => map.current?.fit(all.filter(position => position.longitude !== null)
    .map(position => [/** @type {number} */ (position.longitude), /** @type {number} */ (position.latitude)]), { animates });
  useEffect(() => {
    if (isFitted.current || !map.current || !all.some(position => position.longitude !== null)) return;
    isFitted.current = true;
    fit(false);
  }, [version]);

  useEffect(() => {
    track.current = { id: selected, lines: [] };
    map.current?.showTrack([]);
    if (!selected) return;
    const abort = new AbortController();
    loadTrack(selected, startOfToday(), new Date(), abort.signal).then(lines => {
      track.current = { id: selected, lines: lines.length > 0 ? lines : [[]] };
      map.current?.showTrack(track.current.lines);
    }, () => {});
    return () => abort.abort();
  }, [selected, Boolean(map.current)]);

  useEffect(() => {
    if (chosen && chosen.longitude !== null && isFitted.current) map.current?.center([chosen.longitude, chosen.latitude], 12);
  }, [selected]);

  const names = useRef(/** @type {{ count: number, list: string[] }} */ ({ count: -1, list: [] }));
  const byState = useMemo(() => {
    // Names do not change while the page is open, so they are sorted only when a vehicle is added.
    if (names.current.count !== positions.current.size) {
      const collator = new Intl.Collator(undefined, { numeric: true });
      names.current = { count: positions.current.size, list: all.sort((a, b) => collator.compare(a.name, b.name)).map(position => position.id) };
    }
    /** @type {Record<string, Position[]>} */
    const found = { moving: [], idle: [], parked: [], silent: [] };
    for (const id of names.current.list) {
      const position = positions.current.get(id);
      if (position) found[position.state].push(position);
    }
    return found;
  }, [version]);
  const reporting = all.length - byState.silent.length;
  const shown = wanted ? byState[wanted] ?? [] : order.flatMap(state => byState[state]);
  const row = (/** @type {Position} */ position) => html`<li key=${position.id}><button type="button" class="row" aria-pressed=${position.id === selected ? "true" : "false"}
        onClick=${() => choose(position.id === selected ? null : position.id)}><b>${position.name}</b><${StateText} position=${position} />
        <span class="soft small">${describe(position.vehicle)}</span><span class="soft small">${position.longitude === null ? t("live.noPosition") : position.time && nearText(position.time)}</span></button></li>`;
  return html`<div class="live"><section class="list" aria-label=${t("live.list")}>
      <header><h1 tabindex="-1">${t("live.title")}</h1><span class="soft small">${loaded.value && t("live.reporting", { count: reporting, total: all.length })}</span><${LiveMark} /></header>
      ${all.length > 0 && html`<div class="chips" role="group" aria-label=${t("field.status")}>
        <button type="button" class="chip" aria-pressed=${wanted ? "false" : "true"} onClick=${() => setQuery({ state: null })}>${t("all")} ${all.length}</button>
        ${order.map(state => {
          const count = byState[state].length;
          return count > 0 && html`<button type="button" class=${"chip " + state} key=${state} aria-pressed=${wanted === state ? "true" : "false"}
            onClick=${() => setQuery({ state: wanted === state ? null : state })}><${Status} shape=${state}>${t("state." + state)} ${count}</${Status}></button>`;
        })}</div>`}
      ${loaded.error && html`<${Trouble} error=${loaded.error} retry=${loaded.reload} />`}
      ${!loaded.value && loaded.isLoading && html`<${Loading} />`}
      ${loaded.value && all.length === 0 && html`<${Empty} title=${t("live.empty")}><p>${t("live.emptyHelp")}</p>
        ${may("settings", "write") && html`<p><a class="button primary" href="/gateways">${t("live.addGateway")}</a></p>`}</${Empty}>`}
      <${Rows} of=${shown} row=${row} /></section>
    <section class="map"><div class="canvas" ref=${element}></div>
      ${!hasMap && html`<p class="card padded no-map">${t("live.noMap")}</p>`}
      ${hasMap && all.length > 0 && html`<button type="button" class="button fit" onClick=${() => fit()}>${t("live.fit")}</button>`}
      ${chosen && html`<${Peek} position=${chosen} isFollowing=${isFollowing} onFollow=${() => {
        setFollowing(!isFollowing);
        if (!isFollowing && chosen.longitude !== null) map.current?.center([chosen.longitude, chosen.latitude], 13);
      }} onClose=${() => choose(null)} />`}</section></div>`;
}

/** px: the height of a row of a long list. */
const rowHeight = 63;
/** The number of rows that are drawn above and below those that can be seen. */
const margin = 12;

/**
 * A list of which only the rows near the visible part are drawn, if it is long.
 * @param {{ of: Position[], row: (position: Position) => any }} props
 */
function Rows({ of, row }) {
  const element = useRef(/** @type {any} */ (null));
  const [first, setFirst] = useState(0);
  const isLong = of.length > 200;
  useEffect(() => {
    const list = element.current;
    const scroller = list.closest(".list");
    const update = () => setFirst(Math.max(0, Math.floor((scroller.scrollTop - list.offsetTop) / rowHeight / margin) * margin - margin));
    scroller.addEventListener("scroll", update, { passive: true });
    return () => scroller.removeEventListener("scroll", update);
  }, [isLong]);
  const from = isLong ? Math.min(first, of.length - 1) : 0;
  const visible = isLong ? of.slice(from, from + 4 * margin) : of;
  return html`<ul class=${"rows" + (isLong ? " long" : "")} ref=${element} style=${isLong ? { paddingTop: `${from * rowHeight}px`, paddingBottom: `${Math.max(0, of.length - from - visible.length) * rowHeight}px` } : {}}>${visible.map(row)}</ul>`;
}

/**
 * The text below a vehicle's name: its id if it has a name, and its make, model and plate.
 * @param {any} vehicle
 */
function describe(vehicle) {
  const about = [vehicle.make, vehicle.model, vehicle.licencePlate].filter(Boolean).join(" ") || vehicle.vin;
  return [vehicle.name && vehicle.id, about].filter(Boolean).join(" · ");
}

/** Whether updates arrive. */
function LiveMark() {
  const [isLive, set] = useState(() => live("fleet"));
  useEffect(() => {
    const update = () => set(live("fleet"));
    liveState.addEventListener("change", update);
    return () => liveState.removeEventListener("change", update);
  }, []);
  return html`<span class=${"pulse" + (isLive ? " on" : "")} role="img" aria-label=${isLive ? t("live.title") : t("net.offline")}></span>`;
}

/** @param {{ position: Position, isFollowing: boolean, onFollow: () => void, onClose: () => void }} props */
function Peek({ position, isFollowing, onFollow, onClose }) {
  useTick(10);
  const latest = useLoad(signal => get(pathOf("/api/vehicles", position.id, "latest"), {}, signal), [position.id]);
  const values = { ...latest.value?.telemetry, ...position.telemetry };
  useNames();
  const facts = /** @type {const} */ ([["speed", "km/h", 0], ["rpm", "rpm", 0], ["fuelLevel", "%", 0], ["coolantTemp", "°C", 0]]);
  return html`<aside class="card peek" aria-label=${position.name}><header><div><h2>${position.name}</h2><span class="soft small">${describe(position.vehicle)}</span></div>
      <${StateText} position=${position} /><button type="button" class="plain" aria-label=${t("action.close")} onClick=${onClose}><${Icon} name="close" /></button></header>
    <dl>${facts.filter(([name]) => values[name] !== undefined).map(([name, unit, digits]) => html`<div><dt>${t("signal." + name)}</dt><dd>${quantity(values[name], unit, digits)}</dd></div>`)}</dl>
    ${position.time && html`<p class="small soft">${position.driver && may("drivers") ? `${nameOf("driver", position.driver)} · ` : ""}${t("vehicle.lastRecord", { time: nearText(position.time) })}</p>`}
    <div class="actions"><a class="button primary" href=${to("vehicles", position.id)}>${t("live.open")}</a>
      <button type="button" class="button" aria-pressed=${isFollowing ? "true" : "false"} onClick=${onFollow}><${Icon} name="follow" size=${16} />${t("live.follow")}</button></div></aside>`;
}
