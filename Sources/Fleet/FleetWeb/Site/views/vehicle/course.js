/** The course of any signal over any time. The server samples the records; a part that is chosen is read again, with more of them. */
import { html, useEffect, useState } from "../../lib/preact.js";
import { get, pathOf } from "../../api.js";
import { timeText } from "../../format.js";
import { Empty, Loading, Trouble, useLoad } from "../../parts/ui.js";
import { setQuery } from "../../router.js";
import { t } from "../../texts.js";
import { signalName, signals } from "./signals.js";

/** Periods to choose from, in hours. */
const periods = [1, 6, 24, 168, 720];

/** @param {{ id: string, values: any, place: import("../../router.js").Place }} props */
export function Course({ id, values, place }) {
  const [Chart, setChart] = useState(/** @type {any} */ (null));
  const [others, setOthers] = useState(/** @type {Record<string, [string, string]>} */ ({}));
  const hours = Number(place.query.get("hours")) || 1;
  const [to, setTo] = useState(() => Date.now() / 1000);
  useEffect(() => {
    // Load the code and the names that only this page needs.
    import("../../parts/chart.js").then(module => setChart(() => module.default));
    fetch(new URL("../../lib/signals.json", import.meta.url)).then(answer => answer.json()).then(setOthers, () => {});
  }, []);
  // A record has only the values of its second. Some records of the period have all signals that the vehicle reports.
  const sample = useLoad(signal => get(pathOf("/api/vehicles", id, "telemetry"), {
    from: new Date((to - hours * 3600) * 1000).toISOString(), every: Math.max(1, hours * 60), limit: 60,
  }, signal), [id, hours]);
  const reported = new Set([values, ...(sample.value?.data ?? [])].flatMap(record => Object.keys(record).filter(name => typeof record[name] === "number")));
  const usual = signals.filter(([name]) => reported.has(name));
  const more = [...reported].filter(name => !signals.some(([usual]) => usual === name) && !["seq", "latitude", "longitude"].includes(name))
    .map(name => /** @type {[string, string, number]} */ ([name, others[name]?.[1] ?? "", 2]));
  const choices = usual.length + more.length > 0 ? [...usual, ...more] : signals.slice(0, 1);
  const [name, unit, digits] = choices.find(([name]) => name === place.query.get("signal")) ?? choices[0];
  const title = (/** @type {string} */ name) => signalName(name, others[name]?.[0]);
  const [zooms, setZooms] = useState(/** @type {[number, number][]} */ ([]));
  useEffect(() => { setZooms([]); setTo(Date.now() / 1000); }, [hours]);
  const period = zooms[zooms.length - 1] ?? [to - hours * 3600, to];
  const loaded = useLoad(async signal => {
    const every = Math.max(1, Math.round((period[1] - period[0]) / 800));
    /** @type {number[]} */
    const times = [];
    /** @type {(number | null)[]} */
    const found = [];
    /** @type {string | undefined} */
    let cursor;
    do {
      /** @type {any} */
      const page = await get(pathOf("/api/vehicles", id, "telemetry"), {
        from: new Date(period[0] * 1000).toISOString(), to: new Date(period[1] * 1000).toISOString(), fields: name, every, limit: 1000, cursor,
      }, signal);
      for (const record of page.data) {
        if (typeof record[name] !== "number") continue;
        const time = Date.parse(record.timestamp) / 1000;
        // A pause without values is a gap in the chart's line.
        const last = times[times.length - 1];
        if (last !== undefined && time - last > Math.max(120, 4 * every)) {
          times.push(last + 1);
          found.push(null);
        }
        times.push(time);
        found.push(record[name]);
      }
      cursor = page.next;
    } while (cursor);
    return { times, values: found, every };
  }, [id, name, period[0], period[1]]);
  const move = (/** @type {number} */ direction) => {
    const length = (period[1] - period[0]) / 2 * direction;
    setZooms([...zooms.slice(0, -1), [period[0] + length, period[1] + length]]);
  };
  return html`<section class="card"><header><h2>${t("vehicle.chart")}</h2><div class="end controls">
      <label><span class="hidden">${t("vehicle.signal")}</span><select onChange=${(/** @type {any} */ event) => setQuery({ signal: event.target.value })}>
        ${usual.map(([choice]) => html`<option value=${choice} selected=${choice === name}>${title(choice)}</option>`)}
        ${more.length > 0 && html`<optgroup label=${t("vehicle.moreSignals")}>${more.map(([choice]) => ({ choice, text: title(choice) })).sort((a, b) => a.text.localeCompare(b.text))
          .map(({ choice, text }) => html`<option value=${choice} selected=${choice === name}>${text}</option>`)}</optgroup>`}</select></label>
      <label><span class="hidden">${t("vehicle.period")}</span><select onChange=${(/** @type {any} */ event) => setQuery({ hours: event.target.value })}>${periods.map(count => html`<option value=${count} selected=${count === hours}>${t("period." + count)}</option>`)}</select></label>
      <button type="button" class="button" onClick=${() => move(-1)} aria-label=${t("vehicle.earlier")}>‹</button><button type="button" class="button" onClick=${() => move(1)} aria-label=${t("vehicle.later")} disabled=${period[1] >= to}>›</button>
      <button type="button" class="button" onClick=${() => { const quarter = (period[1] - period[0]) / 4; setZooms([...zooms, [period[0] + quarter, period[1] - quarter]]); }}>${t("vehicle.zoomIn")}</button>
      ${zooms.length > 0 && html`<button type="button" class="button" onClick=${() => setZooms(zooms.slice(0, -1))}>${t("vehicle.zoomOut")}</button>`}</div></header>
    ${loaded.error && !(loaded.error instanceof Error && /** @type {any} */ (loaded.error).status === 400) ? html`<${Trouble} error=${loaded.error} retry=${loaded.reload} />`
      : !loaded.value && !loaded.error || !Chart ? html`<${Loading} />`
      : !loaded.value || loaded.value.times.length === 0 ? html`<${Empty} title=${t("vehicle.noData")}><p>${t("vehicle.noDataHelp")}</p></${Empty}>`
      : html`<${Chart} times=${loaded.value.times} values=${loaded.value.values} label=${title(name)} unit=${unit} digits=${digits} from=${period[0]} to=${period[1]}
          onZoom=${(/** @type {number} */ from, /** @type {number} */ until) => setZooms([...zooms, [from, until]])} />
        <p class="soft small chart-note">${timeText(period[0] * 1000)} – ${timeText(period[1] * 1000)} · ${loaded.value.every === 1 ? t("vehicle.allValues") : t("vehicle.sampled", { seconds: loaded.value.every })}</p>`}</section>`;
}
