/** A signature that is drawn with a finger, a pen or the mouse. */
import { html, useRef } from "../lib/preact.js";
import { t } from "../texts.js";

/** The size of the field, in units of its strokes, which are pixels of the picture. */
const width = 1000, height = 300;

/**
 * The line through the points of a stroke.
 * @param {number[]} stroke `x`, `y`, `x`, `y` and so on
 */
function pathOf(stroke) {
  // A touch without a movement is a dot.
  if (stroke.length === 2) return `M${stroke[0]} ${stroke[1]}h.1`;
  return stroke.reduce((text, value, place) => text + (place % 2 ? " " : place === 0 ? "M" : "L") + value, "");
}

/**
 * @param {{ value: number[][], onInput: (strokes: number[][]) => void }} props `value`: the strokes
 */
export function SignaturePad({ value, onInput }) {
  const element = useRef(/** @type {any} */ (null));
  const drawn = useRef(/** @type {number[] | null} */ (null));
  const at = (/** @type {PointerEvent} */ event) => {
    const box = element.current.getBoundingClientRect();
    return [Math.round((event.clientX - box.left) / box.width * width), Math.round((event.clientY - box.top) / box.height * height)];
  };
  const begin = (/** @type {PointerEvent} */ event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    element.current.setPointerCapture(event.pointerId);
    drawn.current = at(event);
    onInput([...value, drawn.current]);
  };
  const move = (/** @type {PointerEvent} */ event) => {
    if (!drawn.current) return;
    // A fast pointer has moved several times since the last event.
    const moves = event.getCoalescedEvents?.() ?? [];
    for (const one of moves.length > 0 ? moves : [event]) drawn.current = [...drawn.current, ...at(one)];
    onInput([...value.slice(0, -1), drawn.current]);
  };
  const end = () => { drawn.current = null; };
  return html`<div class="signature-pad"><svg ref=${element} viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${t(value.length > 0 ? "signature.drawn" : "signature.empty")}
      onPointerDown=${begin} onPointerMove=${move} onPointerUp=${end} onPointerCancel=${end}>
      <path class="line" d=${`M40 ${height - 60}H${width - 40}`} />${value.map((stroke, place) => html`<path key=${place} d=${pathOf(stroke)} />`)}</svg>
    ${value.length > 0 ? html`<button type="button" class="button" onClick=${() => onInput([])}>${t("signature.clear")}</button>` : html`<span class="soft small">${t("signature.hint")}</span>`}</div>`;
}

/**
 * The picture of a signature, dark on white.
 * @param {number[][]} strokes
 * @param {string} name that of the file
 * @returns {Promise<File>}
 */
export async function pictureOf(strokes, name) {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.fillStyle = "#fff";
  context.fillRect(0, 0, width, height);
  context.lineWidth = 6;
  context.lineCap = context.lineJoin = "round";
  for (const stroke of strokes) context.stroke(new Path2D(pathOf(stroke)));
  const blob = await new Promise((resolve, reject) => canvas.toBlob(made => (made ? resolve(made) : reject(new Error("the browser cannot make a picture"))), "image/png"));
  return new File([/** @type {Blob} */ (blob)], name, { type: "image/png" });
}
