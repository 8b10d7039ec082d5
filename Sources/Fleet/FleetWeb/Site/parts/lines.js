/** The lines of a work order: labour, parts and others, with quantities and costs. */
import { html, useEffect, useRef, useState } from "../lib/preact.js";
import { moneyText, number, parseMoney, parseQuantity } from "../format.js";
import { t } from "../texts.js";
import { Icon } from "./icons.js";

/** @typedef {{ kind: string, text: string, quantity?: number, cost?: { amount: string, currency: string },
 *   wrong?: Record<string, string> }} Line `wrong`: texts that are not understood, by the name of the value. */

const kinds = ["labour", "part", "other"];

/**
 * The lines as the server receives them: without empty ones.
 * @param {Line[]} lines
 * @returns {Line[] | null} `null` if a text is missing or not understood
 */
export function finished(lines) {
  const filled = lines.filter(line => line.text.trim() || line.cost || Object.keys(line.wrong ?? {}).length > 0);
  if (filled.some(line => !line.text.trim() || Object.keys(line.wrong ?? {}).length > 0)) return null;
  return filled.map(({ wrong: _, ...line }) => ({ ...line, text: line.text.trim() }));
}

/**
 * The sums of the lines, one for each currency. They are exact: amounts have at most four digits after the point.
 * @param {Line[]} lines
 * @returns {{ amount: string, currency: string }[]}
 */
export function sums(lines) {
  /** @type {Map<string, bigint>} */
  const found = new Map();
  for (const { cost } of lines) {
    if (!cost) continue;
    const [whole, part = ""] = cost.amount.split(".");
    const sign = whole.startsWith("-") ? -1n : 1n;
    const value = BigInt(whole) * 10_000n + sign * BigInt(part.padEnd(4, "0").slice(0, 4));
    found.set(cost.currency, (found.get(cost.currency) ?? 0n) + value);
  }
  return [...found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([currency, value]) => {
    const digits = (value < 0n ? -value : value).toString().padStart(5, "0");
    return { amount: `${value < 0n ? "-" : ""}${digits.slice(0, -4)}.${digits.slice(-4).replace(/0{1,2}$/, "")}`, currency };
  });
}

/** @param {{ lines: Line[] }} props */
function Sum({ lines }) {
  const found = sums(lines);
  return found.length === 0 ? null : html`${found.map((money, place) => html`${place > 0 && " + "}${moneyText(money)}`)}`;
}

/** @param {{ lines: Line[] }} props */
export function LinesTable({ lines }) {
  return html`<table class="lines"><thead><tr><th scope="col">${t("line.text")}</th><th scope="col" class="rest">${t("line.kind")}</th><th scope="col" class="num">${t("line.quantity")}</th><th scope="col" class="num">${t("line.cost")}</th></tr></thead>
    <tbody>${lines.map(line => html`<tr><td>${line.text}</td><td class="rest">${t("lineKind." + line.kind)}</td><td class="num">${number(line.quantity ?? 1, 3)}</td><td class="num">${line.cost ? moneyText(line.cost) : "–"}</td></tr>`)}</tbody>
    ${sums(lines).length > 0 && html`<tfoot><tr><th scope="row" colspan="2">${t("line.sum")}</th><td class="rest"></td><td class="num"><b><${Sum} lines=${lines} /></b></td></tr></tfoot>`}</table>`;
}

/**
 * Enters lines. A text that is not a number or not an amount stays as it is written, and is marked.
 * @param {{ value: Line[], currency: string, onInput: (lines: Line[]) => void }} props
 */
export function LinesInput({ value, currency, onInput }) {
  const [removed, setRemoved] = useState(/** @type {{ line: Line, place: number } | null} */ (null));
  const list = useRef(/** @type {any} */ (null));
  const isNew = useRef(false);
  useEffect(() => {
    if (!isNew.current) return;
    isNew.current = false;
    list.current?.querySelector("li:last-child input")?.focus();
  }, [value.length]);
  const set = (/** @type {number} */ place, /** @type {Partial<Line>} */ change) => onInput(value.map((line, other) => (other === place ? { ...line, ...change } : line)));
  const enter = (/** @type {number} */ place, /** @type {"quantity" | "cost"} */ name, /** @type {any} */ found, /** @type {string} */ text) => {
    const { [name]: _, ...wrong } = value[place].wrong ?? {};
    set(place, { [name]: found ?? undefined, wrong: text.trim() && found === null ? { ...wrong, [name]: text } : wrong });
  };
  const add = () => { isNew.current = true; setRemoved(null); onInput([...value, { kind: "part", text: "", quantity: 1 }]); };
  return html`<ul class="line-list" ref=${list}>${value.map((line, place) => html`<li key=${place}>
      <input class="text" aria-label=${t("line.text")} placeholder=${t("line.text")} value=${line.text} onInput=${(/** @type {any} */ event) => set(place, { text: event.target.value })} />
      <select aria-label=${t("line.kind")} onChange=${(/** @type {any} */ event) => set(place, { kind: event.target.value })}>${kinds.map(kind => html`<option value=${kind} selected=${kind === line.kind}>${t("lineKind." + kind)}</option>`)}</select>
      <${Entry} label=${t("line.quantity")} value=${line.quantity} wrong=${line.wrong?.quantity} show=${(/** @type {number} */ amount) => number(amount, 3)} read=${(/** @type {string} */ text) => parseQuantity(text)} fault=${t("fault.number")} onInput=${(/** @type {any} */ found, /** @type {string} */ text) => enter(place, "quantity", found, text)} />
      <${Entry} label=${t("line.cost")} value=${line.cost} wrong=${line.wrong?.cost} show=${moneyText} read=${(/** @type {string} */ text) => parseMoney(text, currency)} fault=${t("fault.money")} onInput=${(/** @type {any} */ found, /** @type {string} */ text) => enter(place, "cost", found, text)} />
      <button type="button" class="plain" aria-label=${`${t("action.remove")}: ${line.text || t("line.one")}`} onClick=${() => { setRemoved({ line, place }); onInput(value.filter((_, other) => other !== place)); }}><${Icon} name="close" size=${16} /></button></li>`)}</ul>
    <div class="line-actions"><button type="button" class="button" onClick=${add}><${Icon} name="plus" size=${16} />${t("line.add")}</button>
      ${removed && html`<button type="button" class="button" onClick=${() => { onInput([...value.slice(0, removed.place), removed.line, ...value.slice(removed.place)]); setRemoved(null); }}>${t("action.undo")}</button>`}
      <span class="sum" role="status">${sums(value).length > 0 && html`${t("line.sum")} <b><${Sum} lines=${value} /></b>`}</span></div>`;
}

/**
 * One value of a line, entered as text.
 * @param {{ label: string, value: any, wrong?: string, show: (value: any) => string, read: (text: string) => any, fault: string, onInput: (value: any, text: string) => void }} props
 *   `wrong`: a text that was entered and not understood.
 */
function Entry({ label, value, wrong, show, read, fault, onInput }) {
  const [text, setText] = useState(/** @type {string | null} */ (wrong ?? null));
  const isWrong = wrong !== undefined;
  return html`<span class="entry"><input inputmode="decimal" aria-label=${label} placeholder=${label} autocomplete="off" aria-invalid=${isWrong ? "true" : undefined}
      value=${text ?? (value === undefined || value === null ? "" : show(value))} onFocus=${(/** @type {any} */ event) => event.target.select()}
      onInput=${(/** @type {any} */ event) => { setText(event.target.value); onInput(event.target.value.trim() ? read(event.target.value) : null, event.target.value); }}
      onBlur=${() => { if (!isWrong) setText(null); }} />${isWrong && html`<span class="fault">${fault}</span>`}</span>`;
}
