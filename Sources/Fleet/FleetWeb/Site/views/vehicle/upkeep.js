/** What a vehicle needs and costs: due services, costs, and fuel economy. */
import { html } from "../../lib/preact.js";
import { get, pathOf } from "../../api.js";
import { dayText, inUnit, moneyText, number, quantity, unitName } from "../../format.js";
import { useChanges } from "../../parts/changes.js";
import { serviceTypeName } from "../../parts/names.js";
import { Loading, Trouble, useLoad } from "../../parts/ui.js";
import { may } from "../../state.js";
import { t } from "../../texts.js";
import { remaining } from "../work.js";
import { DueState } from "../work-kinds.js";

/** The beginning of the period of costs: a year ago. */
function yearAgo() { return new Date(Date.now() - 365 * 86_400_000).toISOString().slice(0, 10); }

/** @param {{ id: string, due: ReturnType<typeof useLoad<any>> }} props */
export function Services({ id, due }) {
  const list = due.value?.data ?? [];
  return html`<section class="card"><header><h2>${t("vehicle.services")}</h2>${may("maintenance", "write") && html`<a class="button" href=${"/service-schedules/new?vehicleId=" + encodeURIComponent(id)}>${t("vehicle.addService")}</a>`}</header>
    ${due.error ? html`<${Trouble} error=${due.error} retry=${due.reload} />` : !due.value ? html`<${Loading} />` : list.length === 0 ? html`<p class="quiet soft">${t("vehicle.noServices")}</p>`
      : html`<ul class="links">${list.map((/** @type {any} */ service) => html`<li key=${service.scheduleId}><span><a href=${"/service-schedules/" + service.scheduleId}><b>${serviceTypeName(service.serviceType)}</b></a>
        <span class="soft small block">${remaining(service).join(" · ")}</span></span><${DueState} state=${service.state} /></li>`)}</ul>`}</section>`;
}

/** @param {{ id: string }} props */
export function Costs({ id }) {
  const costs = useLoad(async signal => (may("costs") ? get(pathOf("/api/vehicles", id, "costs"), { from: yearAgo() }, signal) : null), [id]);
  useChanges(may("costs") ? ["expense", "fuelEntry", "maintenanceRecord"] : [], costs.refresh, change => change.vehicleId === id);
  if (!may("costs")) return null;
  const { value } = costs;
  const categories = Object.entries(value?.byCategory ?? {});
  const currency = value?.total[0]?.currency;
  const parts = categories.map(([name, amounts]) => ({ name, value: Number(amounts.find((/** @type {any} */ one) => one.currency === currency)?.amount ?? 0), amounts })).sort((a, b) => b.value - a.value);
  const all = parts.reduce((sum, part) => sum + Math.max(0, part.value), 0);
  const money = (/** @type {any[]} */ amounts) => (amounts?.length ? amounts.map(one => moneyText(one)).join(" + ") : "–");
  return html`<section class="card"><header><h2>${t("vehicle.costs")}</h2><span class="soft small">${t("vehicle.lastYear")}</span></header>
    ${costs.error ? html`<${Trouble} error=${costs.error} retry=${costs.reload} />` : !value ? html`<${Loading} />` : value.total.length === 0 ? html`<p class="quiet soft">${t("vehicle.noCosts")}</p>`
      : html`<dl class="facts"><div><dt>${t("cost.total")}</dt><dd><b>${money(value.total)}</b></dd></div>
          <div><dt>${t("cost.perDistance", { unit: unitName("km") })}</dt><dd>${money(value.perKilometer.map((/** @type {any} */ one) => ({ ...one, amount: (Number(one.amount) / inUnit(1, "km")).toFixed(2) })))}</dd></div>
          <div><dt>${t("cost.perDay")}</dt><dd>${money(value.perDay.map((/** @type {any} */ one) => ({ ...one, amount: Number(one.amount).toFixed(2) })))}</dd></div></dl>
        <table class="bars"><tbody>${parts.map(part => html`<tr key=${part.name}><th scope="row">${categoryName(part.name)}</th><td class="fill"><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="bar" width=${all > 0 ? Math.max(1, Math.max(0, part.value) / all * 100) : 0} height="8" /></svg></td><td class="num">${money(/** @type {any[]} */ (part.amounts))}</td></tr>`)}</tbody></table>
        ${value.estimated && html`<p class="quiet soft small">${t("cost.estimated")}</p>`}
        ${value.pending && html`<p class="quiet soft small">${t("cost.pending", { count: number(value.pending.length) })}</p>`}
        ${value.distance && value.distance.basis !== "telemetry" && html`<p class="quiet soft small">${t("cost.basis." + value.distance.basis, { distance: number(inUnit(value.distance.kilometers, "km"), 0), unit: unitName("km") })}</p>`}
        ${value.withoutAmount > 0 && html`<p class="quiet soft small">${t("cost.withoutAmount", { count: number(value.withoutAmount) })}</p>`}`}</section>`;
}

/** @param {string} name */
function categoryName(name) {
  const key = "expense." + name;
  const text = t(key);
  return text === key ? t("cost." + name) : text;
}

/** @param {{ economy: ReturnType<typeof useLoad<any>> }} props */
export function Economy({ economy }) {
  const averages = Object.entries(economy.value?.average ?? {});
  if (averages.length === 0) return null;
  const intervals = [...(economy.value?.intervals ?? [])].reverse();
  return html`<section class="card"><header><h2>${t("vehicle.economy")}</h2></header>
    <dl class="facts">${averages.map(([energy, one]) => html`<div key=${energy}><dt>${t("energy." + energy)}</dt><dd><b>${economyText(one)}</b></dd></div>`)}</dl>
    <div class="scroll tall" tabindex="0" role="region" aria-label=${t("vehicle.economy")}><table><thead><tr><th scope="col">${t("economy.fill")}</th><th scope="col">${t("field.energy")}</th><th scope="col" class="num">${t("trip.distance")}</th><th scope="col" class="num">${t("economy.consumption")}</th></tr></thead>
      <tbody>${intervals.map(one => html`<tr key=${one.energy + one.to}><td>${dayText(one.to.slice(0, 10))}</td><td>${t("energy." + one.energy)}</td><td class="num">${quantity(one.distance, "km")}</td><td class="num">${economyText(one)}</td></tr>`)}</tbody></table></div></section>`;
}

/**
 * A consumption in the person's unit.
 * @param {any} one
 */
export function economyText(one) {
  if (one.litresPer100km !== undefined) return quantity(one.litresPer100km, "L/100km", 1);
  const entry = Object.entries(one).find(([name]) => name.endsWith("Per100km"));
  return entry ? `${number(/** @type {number} */ (entry[1]), 1)}\u00a0${one.unit ?? ""}/100\u00a0km` : "–";
}
