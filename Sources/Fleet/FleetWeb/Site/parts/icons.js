/** Icons: line drawings 24 units wide for the navigation, and shapes 12 units wide for states. */
import { html } from "../lib/preact.js";

/** @type {Record<string, any>} */
const lines = {
  live: html`<path d="M12 21s7-6.2 7-11a7 7 0 0 0-14 0c0 4.800 7 11 7 11z"/><circle cx="12" cy="10" r="2.500"/>`,
  vehicle: html`<path d="M3 16v-4l2-5h9l4 5h3v4"/><circle cx="7.500" cy="16.500" r="2"/><circle cx="17" cy="16.500" r="2"/><path d="M9.500 16.500H15"/>`,
  people: html`<circle cx="9" cy="8" r="3.500"/><path d="M3 20c.6-4 3-6 6-6s5.400 2 6 6"/><path d="M16 5.500a3 3 0 0 1 0 5.500M18 14.500c2 .8 3 2.700 3.300 5.500"/>`,
  person: html`<circle cx="12" cy="8" r="3.500"/><path d="M5 20c.6-4 3.500-6 7-6s6.400 2 7 6"/>`,
  service: html`<path d="M14.500 6.500a4 4 0 0 0 5 5L11 20a2.500 2.500 0 0 1-3.500-3.500z"/><path d="M14.500 6.500 17 4a5 5 0 0 1 3 3l-2.500 2.500"/>`,
  fence: html`<path d="M5 7l7-3 7 4-1 9-8 3-6-5z"/>`,
  report: html`<path d="M5 20V10M12 20V4M19 20v-7"/>`,
  journey: html`<circle cx="6" cy="18" r="2.500"/><circle cx="18" cy="6" r="2.500"/><path d="M8.500 18H15a3 3 0 0 0 0-6H9a3 3 0 0 1 0-6h6.500"/>`,
  settings: html`<circle cx="12" cy="12" r="3"/><path d="M12 3v3M12 18v3M3 12h3M18 12h3M5.600 5.600l2.100 2.100M16.300 16.300l2.100 2.100M5.600 18.400l2.100-2.100M16.300 7.700l2.100-2.100"/>`,
  calendar: html`<rect x="4" y="5.500" width="16" height="14.500" rx="2"/><path d="M4 10h16M8.500 3v4M15.500 3v4"/>`,
  money: html`<rect x="3" y="6" width="18" height="12" rx="2"/><circle cx="12" cy="12" r="2.500"/><path d="M6.500 9.500v5M17.500 9.500v5"/>`,
  fleet: html`<rect x="4" y="4" width="7" height="7" rx="1.500"/><rect x="13" y="4" width="7" height="7" rx="1.500"/><rect x="4" y="13" width="7" height="7" rx="1.500"/><rect x="13" y="13" width="7" height="7" rx="1.500"/>`,
  group: html`<path d="M4 19V9l5-4 5 4v10z"/><path d="M14 11h6v8h-6M7.500 19v-4h3v4"/>`,
  key: html`<circle cx="8" cy="14" r="4"/><path d="m11 11 8.500-8M15.500 7l2.500 2.500"/>`,
  shield: html`<path d="M12 3.500 5 6v5c0 4.500 3 8 7 9.500 4-1.500 7-5 7-9.500V6z"/><path d="m9 12 2.200 2.200L15.200 10"/>`,
  search: html`<circle cx="11" cy="11" r="6"/><path d="m20 20-4.500-4.500"/>`,
  more: html`<path d="M4 7h16M4 12h16M4 17h16"/>`,
  plus: html`<path d="M12 5v14M5 12h14"/>`,
  down: html`<path d="m6 9 6 6 6-6"/>`,
  up: html`<path d="m6 15 6-6 6 6"/>`,
  close: html`<path d="m6 6 12 12M18 6 6 18"/>`,
  fuel: html`<path d="M5 20V6a2 2 0 0 1 2-2h5a2 2 0 0 1 2 2v14M4 20h11M7.500 8.500h4M14 11h2.500a1.500 1.500 0 0 1 1.500 1.500V16a1.500 1.500 0 0 0 3 0V9l-3-3"/>`,
  check: html`<path d="m5 12.500 4.500 4.500L19 7.500"/>`,
  notice: html`<path d="M6 16V11a6 6 0 0 1 12 0v5l1.500 2h-15z"/><path d="M10 20.500a2 2 0 0 0 4 0"/>`,
  document: html`<path d="M6 3.500h8l4.500 4.500v12.500H6z"/><path d="M13.500 3.500V8.500h5M9 13h6M9 16.500h6"/>`,
  warning: html`<path d="M12 4 3 19.500h18z"/><path d="M12 10v4.500M12 17v.3"/>`,
  transfer: html`<path d="M4 8h14M14.500 4.500 18 8l-3.500 3.500M20 16H6M9.500 12.500 6 16l3.500 3.500"/>`,
  play: html`<path d="M7 5v14l12-7z"/>`,
  pause: html`<path d="M8 5v14M16 5v14"/>`,
  phone: html`<rect x="7" y="3" width="10" height="18" rx="2"/><path d="M11 17.500h2"/>`,
  camera: html`<path d="M4 8h3.500l1.500-2.500h6L16.500 8H20v11H4z"/><circle cx="12" cy="13" r="3.500"/>`,
  follow: html`<circle cx="12" cy="12" r="5"/><path d="M12 2.500V6M12 18v3.500M2.500 12H6M18 12h3.500"/>`,
};

/** @param {{ name: string, size?: number }} props */
export function Icon({ name, size = 18 }) {
  return html`<svg class="icon" width=${size} height=${size} viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8"
    stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${lines[name]}</svg>`;
}

/** The shapes of states, as paths of 12 units; the map draws the same. */
export const shapes = {
  moving: "M6 1l5 10-5-2.500L1 11z",
  idle: "M2 1h3v10H2zM7 1h3v10H7z",
  parked: "M3 1.500h6A1.500 1.500 0 0 1 10.500 3v6A1.500 1.500 0 0 1 9 10.500H3A1.500 1.500 0 0 1 1.500 9V3A1.500 1.500 0 0 1 3 1.500z",
  danger: "M6 .8 11.600 11H.4z",
  silent: "M6 1.700a4.300 4.300 0 1 0 .01 0",
  dot: "M6 2.200a3.800 3.800 0 1 0 .01 0",
  good: "M1.500 6.500 4.500 9.500 10.500 2.500",
};

/** @typedef {keyof typeof shapes} Shape */

/** @param {{ shape: Shape }} props */
export function Shape({ shape }) {
  const isLine = shape === "silent" || shape === "good";
  return html`<svg class="shape" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true"><path d=${shapes[shape]}
    fill=${isLine ? "none" : "currentColor"} stroke=${isLine ? "currentColor" : "none"} stroke-width=${isLine ? 1.8 : 0}
    stroke-dasharray=${shape === "silent" ? "3 2" : undefined} stroke-linecap="round" stroke-linejoin="round"/></svg>`;
}

/**
 * A state as shape, word and colour.
 * @param {{ shape: Shape, tone?: string, children?: any }} props `tone`: the colour; that of the shape if absent.
 */
export function Status({ shape, tone, children }) {
  return html`<span class=${"status " + (tone ?? shape)}><${Shape} shape=${shape} /><span>${children}</span></span>`;
}

/**
 * The mark of a column by which a list can be sorted: both arrows, or that of the present order.
 * @param {{ order?: "ascending" | "descending" }} props
 */
export function SortMark({ order }) {
  return html`<svg class=${"sort-mark" + (order ? " on" : "")} viewBox="0 0 8 12" width="8" height="12" fill="currentColor" aria-hidden="true">
    ${order !== "descending" && html`<path d="M4 1 7 5H1z" />`}${order !== "ascending" && html`<path d="M4 11 1 7h6z" />`}</svg>`;
}
