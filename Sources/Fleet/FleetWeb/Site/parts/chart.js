/** A chart over time, with the same values as a table. */
import uPlot from "../lib/uplot.js";
import { html, useEffect, useRef, useState } from "../lib/preact.js";
import { clockText, inUnit, number, timeText, timeZone, unitName } from "../format.js";
import { t } from "../texts.js";
import { loadStyle, token } from "./style-sheet.js";

await loadStyle(new URL("../lib/uplot.css", import.meta.url));

/**
 * @param {{ times: number[], values: (number | null)[], label: string, unit: string, digits?: number, from: number, to: number,
 *   onZoom?: (from: number, to: number) => void }} props Times in seconds. `onZoom`: the person has chosen a period.
 */
export default function Chart({ times, values, label, unit, digits = 0, from, to, onZoom }) {
  const element = useRef(/** @type {any} */ (null));
  const [isTable, setTable] = useState(false);
  const [scheme, setScheme] = useState(0);
  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const update = () => setScheme((/** @type {number} */ count) => count + 1);
    dark.addEventListener("change", update);
    return () => dark.removeEventListener("change", update);
  }, []);
  useEffect(() => {
    if (isTable || !element.current) return;
    const shown = values.map(value => (value === null ? null : inUnit(value, unit)));
    const axis = { stroke: token("ink-soft"), grid: { stroke: token("line"), width: 1 }, ticks: { show: false }, font: `12px ${getComputedStyle(document.body).fontFamily}` };
    const long = to - from > 2 * 86_400;
    const plot = new uPlot({
      width: element.current.clientWidth, height: 240, tzDate: (/** @type {number} */ time) => uPlot.tzDate(new Date(time * 1000), timeZone()),
      scales: { x: { time: true, range: [from, to] }, y: { range: (/** @type {any} */ _, /** @type {number} */ low, /** @type {number} */ high) => low === null ? [0, 1] : [Math.min(0, low), high === low ? high + 1 : high * 1.06] } },
      cursor: { drag: { x: true, y: false, setScale: false }, points: { size: 7 } },
      legend: { live: true, markers: { show: false } },
      axes: [{ ...axis, size: 34, space: 80, values: (/** @type {any} */ _, /** @type {number[]} */ ticks) => ticks.map(tick => (long ? timeText(tick * 1000).split(",")[0] : clockText(tick * 1000))) },
        { ...axis, size: 54, values: (/** @type {any} */ _, /** @type {number[]} */ ticks) => ticks.map(tick => number(tick, 1)) }],
      series: [{ label: t("field.at"), value: (/** @type {any} */ _, /** @type {number} */ time) => (time ? timeText(time * 1000) : "–") },
        {
          label, stroke: token("accent"), width: 2, fill: token("accent").replace("rgb(", "rgba(").replace(")", ", 0.12)"), points: { show: false }, spanGaps: false,
          value: (/** @type {any} */ _, /** @type {number | null} */ value) => (value === null || value === undefined ? "–" : `${number(value, digits)} ${unitName(unit)}`),
        }],
      hooks: {
        setSelect: [(/** @type {any} */ plot) => {
          if (plot.select.width > 8) onZoom?.(plot.posToVal(plot.select.left, "x"), plot.posToVal(plot.select.left + plot.select.width, "x"));
          plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
        }],
      },
    }, [times, shown], element.current);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.current.clientWidth, height: 240 }));
    observer.observe(element.current);
    return () => { observer.disconnect(); plot.destroy(); };
  }, [times, values, label, unit, isTable, scheme]);
  const step = Math.max(1, Math.ceil(times.length / 60));
  return html`<div class="chart">${isTable ? html`<div class="scroll tall" tabindex="0" role="region" aria-label=${label}><table><thead><tr><th scope="col">${t("field.at")}</th><th scope="col" class="num">${label} (${unitName(unit)})</th></tr></thead>
      <tbody>${times.filter((_, place) => place % step === 0).map((time, row) => {
        const value = values[row * step];
        return html`<tr key=${time}><td>${timeText(time * 1000)}</td><td class="num">${value === null ? "–" : number(inUnit(value, unit), digits)}</td></tr>`;
      })}</tbody></table></div>`
    : html`<div class="plot" ref=${element} role="img" aria-label=${label}></div>`}
    <p><button type="button" class="plain link" onClick=${() => setTable(!isTable)}>${t(isTable ? "vehicle.asChart" : "vehicle.table")}</button></p></div>`;
}
