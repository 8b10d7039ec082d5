/**
 * Draws a fence on the map with the mouse, a finger or the keyboard.
 *
 * @typedef {import("./fence.js").Fence} Fence
 */
import { FleetMap } from "./map.js";
import { circle } from "./map-fences.js";
import { geometryOf, metres } from "./fence.js";

/**
 * The place of a point with six decimals, which are 0.1 m.
 * @param {{ lng: number, lat: number }} place
 */
function rounded({ lng, lat }) { return [Number(lng.toFixed(6)), Number(lat.toFixed(6))]; }

export class FenceEditor {
  /**
   * @param {FleetMap} map
   * @param {{ onChange: (fence: Fence, isDone: boolean) => void, onChoose: (point: number | null) => void, onClosed: () => void }} handlers
   *   `isDone`: false while a point is being dragged. `onClosed`: the person has finished the outline.
   */
  constructor(map, { onChange, onChoose, onClosed }) {
    this.map = map;
    /** @type {Fence | null} */
    this.fence = null;
    /** @type {number | null} */
    this.chosen = null;
    this.isAdding = false;
    this.onChange = onChange;
    this.onChoose = onChoose;
    this.onClosed = onClosed;
    /** @type {[string, string | null, (event: any) => void][]} */
    this.handlers = [
      ["click", null, event => this.click(event)],
      ["dblclick", null, event => { if (this.isAdding) { event.preventDefault(); this.close(); } }],
      ["mousedown", "handles", event => this.drag(event, "mousemove", "mouseup")],
      ["touchstart", "handles", event => { if (event.points.length === 1) this.drag(event, "touchmove", "touchend"); }],
    ];
    for (const [name, layer, handler] of this.handlers) {
      if (layer) map.map.on(name, layer, handler);
      else map.map.on(name, handler);
    }
    this.canvas = map.map.getCanvas();
    this.keys = (/** @type {KeyboardEvent} */ event) => {
      if (!this.fence) return;
      if (event.key === "Enter") this.addCentre();
      else if (event.key === "Backspace" || event.key === "Delete") this.removePoint(this.chosen ?? this.fence.points.length - 1);
      else if (event.key === "Escape") this.close();
      else return;
      event.preventDefault();
    };
    this.canvas.addEventListener("keydown", this.keys);
  }

  /**
   * Shows a fence to be edited; `null` ends the editing.
   * @param {Fence | null} fence
   * @param {{ isAdding: boolean, chosen: number | null, theirs?: any }} state `isAdding`: clicks add points.
   */
  show(fence, { isAdding, chosen, theirs = null }) {
    this.fence = fence;
    this.isAdding = isAdding && fence !== null;
    this.chosen = chosen;
    this.theirs = theirs;
    this.canvas.style.cursor = this.isAdding ? "crosshair" : "";
    if (this.isAdding) this.map.map.doubleClickZoom.disable();
    else this.map.map.doubleClickZoom.enable();
    this.draw();
  }

  draw() {
    const { fence } = this;
    if (!fence) { this.map.showDraft([]); return; }
    /** @type {any[]} */
    const features = [];
    const { points, shape, radius } = fence;
    const enough = { polygon: 3, circle: 1, corridor: 2, other: 0 }[shape];
    if (points.length >= enough) features.push({ type: "Feature", properties: { radius }, geometry: geometryOf(fence) });
    else if (points.length === 2) features.push({ type: "Feature", properties: {}, geometry: { type: "LineString", coordinates: points } });
    const handle = (/** @type {number[]} */ place, /** @type {string} */ part, /** @type {number} */ index) => ({
      type: "Feature", properties: { part, index, isChosen: part === "point" && index === this.chosen }, geometry: { type: "Point", coordinates: place },
    });
    if (shape === "polygon" || shape === "corridor") {
      const last = shape === "polygon" && points.length > 2 ? points.length : points.length - 1;
      for (let index = 0; index < last && !this.isAdding; index++) {
        const [first, second] = [points[index], points[(index + 1) % points.length]];
        features.push(handle([(first[0] + second[0]) / 2, (first[1] + second[1]) / 2], "middle", index));
      }
    }
    if (shape === "circle" && points[0] && radius) features.push(handle(circle(points[0], radius)[16], "edge", 0));
    points.forEach((place, index) => features.push(handle(place, "point", index)));
    this.map.showDraft(features, this.theirs);
  }

  /**
   * @param {Partial<Fence>} values
   * @param {boolean} isDone
   */
  change(values, isDone = true) {
    if (!this.fence) return;
    this.fence = { ...this.fence, ...values };
    this.draw();
    this.onChange(this.fence, isDone);
  }

  /** @param {any} event */
  handleAt(event) {
    // A finger needs more room than a mouse.
    const box = [[event.point.x - 6, event.point.y - 6], [event.point.x + 6, event.point.y + 6]];
    const found = this.map.map.queryRenderedFeatures(box, { layers: ["handles"] });
    return found.find((/** @type {any} */ feature) => feature.properties.part === "point") ?? found[0];
  }

  /** @param {any} event */
  click(event) {
    if (!this.fence) return;
    const handle = this.handleAt(event);
    if (handle?.properties.part === "point") {
      if (this.isAdding && handle.properties.index === 0 && this.fence.points.length > 2) this.close();
      else this.onChoose(handle.properties.index);
    } else if (!handle && this.isAdding) {
      this.addPoint(rounded(event.lngLat));
    }
  }

  /** @param {number[]} place */
  addPoint(place) {
    if (!this.fence) return;
    const { shape, points } = this.fence;
    if (shape === "circle") {
      this.change({ points: [place] });
      this.close();
    } else {
      this.change({ points: [...points, place] });
      this.onChoose(points.length);
    }
  }

  /** Adds a point at the centre of the map, where the keyboard's cross is. */
  addCentre() {
    if (this.fence && this.fence.shape !== "other") this.addPoint(rounded(this.map.map.getCenter()));
  }

  /** @param {number} index */
  removePoint(index) {
    if (!this.fence || index < 0 || this.fence.shape === "circle") return;
    this.change({ points: this.fence.points.filter((_, place) => place !== index) });
    this.onChoose(null);
  }

  close() {
    if (this.isAdding) this.onClosed();
  }

  /**
   * @param {any} event
   * @param {string} move
   * @param {string} end
   */
  drag(event, move, end) {
    const handle = this.handleAt(event);
    if (!this.fence || !handle || (this.isAdding && handle.properties.index === 0)) return;
    event.preventDefault();
    const { part, index } = handle.properties;
    let hasMoved = false;
    const follow = (/** @type {any} */ moved) => {
      if (!this.fence) return;
      const place = rounded(moved.lngLat);
      if (part === "edge") {
        this.change({ radius: Math.max(1, Math.round(metres(this.fence.points[0], place))) }, false);
      } else {
        const points = [...this.fence.points];
        // A point in the middle of an edge becomes a new point.
        if (part === "middle" && !hasMoved) points.splice(index + 1, 0, place);
        else points[part === "middle" ? index + 1 : index] = place;
        this.change({ points }, false);
      }
      hasMoved = true;
    };
    this.map.map.on(move, follow);
    this.map.map.once(end, () => {
      this.map.map.off(move, follow);
      if (hasMoved) this.change({});
      else if (part === "point") this.onChoose(index);
    });
  }

  remove() {
    // The map may have been removed together with the page.
    if (this.map.isRemoved) return;
    this.show(null, { isAdding: false, chosen: null });
    for (const [name, layer, handler] of this.handlers) {
      if (layer) this.map.map.off(name, layer, handler);
      else this.map.map.off(name, handler);
    }
    this.canvas.removeEventListener("keydown", this.keys);
    this.canvas.style.cursor = "";
  }
}
