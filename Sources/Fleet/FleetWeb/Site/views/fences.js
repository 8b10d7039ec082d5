/** Geofences: a list, a map, and a form in which a fence is drawn with the mouse, by keyboard, or by coordinates. */
import "../texts/dispatch.js";
import { html, useEffect, useRef, useState } from "../lib/preact.js";
import { get } from "../api.js";
import { amount, nearText, number, parseQuantity, unitName } from "../format.js";
import { listen } from "../live.js";
import { FenceConflict, fenceOf, idOf, loadFences, nameOfFence, newFence, storeFence } from "../parts/fence.js";
import { checked, coordinate, lengthText, textsOf } from "../parts/fence-texts.js";
import { Icon, Status } from "../parts/icons.js";
import { nameOf, useNames } from "../parts/names.js";
import { Empty, Loading, Title, Trouble, errorText, useLoad, useQuestion } from "../parts/ui.js";
import { go, to } from "../router.js";
import { may, tell } from "../state.js";
import { t } from "../texts.js";

/** @typedef {import("../parts/fence.js").Fence} Fence */
/** @typedef {import("../parts/fence.js").Fences} Fences */

const shapes = /** @type {const} */ (["polygon", "circle", "corridor"]);

/** @param {{ place: import("../router.js").Place }} props */
export default function FencePage({ place }) {
  const loaded = useLoad(loadFences, []);
  const [fences, setFences] = useState(/** @type {Fences | null} */ (null));
  useEffect(() => { if (loaded.value) setFences(loaded.value); }, [loaded.value]);
  const id = place.parts[1] === "new" ? null : place.parts[1] ?? null;
  const isNew = place.parts[1] === "new";
  const isEditing = isNew || place.parts[2] === "edit";
  const mayChange = Boolean(may("geofences", "write"));
  const feature = fences?.features.find(feature => idOf(feature) === id);

  const element = useRef(/** @type {any} */ (null));
  const map = useRef(/** @type {any} */ (null));
  const [tools, setTools] = useState(/** @type {any} */ (null));
  const [hasMap, setHasMap] = useState(true);
  useEffect(() => {
    let isWanted = true;
    Promise.all([import("../parts/map.js"), import("../parts/fence-editor.js")]).then(([{ FleetMap }, { FenceEditor }]) => {
      if (!isWanted) return;
      try {
        map.current = new FleetMap(element.current, { label: t("fences.map") });
      } catch { setHasMap(false); return; }
      setTools({ map: map.current, FenceEditor });
    }, () => setHasMap(false));
    return () => { isWanted = false; map.current?.remove(); map.current = null; };
  }, []);

  // All fences except the one that is being edited.
  const shown = fences ? fences.features.filter(other => !(isEditing && idOf(other) === id)) : [];
  useEffect(() => { tools?.map.showFences({ type: "FeatureCollection", features: shown }); }, [tools, fences, id, isEditing]);
  useEffect(() => {
    if (!tools || !fences) return;
    if (feature) tools.map.fit(pointsOf(feature), { padding: 90, animates: true, most: 16.5 });
    else if (!isNew && fences.features.length > 0) tools.map.fit(fences.features.flatMap(pointsOf), { padding: 70 });
  }, [tools, Boolean(fences), id]);
  useEffect(() => {
    if (!tools) return;
    // Vehicles show where the roads and depots are, if the map has none. A new fence begins near them.
    get("/api/positions").then(places => {
      const points = places.features.map((/** @type {any} */ place) => place.geometry.coordinates);
      tools.map.show(places.features.map((/** @type {any} */ place) => ({
        id: place.id, name: place.properties.name ?? place.id, state: place.properties.state, heading: place.properties.heading ?? 0,
        longitude: place.geometry.coordinates[0], latitude: place.geometry.coordinates[1],
      })), null);
      if (fences?.features.length === 0 || isNew) tools.map.fit(points, { padding: 90 });
    }, () => {});
  }, [tools]);
  useEffect(() => {
    if (!tools || isEditing) return;
    const select = (/** @type {any} */ event) => {
      const [found] = tools.map.map.queryRenderedFeatures(event.point, { layers: ["fences", "fence-lines", "fence-corridors"] });
      go(found ? to("fences", String(found.properties.id)) : "/fences");
    };
    tools.map.map.on("click", select);
    return () => tools.map.map.off("click", select);
  }, [tools, isEditing]);

  let panel;
  if (!fences) panel = html`<div class="list-title"><h1 tabindex="-1">${t("fences.title")}</h1></div>${loaded.error ? html`<${Trouble} error=${loaded.error} retry=${loaded.reload} />` : html`<${Loading} />`}`;
  else if (isEditing && (isNew || feature) && mayChange) {
    panel = html`<${Editor} key=${id ?? "new"} tools=${tools} fences=${fences} feature=${feature} onFences=${setFences} />`;
  } else if (id !== null) {
    panel = html`<${Detail} key=${id} id=${id} feature=${feature} fences=${fences} onFences=${setFences} mayChange=${mayChange} />`;
  } else {
    panel = html`<${List} fences=${fences} mayChange=${mayChange} />`;
  }
  return html`<div class=${"live fences" + (isEditing ? " editing" : "")}><section class="list" aria-label=${t("fences.title")}>${panel}</section>
    <section class="map"><div class="canvas" ref=${element}></div>${isEditing && html`<i class="cross" aria-hidden="true"></i>`}
      ${!hasMap && html`<p class="card padded no-map">${t("fences.noMap")}</p>`}</section></div>`;
}

/**
 * The points of a fence, for the part of the map that shows it.
 * @param {any} feature
 * @returns {number[][]}
 */
function pointsOf({ geometry, properties }) {
  const found = geometry.coordinates.flat(geometry.type === "Point" ? 0 : { LineString: 0, Polygon: 1, MultiPolygon: 2 }[/** @type {"Polygon"} */ (geometry.type)] ?? 0);
  const points = geometry.type === "Point" ? [found] : found;
  const reach = (properties?.radius ?? 0) / 111_320;
  return points.flatMap((/** @type {number[]} */ [longitude, latitude]) => {
    const east = reach / Math.cos(latitude * Math.PI / 180);
    return [[longitude - east, latitude - reach], [longitude + east, latitude + reach]];
  });
}

/** @param {{ fences: Fences, mayChange: boolean }} props */
function List({ fences, mayChange }) {
  const [text, setText] = useState("");
  const list = fences.features.filter(feature => nameOfFence(feature).toLowerCase().includes(text.toLowerCase()))
    .sort((a, b) => nameOfFence(a).localeCompare(nameOfFence(b), undefined, { numeric: true }));
  return html`<header><h1 tabindex="-1">${t("fences.title")}</h1><span class="soft small">${number(fences.features.length)}</span>
      ${mayChange && html`<a class="button primary end" href="/fences/new"><${Icon} name="plus" size=${16} />${t("fences.add")}</a>`}</header>
    ${fences.features.length > 8 && html`<div class="chips"><label class="find"><span class="hidden">${t("search.in", { list: t("fences.title") })}</span><${Icon} name="search" size=${16} />
      <input type="search" value=${text} placeholder=${t("search")} onInput=${(/** @type {any} */ event) => setText(event.target.value)} /></label></div>`}
    ${fences.features.length === 0 ? html`<${Empty} title=${t("fences.empty")}><p>${t("fences.emptyHelp")}</p></${Empty}>`
      : html`<ul class="rows">${list.map(feature => html`<li key=${idOf(feature)}><a class="row" href=${to("fences", idOf(feature))}><b>${nameOfFence(feature)}</b>
        <span class="soft small">${t("fenceShape." + fenceOf(feature).shape)}</span><span class="soft small">${summary(fenceOf(feature))}</span></a></li>`)}</ul>`}
    <${Events} fences=${fences} />`;
}

/**
 * What the gateways report of a fence.
 * @param {Fence} fence
 */
function summary(fence) {
  return [
    fence.notifyOnEntry && t("fence.entry"), fence.notifyOnExit && t("fence.exit"),
    fence.dwellSeconds && t("fence.dwellShort", { count: number(fence.dwellSeconds / 60, 1) }),
    fence.speedLimit && `${amount(fence.speedLimit, "km/h")} ${unitName("km/h")}`,
  ].filter(Boolean).join(" · ");
}

/**
 * The newest crossings of all fences, or of one.
 * @param {{ fences: Fences, id?: string }} props
 */
function Events({ fences, id }) {
  useNames();
  const loaded = useLoad(signal => get("/api/events", { type: "geofence", limit: 200 }, signal), []);
  const [fresh, setFresh] = useState(/** @type {any[]} */ ([]));
  useEffect(() => listen("fleet", {
    onRecord: record => { if (record.type === "geofence") setFresh((/** @type {any[]} */ old) => [record, ...old].slice(0, 50)); },
    onGap: loaded.reload,
  }), []);
  if (!may("records")) return null;
  /** @type {Map<string, any>} */
  const events = new Map([...fresh, ...(loaded.value?.data ?? [])].map(record => [record.vehicleId + record.id, record]));
  const list = [...events.values()].filter(record => id === undefined || String(record.fenceId) === id).slice(0, id === undefined ? 12 : 30);
  const names = new Map(fences.features.map(feature => [idOf(feature), nameOfFence(feature)]));
  return html`<section class="crossings" aria-label=${t("fences.events")}><h2>${t("fences.events")}</h2>
    ${loaded.error && html`<${Trouble} error=${loaded.error} retry=${loaded.reload} />`}
    ${list.length === 0 ? html`<p class="soft small">${loaded.isLoading ? t("loading") : t("fences.noEvents")}</p>`
      : html`<ul>${list.map(record => html`<li key=${record.vehicleId + record.id}><a href=${to("vehicles", record.vehicleId)}>${nameOf("vehicle", record.vehicleId)}</a>
        <${Status} shape=${record.event === "exit" ? "dot" : "good"} tone=${record.event === "exit" ? "parked" : "moving"}>${t("fenceEvent." + record.event)}</${Status}>
        <span class="soft small">${id === undefined ? `${names.get(String(record.fenceId)) ?? record.fenceName ?? record.fenceId} · ` : ""}${record.timestamp ? nearText(record.timestamp) : ""}</span></li>`)}</ul>`}</section>`;
}

/** @param {{ id: string, feature: any, fences: Fences, onFences: (fences: Fences) => void, mayChange: boolean }} props */
function Detail({ id, feature, fences, onFences, mayChange }) {
  const [dialog, ask] = useQuestion();
  const back = html`<a href="/fences">${t("fences.title")}</a>`;
  if (!feature) return html`<div class="panel"><${Title} above=${back} title=${t("error.title")} /><p>${t("error.notFound")}</p></div>`;
  const fence = fenceOf(feature);
  const restore = async () => {
    try {
      const stored = await storeFence(await loadFences(), { id: null, fence: { ...fence, source: feature } });
      onFences(stored.fences);
      go(to("fences", stored.id));
    } catch (error) { tell(errorText(/** @type {Error} */ (error)), { isBad: true }); }
  };
  const remove = () => ask({
    title: t("fences.remove"), text: t("fences.removeQuestion", { name: nameOfFence(feature) }), action: t("fences.remove"), isBad: true,
    run: async () => {
      try {
        onFences((await storeFence(fences, { id, fence: null })).fences);
      } catch (error) {
        if (error instanceof FenceConflict) {
          onFences(error.fences);
          tell(t("fences.changedMeanwhile"), { isBad: true });
          return;
        }
        throw error;
      }
      go("/fences");
      tell(t("fences.removed", { name: nameOfFence(feature) }), { action: { label: t("action.undo"), run: restore } });
    },
  });
  const area = fence.shape === "circle" ? `${amount(fence.radius ?? 0, "m")} ${unitName("m")}` : number(fence.points.length);
  return html`<div class="panel"><${Title} above=${back} title=${nameOfFence(feature)} />${dialog}
    ${mayChange && html`<div class="actions"><a class="button" href=${to("fences", id, "edit")}>${t("action.edit")}</a>
      <button type="button" class="button danger-line" onClick=${remove}>${t("fences.remove")}</button></div>`}
    <dl class="pairs"><div><dt>${t("fence.shape")}</dt><dd>${t("fenceShape." + fence.shape)}</dd></div>
      ${fence.shape !== "other" && html`<div><dt>${t(fence.shape === "circle" ? "fence.radius" : "fence.points")}</dt><dd>${area}</dd></div>`}
      <div><dt>${t("fence.reports")}</dt><dd>${summary(fence) || t("fence.nothing")}</dd></div><div><dt>${t("field.id")}</dt><dd>${id}</dd></div></dl>
    <${Events} fences=${fences} id=${id} /></div>`;
}

/** @param {{ tools: any, fences: Fences, feature: any, onFences: (fences: Fences) => void }} props */
function Editor({ tools, fences, feature, onFences }) {
  const id = feature ? idOf(feature) : null;
  const [fence, setFence] = useState(() => (feature ? fenceOf(feature) : newFence("polygon")));
  const [texts, setTexts] = useState(() => textsOf(feature ? fenceOf(feature) : newFence("polygon")));
  const [past, setPast] = useState(/** @type {Fence[]} */ ([]));
  const [isAdding, setAdding] = useState(!feature);
  const [chosen, setChosen] = useState(/** @type {number | null} */ (null));
  const [faults, setFaults] = useState(/** @type {string[]} */ ([]));
  const [conflict, setConflict] = useState(/** @type {FenceConflict | null} */ (null));
  const [isBusy, setBusy] = useState(false);
  const editor = useRef(/** @type {any} */ (null));
  const present = useRef(fence);
  const begun = useRef(fence);
  const summaryElement = useRef(/** @type {any} */ (null));
  present.current = fence;
  useEffect(() => { if (faults.length > 0) summaryElement.current?.focus(); }, [faults]);

  /** @param {Partial<Fence>} values @param {boolean} [isDone] */
  const change = (values, isDone = true) => {
    if (isDone && begun.current !== present.current) {
      // A point that was dragged is one change.
      const before = begun.current;
      setPast((/** @type {Fence[]} */ old) => [...old.slice(-49), before]);
    } else if (isDone) {
      const before = present.current;
      setPast((/** @type {Fence[]} */ old) => [...old.slice(-49), before]);
    }
    const next = { ...present.current, ...values };
    present.current = next;
    if (isDone) begun.current = next;
    setFence(next);
    setTexts((/** @type {any} */ old) => ({ ...old, ...(values.radius === undefined ? {} : { radius: textsOf(next).radius }), points: textsOf(next).points }));
  };
  const undo = () => {
    const before = past[past.length - 1];
    if (!before) return;
    setPast(past.slice(0, -1));
    present.current = begun.current = before;
    setFence(before);
    setTexts(textsOf(before));
    setChosen(null);
  };
  const handlers = useRef(/** @type {any} */ ({}));
  handlers.current = { change, choose: setChosen, close: () => setAdding(false) };

  useEffect(() => {
    if (!tools) return;
    editor.current = new tools.FenceEditor(tools.map, {
      onChange: (/** @type {Fence} */ next, /** @type {boolean} */ isDone) => handlers.current.change({ points: next.points, radius: next.radius }, isDone),
      onChoose: (/** @type {number | null} */ point) => handlers.current.choose(point), onClosed: () => handlers.current.close(),
    });
    return () => { editor.current.remove(); editor.current = null; };
  }, [tools]);
  useEffect(() => { editor.current?.show(fence, { isAdding, chosen, theirs: conflict?.theirs }); }, [tools, fence, isAdding, chosen, conflict]);

  const setPoint = (/** @type {number} */ index, /** @type {number} */ part, /** @type {string} */ text) => {
    const written = texts.points.map((/** @type {string[]} */ point, /** @type {number} */ place) => (
      place === index ? point.map((old, which) => (which === part ? text : old)) : point));
    setCoordinates(index, written);
  };
  /** @param {number} index @param {string} text */
  const splitPoint = (index, text) => {
    // Both coordinates may be pasted together, as 47.6671, 9.1702.
    const both = /^\s*(-?\d+\.\d+)[\s,;]+(-?\d+\.\d+)\s*$/.exec(text);
    if (both) setCoordinates(index, texts.points.map((/** @type {string[]} */ point, /** @type {number} */ place) => (place === index ? [both[1], both[2]] : point)));
  };
  const setCoordinates = (/** @type {number} */ index, /** @type {string[][]} */ written) => {
    setTexts({ ...texts, points: written });
    const [latitude, longitude] = written[index].map(coordinate);
    if (latitude === null || longitude === null || Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return;
    const before = present.current;
    const next = { ...before, points: before.points.map((point, place) => (place === index ? [longitude, latitude] : point)) };
    setPast((/** @type {Fence[]} */ old) => [...old.slice(-49), before]);
    present.current = begun.current = next;
    setFence(next);
  };
  const add = () => {
    const { points } = fence;
    if (editor.current) editor.current.addCentre();
    else change({ points: [...points, points[points.length - 1] ?? [0, 0]] });
  };
  const removePoint = (/** @type {number} */ index) => {
    change({ points: fence.points.filter((_, place) => place !== index) });
    setChosen(null);
  };

  const leave = () => go(id === null ? "/fences" : to("fences", id));
  const save = async (/** @type {Event | null} */ event, /** @type {Fences} */ on = fences) => {
    event?.preventDefault();
    const { made, wrong } = checked(fence, texts);
    setFaults(wrong);
    if (wrong.length > 0) return;
    setBusy(true);
    try {
      const stored = await storeFence(on, { id: on.features.some(other => idOf(other) === id) ? id : null, fence: made });
      onFences(stored.fences);
      tell(stored.isMerged ? t("fences.merged") : t("saved"));
      go(to("fences", stored.id), { replace: true });
    } catch (error) {
      if (error instanceof FenceConflict) setConflict(error);
      else setFaults([errorText(/** @type {Error} */ (error))]);
    }
    setBusy(false);
  };
  const takeTheirs = () => {
    if (!conflict) return;
    onFences(conflict.fences);
    tell(t("fences.tookTheirs"));
    go(conflict.theirs ? to("fences", idOf(conflict.theirs)) : "/fences", { replace: true });
  };

  const { shape, points } = fence;
  const field = (/** @type {string} */ name, /** @type {string} */ label, /** @type {any} */ more) => html`<div class="field"><label for=${"fence-" + name}>${t(label)}${more.isRequired ? "" : html` <span class="soft">${t("optional")}</span>`}</label>
    <input id=${"fence-" + name} autocomplete="off" inputmode=${more.mode} value=${texts[name]} onInput=${(/** @type {any} */ event) => setTexts({ ...texts, [name]: event.target.value })} onChange=${more.onChange} /></div>`;
  return html`<form class="panel form" novalidate onSubmit=${save}>
    <${Title} above=${html`<a href="/fences">${t("fences.title")}</a>`} title=${id === null ? t("fences.add") : nameOfFence(feature)} />
    ${faults.length > 0 && html`<div class="summary" role="alert" tabindex="-1" ref=${summaryElement}><h2>${t("form.faulty")}</h2><ul>${faults.map(fault => html`<li>${fault}</li>`)}</ul></div>`}
    ${conflict && html`<div class="summary warn" role="alert"><h2>${t("form.conflict")}</h2><p>${conflict.theirs ? t("fences.conflictHelp") : t("fences.conflictRemoved")}</p>
      ${conflict.theirs && html`<${Differences} mine=${fence} theirs=${fenceOf(conflict.theirs)} />`}
      <div class="actions"><button type="button" class="button" onClick=${() => { const { fences: now } = conflict; setConflict(null); onFences(now); save(null, now); }}>${t("form.keepMine")}</button>
        <button type="button" class="button" onClick=${takeTheirs}>${t("form.takeTheirs")}</button></div></div>`}
    ${field("name", "field.name", { isRequired: true })}
    ${id === null && html`<fieldset class="field"><legend>${t("fence.shape")}</legend><div class="chips">${shapes.map(choice => html`<button type="button" class="chip" aria-pressed=${shape === choice ? "true" : "false"} onClick=${() => {
      change({ ...newFence(choice), points: choice === "circle" ? points.slice(0, 1) : points });
      setAdding(choice !== "circle" || points.length === 0);
    }}>${t("fenceShape." + choice)}</button>`)}</div></fieldset>`}
    ${(shape === "circle" || shape === "corridor") && field("radius", shape === "circle" ? "fence.radius" : "fence.width", {
      isRequired: true, mode: "decimal", onChange: (/** @type {any} */ event) => {
        const radius = parseQuantity(event.target.value, "m");
        if (radius !== null && radius > 0) change({ radius: Math.round(radius * 10) / 10 });
      },
    })}
    ${shape === "other" ? html`<p class="soft small">${t("fence.otherHelp")}</p>` : html`<fieldset class="field"><legend>${t(shape === "circle" ? "fence.centre" : "fence.points")}</legend>
      <p class="hint">${t(shape === "circle" ? "fence.centreHelp" : "fence.pointsHelp")}</p>
      <div class="actions">${shape !== "circle" && html`<button type="button" class="button" aria-pressed=${isAdding ? "true" : "false"} onClick=${() => setAdding(!isAdding)}>${t("fence.draw")}</button>`}
        ${(shape !== "circle" || points.length === 0) && html`<button type="button" class="button" onClick=${add}><${Icon} name="plus" size=${16} />${t("fence.addPoint")}</button>`}
        <button type="button" class="button" onClick=${undo} disabled=${past.length === 0}>${t("action.undo")}</button></div>
      ${points.length > 0 && html`<div class="scroll points"><table><thead><tr><th scope="col">#</th><th scope="col">${t("fence.latitude")}</th><th scope="col">${t("fence.longitude")}</th><th><span class="hidden">${t("action.edit")}</span></th></tr></thead>
        <tbody>${points.map((_, index) => html`<tr key=${index} class=${index === chosen ? "chosen" : ""}><td>${index + 1}</td>
          ${[0, 1].map(part => html`<td><input inputmode="decimal" aria-label=${`${t(part === 0 ? "fence.latitude" : "fence.longitude")} ${index + 1}`} value=${texts.points[index]?.[part] ?? ""}
            onFocus=${() => setChosen(index)} onInput=${(/** @type {any} */ event) => setPoint(index, part, event.target.value)}
            onChange=${(/** @type {any} */ event) => splitPoint(index, event.target.value)} /></td>`)}
          <td>${shape !== "circle" && html`<button type="button" class="plain" aria-label=${t("fence.removePoint", { number: index + 1 })} onClick=${() => removePoint(index)}><${Icon} name="close" size=${14} /></button>`}</td></tr>`)}</tbody></table></div>`}
      ${points.length > 1 && html`<p class="soft small">${lengthText(fence)}</p>`}</fieldset>`}
    <fieldset class="field"><legend>${t("fence.reports")}</legend><div class="checks">
      ${(/** @type {const} */ (["notifyOnEntry", "notifyOnExit"])).map(name => html`<label class="check"><input type="checkbox" checked=${fence[name]} onChange=${(/** @type {any} */ event) => change({ [name]: event.target.checked })} /><span>${t("fence." + name)}</span></label>`)}</div></fieldset>
    ${field("dwell", "fence.dwell", { mode: "decimal" })}${field("speedLimit", "fence.speedLimit", { mode: "decimal" })}
    <div class="actions sticky"><button class="button primary" disabled=${isBusy || conflict !== null}>${isBusy ? t("action.busy") : t("action.save")}</button><button type="button" class="button" onClick=${leave}>${t("action.cancel")}</button></div></form>`;
}

/**
 * What differs between two versions of a fence. The map shows both outlines.
 * @param {{ mine: Fence, theirs: Fence }} props
 */
function Differences({ mine, theirs }) {
  const rows = [];
  if (mine.name !== theirs.name) rows.push([t("field.name"), theirs.name]);
  if (JSON.stringify([mine.points, mine.radius]) !== JSON.stringify([theirs.points, theirs.radius])) rows.push([t("fence.shape"), t("fences.otherOutline")]);
  if (summary(mine) !== summary(theirs)) rows.push([t("fence.reports"), summary(theirs) || t("fence.nothing")]);
  return html`<dl class="pairs">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}
