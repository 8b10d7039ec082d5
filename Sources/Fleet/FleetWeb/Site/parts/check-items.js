/** The items of a checklist, in the order in which they are inspected. */
import "../texts/checklists.js";
import { html, useEffect, useRef, useState } from "../lib/preact.js";
import { t } from "../texts.js";
import { Icon } from "./icons.js";

/** @typedef {import("./check-codes.js").CheckItem} CheckItem */

/** @param {{ value: CheckItem[], onInput: (value: CheckItem[]) => void }} props */
export function CheckItemsInput({ value, onInput }) {
  const list = useRef(/** @type {any} */ (null));
  // The place and the part of the item that receives the focus after the next drawing.
  const next = useRef(/** @type {{ place: number, part: string } | null} */ (null));
  const [removed, setRemoved] = useState(/** @type {{ entry: CheckItem, place: number } | null} */ (null));
  const [news, setNews] = useState("");
  useEffect(() => {
    if (!next.current) return;
    const { place, part } = next.current;
    next.current = null;
    const item = list.current?.children[place];
    (item?.querySelector(part + ":not(:disabled)") ?? item?.querySelector("input"))?.focus();
  });
  const insert = (/** @type {number} */ place, /** @type {CheckItem} */ entry) => {
    next.current = { place, part: "input" };
    setRemoved(null);
    onInput([...value.slice(0, place), entry, ...value.slice(place)]);
  };
  const move = (/** @type {number} */ from, /** @type {number} */ to) => {
    const others = value.filter((_, place) => place !== from);
    next.current = { place: to, part: to < from ? ".up" : ".down" };
    setNews(t("checkItem.moved", { text: value[from].text, number: to + 1 }));
    onInput([...others.slice(0, to), value[from], ...others.slice(to)]);
  };
  const remove = (/** @type {number} */ place) => {
    next.current = { place: Math.min(place, value.length - 2), part: ".remove" };
    setRemoved({ entry: value[place], place });
    setNews(t("checkItem.removed", { text: value[place].text }));
    onInput(value.filter((_, other) => other !== place));
  };
  return html`<ol class="check-items" ref=${list}>${value.map((entry, place) => html`<li key=${place}><span class="number" aria-hidden="true">${place + 1}</span>
      <input aria-label=${t("checkItem.text", { number: place + 1 })} value=${entry.text} autocomplete="off"
        onInput=${(/** @type {any} */ event) => onInput(value.map((other, at) => (at === place ? { ...other, text: event.target.value } : other)))}
        onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
          if (event.key !== "Enter" || event.isComposing) return;
          event.preventDefault();
          if (entry.text.trim()) insert(place + 1, { item: "", text: "" });
        }} />
      <button type="button" class="plain up" disabled=${place === 0} aria-label=${t("checkItem.up", { text: entry.text })} onClick=${() => move(place, place - 1)}><${Icon} name="up" size=${16} /></button>
      <button type="button" class="plain down" disabled=${place === value.length - 1} aria-label=${t("checkItem.down", { text: entry.text })} onClick=${() => move(place, place + 1)}><${Icon} name="down" size=${16} /></button>
      <button type="button" class="plain remove" aria-label=${`${t("action.remove")}: ${entry.text}`} onClick=${() => remove(place)}><${Icon} name="close" size=${16} /></button></li>`)}</ol>
    <div class="line-actions"><button type="button" class="button" onClick=${() => insert(value.length, { item: "", text: "" })}><${Icon} name="plus" size=${16} />${t("checkItem.add")}</button>
      ${removed && html`<button type="button" class="button" onClick=${() => insert(removed.place, removed.entry)}>${t("action.undo")}</button>`}
      <span class="hidden" role="status">${news}</span></div>`;
}
