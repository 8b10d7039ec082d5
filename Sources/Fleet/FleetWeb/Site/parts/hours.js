/** The working hours of a fleet: for some days of the week, from a time of day to another. */
import { html } from "../lib/preact.js";
import { locale } from "../format.js";
import { t } from "../texts.js";
import { Icon } from "./icons.js";

/** @typedef {{ days: string[], from: string, to: string }} Shift */

const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
/** A Monday. */
const first = Date.UTC(2024, 0, 1);

/**
 * The name of a day of the week.
 * @param {string} day
 * @param {"short" | "long"} length
 */
function nameOf(day, length) { return new Intl.DateTimeFormat(locale(), { weekday: length, timeZone: "UTC" }).format(first + days.indexOf(day) * 86_400_000); }

/**
 * Days in words. Successive days are a range: `Mon – Fri`.
 * @param {string[]} chosen
 */
function rangesOf(chosen) {
  /** @type {string[][]} */
  const runs = [];
  for (const day of days.filter(day => chosen.includes(day))) {
    const last = runs.at(-1);
    if (last && days.indexOf(day) === days.indexOf(/** @type {string} */ (last.at(-1))) + 1) last.push(day);
    else runs.push([day]);
  }
  return runs.map(run => (run.length > 2 ? `${nameOf(run[0], "short")} – ${nameOf(/** @type {string} */ (run.at(-1)), "short")}` : run.map(day => nameOf(day, "short")).join(", "))).join(", ");
}

/** @param {Shift[]} shifts */
export function hoursText(shifts) { return shifts.map(shift => `${rangesOf(shift.days)} ${shift.from} – ${shift.to}`).join("; "); }

/**
 * Whether each line has a day and both times.
 * @param {Shift[]} shifts
 */
export function areHoursComplete(shifts) { return shifts.every(shift => shift.days.length > 0 && shift.from && shift.to && shift.from < shift.to); }

/** @param {{ value: Shift[], onInput: (value: Shift[]) => void }} props */
export function HoursInput({ value, onInput }) {
  const set = (/** @type {number} */ place, /** @type {Partial<Shift>} */ change) => onInput(value.map((shift, other) => (other === place ? { ...shift, ...change } : shift)));
  const toggle = (/** @type {number} */ place, /** @type {string} */ day) => {
    const { days: chosen } = value[place];
    set(place, { days: days.filter(other => (other === day ? !chosen.includes(day) : chosen.includes(other))) });
  };
  return html`<ul class="shifts">${value.map((shift, place) => html`<li key=${place}>
      <span class="chips" role="group" aria-label=${t("hours.days", { number: place + 1 })}>${days.map(day => html`<button type="button" class="chip" key=${day} aria-label=${nameOf(day, "long")} aria-pressed=${shift.days.includes(day) ? "true" : "false"} onClick=${() => toggle(place, day)}>${nameOf(day, "short")}</button>`)}</span>
      <span class="times"><input type="time" aria-label=${t("hours.from", { number: place + 1 })} value=${shift.from} onInput=${(/** @type {any} */ event) => set(place, { from: event.target.value })} /> –
        <input type="time" aria-label=${t("hours.to", { number: place + 1 })} value=${shift.to} onInput=${(/** @type {any} */ event) => set(place, { to: event.target.value })} />
        <button type="button" class="plain" aria-label=${t("hours.remove", { number: place + 1 })} onClick=${() => onInput(value.filter((_, other) => other !== place))}><${Icon} name="close" size=${16} /></button></span></li>`)}</ul>
    <button type="button" class="button" onClick=${() => onInput([...value, { days: value.length === 0 ? days.slice(0, 5) : [], from: "08:00", to: "17:00" }])}><${Icon} name="plus" size=${16} />${t("hours.add")}</button>`;
}
