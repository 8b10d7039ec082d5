/**
 * The viewer of a 3D model, with its facts and a measure. It is only loaded when a person opens a model.
 *
 * `number` formats numbers (format.js). It is a parameter, because the file that imports this module contains it.
 */
import { html, useEffect, useRef, useState } from "../lib/preact.js";
import { pathOf } from "../api.js";
import { t } from "../texts.js";
import { ModelScene } from "./model-scene.js";
import { Icon } from "./icons.js";

/** @typedef {import("./model-scene.js").Point} Point */
/** @typedef {typeof import("../format.js").number} Format */

/**
 * A length in the model's unit.
 * @param {number} value
 * @param {any} model
 * @param {Format} number
 */
function length(value, model, number) {
  const digits = value >= 100 ? 1 : 3;
  return model.unit ? `${number(value, digits)} ${model.unit}` : number(value, digits);
}

/** @param {{ file: any, number: Format }} props */
function Facts({ file, number }) {
  const { model } = file;
  const size = model.least?.map((/** @type {number} */ least, /** @type {number} */ axis) => length(model.most[axis] - least, model, number));
  /** @type {[import("../texts.js").Key, string | undefined][]} */
  const rows = [
    ["model.format", model.format.toUpperCase()], ["model.size", size?.join(" × ")],
    ["model.vertices", model.vertices === undefined ? undefined : number(model.vertices)],
    ["model.triangles", model.triangles === undefined ? undefined : number(model.triangles)],
    ["model.materials", model.materials === undefined ? undefined : number(model.materials)],
    ["model.textures", model.textures === undefined ? undefined : number(model.textures)],
  ];
  return html`<table class="facts"><caption class="hidden">${t("model.facts")}</caption><tbody>${rows.filter(([, value]) => value !== undefined).map(([key, value]) => html`<tr key=${key}><th scope="row">${t(key)}</th><td>${value}</td></tr>`)}</tbody></table>
    ${!model.unit && html`<p class="soft small">${t("model.noUnit")}</p>`}`;
}

/**
 * Chooses a vertex by its number, which the arrow keys change.
 * @param {{ name: string, label: string, count: number, point: Point | null, number: Format, onInput: (vertex: number) => void }} props
 */
function PointInput({ name, label, count, point, number, onInput }) {
  const place = point && [point.position.x, point.position.y, point.position.z].map(value => number(value, 3)).join("; ");
  return html`<div class="field"><label for=${name}>${label}</label>
    <input id=${name} type="number" min="1" max=${count} step="1" value=${point?.vertex === null || point?.vertex === undefined ? "" : point.vertex + 1} aria-describedby=${name + "-place"} onInput=${(/** @type {any} */ event) => { if (event.target.value !== "") onInput(Number(event.target.value) - 1); }} />
    <span class="soft small" id=${name + "-place"}>${place ? t("model.at", { place }) : t("model.choose")}</span></div>`;
}

/**
 * A dialog with a model.
 * @param {{ file: any, number: Format, onClose: () => void }} props
 */
export function ModelDialog({ file, number, onClose }) {
  const dialog = useRef(/** @type {any} */ (null));
  const canvas = useRef(/** @type {any} */ (null));
  const scene = useRef(/** @type {ModelScene | null} */ (null));
  const [state, setState] = useState(/** @type {"loading" | "shown" | "failed"} */ ("loading"));
  const [points, setPoints] = useState(/** @type {(Point | null)[]} */ ([null, null]));
  const address = pathOf("/api/files", file.id, "content");
  const { model } = file;
  useEffect(() => {
    dialog.current.showModal();
    const abort = new AbortController();
    const show = async () => {
      const answer = await fetch(address + "?version=model", { signal: abort.signal });
      if (!answer.ok) throw new Error(`${answer.status}`);
      const data = await answer.arrayBuffer();
      const shown = new ModelScene(canvas.current, point => {
        // The third point begins a new measure.
        setPoints(old => (old[0] === null || old[1] !== null ? [point, null] : [old[0], point]));
      });
      scene.current = shown;
      await shown.load(data);
      if (!abort.signal.aborted) setState("shown");
    };
    show().catch(() => { if (!abort.signal.aborted) setState("failed"); });
    return () => {
      abort.abort();
      scene.current?.end();
    };
  }, [file.id]);
  useEffect(() => { scene.current?.mark(points); }, [points]);
  const choose = (/** @type {number} */ index, /** @type {number} */ vertex) => {
    const position = scene.current?.position(vertex);
    if (position) setPoints(old => old.map((point, place) => (place === index ? { position, vertex } : point)));
  };
  const [first, second] = points;
  const distance = first && second ? first.position.distanceTo(second.position) : null;
  const hasPoster = file.versions?.some((/** @type {any} */ version) => version.name === "poster");
  return html`<dialog class="model" ref=${dialog} aria-labelledby="model-title" onClose=${onClose}>
    <header><h2 id="model-title">${file.name}</h2><button type="button" class="plain" aria-label=${t("action.close")} onClick=${() => dialog.current.close()}><${Icon} name="close" size=${20} /></button></header>
    <div class="content">
      <div class="view">
        ${state !== "shown" && hasPoster && html`<img class="poster" src=${address + "?version=poster"} alt="" />`}
        <canvas ref=${canvas} tabindex="0" role="img" aria-label=${t("model.canvas", { name: file.name })}></canvas>
        ${state !== "shown" && html`<p class="state" role="status">${t(state === "loading" ? "loading" : "model.failed")}</p>`}
      </div>
      <div class="side">
        <h3>${t("model.facts")}</h3>
        <${Facts} file=${file} number=${number} />
        <h3>${t("model.measure")}</h3>
        <p class="soft small">${t("model.hint")}</p>
        ${state === "shown" && html`<${PointInput} name="model-first" label=${t("model.first")} count=${scene.current?.count} point=${first} number=${number} onInput=${(/** @type {number} */ vertex) => choose(0, vertex)} />
          <${PointInput} name="model-second" label=${t("model.second")} count=${scene.current?.count} point=${second} number=${number} onInput=${(/** @type {number} */ vertex) => choose(1, vertex)} />`}
        <p class="distance" role="status">${distance !== null && t("model.distance", { length: length(distance, model, number) })}</p>
      </div>
    </div>
  </dialog>`;
}
