/**
 * The map: land and borders, fences, tracks, and vehicles as shapes with their state. Loaded only by pages with a map.
 *
 * @typedef {import("./positions.js").Position} Position
 */
import maplibregl from "../lib/maplibre.js";
import { shapes } from "./icons.js";
import { t } from "../texts.js";
import { drawn } from "./map-fences.js";
import { loadStyle, token } from "./style-sheet.js";

/**
 * The base map that the operator has configured; `null` for the outline of land and borders.
 * @typedef {{ tiles: string, isVector: boolean, attribution: string, minZoom: number, maxZoom: number }} Base
 * @type {Promise<Base | null>}
 */
const loadingBase = fetch("/map/source.json").then(answer => (answer.status === 200 ? answer.json() : null)).catch(() => null);

await loadStyle(new URL("../lib/maplibre.css", import.meta.url));
const base = await loadingBase;

maplibregl.setWorkerUrl(new URL("../lib/maplibre-worker.js", import.meta.url).href);
const landAddress = new URL("../lib/land.json", import.meta.url).href;

/** @type {readonly import("./icons.js").Shape[]} */
const states = ["moving", "idle", "parked", "silent", "danger"];

function isDark() { return matchMedia("(prefers-color-scheme: dark)").matches; }

/**
 * Lines of latitude and longitude.
 * @param {number} step degrees
 */
function graticule(step) {
  const lines = [];
  for (let longitude = -180; longitude <= 180; longitude += step) lines.push([[longitude, -85], [longitude, 85]]);
  for (let latitude = -80; latitude <= 80; latitude += step) lines.push([[-180, latitude], [180, latitude]]);
  return { type: "Feature", properties: {}, geometry: { type: "MultiLineString", coordinates: lines } };
}

/**
 * The grid near a place, so that a map without streets has a scale.
 * @param {any} map
 */
function nearGrid(map) {
  const zoom = map.getZoom();
  const step = zoom > 13 ? 0.005 : zoom > 11 ? 0.02 : zoom > 9 ? 0.1 : zoom > 6 ? 1 : 10;
  if (step === 10) return graticule(10);
  const bounds = map.getBounds();
  const lines = [];
  const west = Math.floor(bounds.getWest() / step), east = Math.ceil(bounds.getEast() / step);
  const south = Math.floor(bounds.getSouth() / step), north = Math.ceil(bounds.getNorth() / step);
  for (let x = west - 1; x <= east + 1 && x - west < 80; x++) lines.push([[x * step, (south - 1) * step], [x * step, (north + 1) * step]]);
  for (let y = south - 1; y <= north + 1 && y - south < 80; y++) lines.push([[(west - 1) * step, y * step], [(east + 1) * step, y * step]]);
  return { type: "Feature", properties: {}, geometry: { type: "MultiLineString", coordinates: lines } };
}

/**
 * A state's shape in a circle, as an image.
 * @param {import("./icons.js").Shape} state
 * @param {boolean} isSelected
 */
function markImage(state, isSelected) {
  const scale = 3, size = 34 * scale;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.scale(scale, scale);
  context.beginPath();
  context.arc(17, 17, isSelected ? 15 : 13, 0, 2 * Math.PI);
  context.fillStyle = token(isSelected ? "accent-wash" : "surface");
  context.fill();
  context.lineWidth = isSelected ? 3 : 2;
  context.strokeStyle = token(isSelected ? "accent" : state);
  context.stroke();
  context.translate(11, 11);
  const path = new Path2D(shapes[state]);
  if (state === "silent") {
    context.lineWidth = 1.8;
    context.setLineDash([3, 2]);
    context.strokeStyle = token(state);
    context.stroke(path);
  } else {
    context.fillStyle = token(state);
    context.fill(path);
  }
  return context.getImageData(0, 0, size, size);
}

const nothing = { type: "FeatureCollection", features: [] };

/**
 * The layers of the base map. Vector tiles have the layers of the OpenMapTiles schema.
 * @param {boolean} dark
 * @param {string[]} font
 * @returns {any[]}
 */
function baseLayers(dark, font) {
  if (!base) return [];
  const source = "base";
  if (!base.isVector) return [{ id: "base", type: "raster", source, paint: dark ? { "raster-brightness-max": 0.55, "raster-saturation": -0.4 } : {} }];
  const layer = (/** @type {string} */ id, /** @type {string} */ type, /** @type {string} */ name, /** @type {any} */ paint, /** @type {any} */ more = {}) => ({ id: "base-" + id, type, source, "source-layer": name, paint, ...more });
  const width = (/** @type {number} */ low, /** @type {number} */ high) => ["interpolate", ["exponential", 1.5], ["zoom"], 6, low, 18, high];
  const roads = (/** @type {string} */ id, /** @type {string[]} */ classes, /** @type {string} */ colour, /** @type {any} */ size) => layer(id, "line", "transportation", { "line-color": colour, "line-width": size },
    { filter: ["match", ["get", "class"], classes, true, false], layout: { "line-cap": "round", "line-join": "round" } });
  return [
    layer("green", "fill", "landcover", { "fill-color": dark ? "#16211c" : "#dfe9dc" }, { filter: ["match", ["get", "class"], ["wood", "grass", "farmland"], true, false] }),
    layer("use", "fill", "landuse", { "fill-color": dark ? "#191d24" : "#e6e8eb" }, { filter: ["match", ["get", "class"], ["residential", "commercial", "industrial", "retail"], true, false] }),
    layer("water", "fill", "water", { "fill-color": dark ? "#172430" : "#cfe0ea" }),
    layer("rivers", "line", "waterway", { "line-color": dark ? "#1d3040" : "#bcd4e2", "line-width": width(0.5, 3) }),
    layer("buildings", "fill", "building", { "fill-color": dark ? "#20252e" : "#dcdfe3" }, { minzoom: 14 }),
    roads("paths", ["minor", "service", "track"], dark ? "#2b323d" : "#ffffff", width(0.2, 9)),
    roads("streets", ["tertiary", "secondary"], dark ? "#343c49" : "#ffffff", width(0.5, 14)),
    roads("main", ["primary", "trunk", "motorway"], dark ? "#574a2c" : "#fbe0ad", width(1, 20)),
    layer("borders", "line", "boundary", { "line-color": dark ? "#4a5462" : "#a8b2bc", "line-dasharray": [3, 2] }, { filter: ["<=", ["get", "admin_level"], 4] }),
    layer("street-names", "symbol", "transportation_name", { "text-color": token("ink-soft"), "text-halo-color": token("surface"), "text-halo-width": 1.2 },
      { minzoom: 13, layout: { "symbol-placement": "line", "text-field": ["get", "name"], "text-size": 11, "text-font": font } }),
    layer("places", "symbol", "place", { "text-color": token("ink"), "text-halo-color": token("surface"), "text-halo-width": 1.4 },
      { filter: ["match", ["get", "class"], ["city", "town", "village"], true, false], layout: { "text-field": ["get", "name"], "text-size": ["match", ["get", "class"], "city", 15, "town", 13, 11], "text-font": font } }),
  ];
}

/** The source of the base map. */
function baseSource() {
  if (!base) return {};
  const tiles = [base.tiles.startsWith("/") ? location.origin + base.tiles : base.tiles];
  return { base: { type: base.isVector ? "vector" : "raster", tiles, minzoom: base.minZoom, maxzoom: base.maxZoom, ...(base.isVector ? {} : { tileSize: 256 }) } };
}

/** The attribution as text: links and other HTML of the operator's file are not shown. */
function attribution() {
  if (!base?.attribution) return "Natural Earth";
  const element = document.createElement("i");
  element.textContent = new DOMParser().parseFromString(base.attribution, "text/html").body.textContent ?? "";
  return element.innerHTML;
}

function style() {
  const dark = isDark();
  const font = ["Noto Sans Regular"];
  return {
    version: 8,
    sources: {
      land: { type: "geojson", data: landAddress, tolerance: 0.2 },
      ...baseSource(),
      grid: { type: "geojson", data: graticule(10) },
      fences: { type: "geojson", data: nothing },
      track: { type: "geojson", data: nothing },
      draft: { type: "geojson", data: nothing },
      theirs: { type: "geojson", data: nothing },
      vehicles: { type: "geojson", data: nothing, cluster: true, clusterRadius: 42, clusterMaxZoom: 13 },
      selected: { type: "geojson", data: nothing },
    },
    layers: [
      { id: "water", type: "background", paint: { "background-color": dark ? "#172430" : "#cfe0ea" } },
      { id: "land", type: "fill", source: "land", paint: { "fill-color": dark ? "#12161c" : "#eef1f3", "fill-antialias": true } },
      { id: "borders", type: "line", source: "land", paint: { "line-color": dark ? "#39424f" : "#b9c3cd", "line-width": ["interpolate", ["linear"], ["zoom"], 2, 0.6, 10, 1.6] } },
      ...baseLayers(dark, font),
      { id: "grid", type: "line", source: "grid", layout: { visibility: base ? "none" : "visible" }, paint: { "line-color": dark ? "#ffffff" : "#33404d", "line-opacity": dark ? 0.06 : 0.08, "line-width": 1 } },
      { id: "fences", type: "fill", source: "fences", filter: ["==", ["geometry-type"], "Polygon"], paint: { "fill-color": token("accent"), "fill-opacity": 0.12 } },
      corridor("fence-corridors", "fences", "accent"),
      { id: "fence-lines", type: "line", source: "fences", paint: { "line-color": token("accent"), "line-width": 1.5, "line-dasharray": [4, 3] } },
      { id: "fence-names", type: "symbol", source: "fences", layout: { "text-field": ["coalesce", ["get", "name"], ["to-string", ["get", "id"]], ""], "text-size": 12, "text-font": font }, paint: { "text-color": token("accent"), "text-halo-color": token("surface"), "text-halo-width": 1.5 } },
      { id: "track", type: "line", source: "track", layout: { "line-cap": "round", "line-join": "round" }, paint: { "line-color": token("accent"), "line-width": 4, "line-opacity": 0.75 } },
      { id: "clusters", type: "circle", source: "vehicles", filter: ["has", "point_count"], paint: { "circle-color": token("ink"), "circle-radius": ["step", ["get", "point_count"], 17, 10, 20, 100, 25], "circle-stroke-width": 2, "circle-stroke-color": token("surface") } },
      { id: "cluster-counts", type: "symbol", source: "vehicles", filter: ["has", "point_count"], layout: { "text-field": ["get", "point_count_abbreviated"], "text-size": 13, "text-font": font, "text-allow-overlap": true }, paint: { "text-color": token("surface") } },
      ...["vehicles", "selected"].map(source => ({
        id: source, type: "symbol", source, ...(source === "vehicles" ? { filter: ["!", ["has", "point_count"]] } : {}),
        layout: {
          "icon-image": ["concat", ["get", "state"], source === "selected" ? "-selected" : ""], "icon-allow-overlap": true, "icon-rotate": ["get", "heading"],
          "icon-rotation-alignment": "map", "text-field": ["get", "name"], "text-size": 12, "text-font": font, "text-offset": [0, 1.5], "text-anchor": "top", "text-optional": true,
          ...(source === "selected" ? { "text-allow-overlap": true } : {}),
        },
        paint: { "text-color": token("ink"), "text-halo-color": token("surface"), "text-halo-width": 1.6 },
      })),
      { id: "theirs", type: "line", source: "theirs", paint: { "line-color": token("danger"), "line-width": 2.5, "line-dasharray": [2, 2] } },
      { id: "draft", type: "fill", source: "draft", filter: ["==", ["geometry-type"], "Polygon"], paint: { "fill-color": token("accent"), "fill-opacity": 0.2 } },
      corridor("draft-corridor", "draft", "accent"),
      { id: "draft-line", type: "line", source: "draft", filter: ["!=", ["geometry-type"], "Point"], layout: { "line-join": "round" }, paint: { "line-color": token("accent"), "line-width": 2.5 } },
      { id: "handles", type: "circle", source: "draft", filter: ["==", ["geometry-type"], "Point"], paint: {
        "circle-radius": ["match", ["get", "part"], "middle", 5, 7], "circle-color": ["case", ["get", "isChosen"], token("accent"), token("surface")],
        "circle-stroke-color": token("accent"), "circle-stroke-width": ["match", ["get", "part"], "middle", 1.5, 2.5], "circle-opacity": ["match", ["get", "part"], "middle", 0.7, 1] } },
    ],
  };
}

/**
 * A layer that draws lines with their width in metres. The property `width` is the width in pixels at zoom 0.
 * @param {string} id
 * @param {string} source
 * @param {string} colour
 */
function corridor(id, source, colour) {
  return {
    id, type: "line", source, filter: ["has", "width"], layout: { "line-cap": "round", "line-join": "round" },
    paint: { "line-color": token(colour), "line-opacity": 0.15, "line-width": ["interpolate", ["exponential", 2], ["zoom"], 0, ["get", "width"], 22, ["*", ["get", "width"], 2 ** 22]] },
  };
}

/**
 * A vehicle as a point of the map.
 * @param {Position} position
 */
function feature(position) {
  return {
    type: "Feature", id: undefined, geometry: { type: "Point", coordinates: [position.longitude, position.latitude] },
    // Only the arrow has a direction.
    properties: { id: position.id, name: position.name, state: position.state, heading: position.state === "moving" ? position.heading ?? 0 : 0 },
  };
}

/** A map in an element of the page. */
export class FleetMap {
  /**
   * @param {HTMLElement} element
   * @param {{ onSelect?: (id: string | null) => void, onMove?: () => void, label?: string }} options
   */
  constructor(element, { onSelect = () => {}, onMove = () => {}, label = t("live.map") }) {
    this.isReady = false;
    this.isRemoved = false;
    /** @type {(() => void)[]} */
    this.waiting = [];
    this.map = new maplibregl.Map({
      container: element, style: style(), center: [10, 50], zoom: 3.2, attributionControl: false, dragRotate: false, pitchWithRotate: false,
      locale: { "Map.Title": label }, fadeDuration: 0,
    });
    this.map.addControl(new maplibregl.NavigationControl({ showCompass: false }), "bottom-right");
    this.map.addControl(new maplibregl.ScaleControl(), "bottom-left");
    this.map.addControl(new maplibregl.AttributionControl({ compact: true, customAttribution: attribution() }), "bottom-right");
    this.map.touchZoomRotate.disableRotation();
    this.map.on("load", () => {
      this.images();
      this.isReady = true;
      for (const action of this.waiting) action();
      this.waiting = [];
      element.dataset.ready = "true";
    });
    this.map.on("moveend", () => { this.source("grid")?.setData(nearGrid(this.map)); });
    this.map.on("dragstart", onMove);
    // For tests and pictures: whether everything is drawn.
    this.map.on("idle", () => { element.dataset.drawn = "true"; });
    this.map.on("render", () => { delete element.dataset.drawn; });
    this.map.on("click", (/** @type {any} */ event) => {
      const [found] = this.map.queryRenderedFeatures(event.point, { layers: ["vehicles", "selected", "clusters"] });
      if (!found) return onSelect(null);
      if (found.properties.point_count) {
        this.source("vehicles").getClusterExpansionZoom(found.properties.cluster_id)
          .then((/** @type {number} */ zoom) => this.map.easeTo({ center: found.geometry.coordinates, zoom }));
      } else {
        onSelect(found.properties.id);
      }
    });
    for (const layer of ["vehicles", "clusters"]) {
      this.map.on("mouseenter", layer, () => { this.map.getCanvas().style.cursor = "pointer"; });
      this.map.on("mouseleave", layer, () => { this.map.getCanvas().style.cursor = ""; });
    }
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.repaint = () => {
      const kept = ["fences", "track", "vehicles", "selected", "draft", "theirs"].map(name => /** @type {const} */ ([name, this.source(name)?.serialize().data]));
      this.map.setStyle(style(), { diff: false });
      this.map.once("style.load", () => {
        this.images();
        for (const [name, data] of kept) if (data) this.source(name)?.setData(data);
        this.source("grid")?.setData(nearGrid(this.map));
      });
    };
    this.scheme.addEventListener("change", this.repaint);
  }

  /** @param {string} name */
  source(name) { return this.isRemoved ? undefined : this.map.getSource(name); }

  images() {
    for (const state of states) {
      for (const isSelected of [false, true]) {
        const name = state + (isSelected ? "-selected" : "");
        if (this.map.hasImage(name)) this.map.removeImage(name);
        this.map.addImage(name, markImage(state, isSelected), { pixelRatio: 3 });
      }
    }
  }

  /**
   * Runs something when the map is ready.
   * @param {() => void} action
   */
  when(action) {
    if (this.isReady) action();
    else this.waiting.push(action);
  }

  /**
   * Shows vehicles.
   * @param {Iterable<Position>} positions
   * @param {string | null} selected
   */
  show(positions, selected) {
    /** @type {any[]} */
    const others = [];
    /** @type {any} */
    let chosen = null;
    for (const position of positions) {
      if (position.longitude === null) continue;
      if (position.id === selected) chosen = feature(position);
      else others.push(feature(position));
    }
    this.when(() => {
      this.source("vehicles")?.setData({ type: "FeatureCollection", features: others });
      this.source("selected")?.setData(chosen ?? nothing);
    });
  }

  /** @param {number[][][]} lines */
  showTrack(lines) {
    this.when(() => this.source("track")?.setData({ type: "Feature", properties: {}, geometry: { type: "MultiLineString", coordinates: lines.filter(line => line.length > 1) } }));
  }

  /** @param {any} fences a GeoJSON FeatureCollection */
  showFences(fences) { this.when(() => this.source("fences")?.setData(drawn(fences))); }

  /**
   * Shows the fence that is being edited, and the points by which it is changed.
   * @param {any[]} features
   * @param {any} theirs the stored version of the fence, if another person has changed it
   */
  showDraft(features, theirs = null) {
    this.when(() => {
      this.source("draft")?.setData(drawn({ type: "FeatureCollection", features }));
      this.source("theirs")?.setData(drawn({ type: "FeatureCollection", features: theirs ? [theirs] : [] }));
    });
  }

  /**
   * Moves so that all points are visible.
   * @param {number[][]} points
   * @param {{ padding?: number, animates?: boolean, most?: number }} options `most`: the greatest zoom.
   */
  fit(points, { padding = 70, animates = false, most = 13.5 } = {}) {
    if (points.length === 0) return;
    const bounds = new maplibregl.LngLatBounds(points[0], points[0]);
    for (const point of points) bounds.extend(point);
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.when(() => this.map.fitBounds(bounds, { padding, maxZoom: most, duration: animates && !calm ? 600 : 0 }));
  }

  /**
   * @param {number[]} point
   * @param {number} [zoom]
   */
  center(point, zoom) {
    // On a phone, the card of the vehicle covers the lower half of the map.
    const offset = innerWidth <= 720 ? [0, -Math.round(this.map.getContainer().clientHeight / 4)] : [0, 0];
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.when(() => this.map.easeTo({ center: point, ...(zoom ? { zoom: Math.max(zoom, this.map.getZoom()) } : {}), duration: calm ? 0 : 500, offset }));
  }

  remove() {
    this.isRemoved = true;
    this.scheme.removeEventListener("change", this.repaint);
    this.map.remove();
  }
}
