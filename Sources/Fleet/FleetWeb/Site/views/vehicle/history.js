/** What happened to a vehicle: crossings, driving events and changes; and the health of its gateway. */
import { html, useState } from "../../lib/preact.js";
import { all, get, pathOf } from "../../api.js";
import { nearText, number, quantity, timeText } from "../../format.js";
import { healthLooks, healthOf } from "../../parts/gateways.js";
import { changesOf, actorOf, actionText } from "../../parts/audit.js";
import { Status } from "../../parts/icons.js";
import { useNames } from "../../parts/names.js";
import { Loading, Trouble, useLoad } from "../../parts/ui.js";
import { to } from "../../router.js";
import { may } from "../../state.js";
import { t } from "../../texts.js";

/** @param {{ id: string }} props */
export function Events({ id }) {
  const loaded = useLoad(signal => get(pathOf("/api/vehicles", id, "events"), { limit: 30, type: "geofence,driving,gap" }, signal), [id]);
  const list = loaded.value?.data ?? [];
  return html`<section class="card"><header><h2>${t("vehicle.events")}</h2></header>
    ${loaded.error ? html`<${Trouble} error=${loaded.error} retry=${loaded.reload} />` : !loaded.value ? html`<${Loading} />` : list.length === 0 ? html`<p class="quiet soft">${t("vehicle.noEvents")}</p>`
      : html`<ul class="links">${list.map((/** @type {any} */ record) => html`<li key=${record.id}><span>${eventText(record)}</span><span class="soft small">${record.timestamp ? nearText(record.timestamp) : ""}</span></li>`)}</ul>`}</section>`;
}

/** @param {any} record */
function eventText(record) {
  if (record.type === "geofence") return html`<a href=${to("fences", String(record.fenceId))}>${record.fenceName ?? record.fenceId}</a> <${Status} shape=${record.event === "exit" ? "dot" : "good"} tone=${record.event === "exit" ? "parked" : "moving"}>${t("fenceEvent." + record.event)}</${Status}>`;
  if (record.type === "gap") return html`<${Status} shape="danger">${t("event.gap", { count: number(record.count ?? 0) })}</${Status}>`;
  const detail = record.event === "overspeed" ? quantity(record.maxSpeed ?? record.speed, "km/h") : record.fromSpeed !== undefined && record.toSpeed !== undefined ? `${quantity(record.fromSpeed, "km/h")} → ${quantity(record.toSpeed, "km/h")}` : "";
  const key = "event." + record.event;
  return html`<${Status} shape="idle">${t(key) === key ? record.event : t(key)}</${Status}> <span class="soft">${detail}</span>`;
}

/** @param {{ id: string }} props */
export function History({ id }) {
  useNames();
  const [count, setCount] = useState(8);
  const loaded = useLoad(async signal => (may("audit") === "all" ? get("/api/audit", { vehicle: id, limit: 100 }, signal) : null), [id]);
  if (may("audit") !== "all") return null;
  const list = loaded.value?.data ?? [];
  return html`<section class="card"><header><h2>${t("vehicle.history")}</h2></header>
    ${loaded.error ? html`<${Trouble} error=${loaded.error} retry=${loaded.reload} />` : !loaded.value ? html`<${Loading} />`
      : html`<div class="scroll" tabindex="0" role="region" aria-label=${t("vehicle.history")}><table class="audit"><thead><tr><th scope="col">${t("audit.time")}</th><th scope="col">${t("audit.actor")}</th><th scope="col">${t("audit.action")}</th><th scope="col" class="rest">${t("audit.change")}</th></tr></thead>
        <tbody>${list.slice(0, count).map((/** @type {any} */ entry) => html`<tr key=${entry.number}><td>${timeText(entry.time)}</td><td>${actorOf(entry)}</td><td><b>${actionText(entry.action)}</b></td><td class="rest">${changesOf(entry)}</td></tr>`)}</tbody></table></div>
        ${list.length > count && html`<p class="quiet"><button type="button" class="button" onClick=${() => setCount(count + 20)}>${t("audit.older")}</button></p>`}`}</section>`;
}

/** @param {{ id: string, latest: any }} props */
export function Gateway({ id, latest }) {
  const loaded = useLoad(async () => (may("settings") ? all("/api/gateways") : []), [id]);
  const gateway = (loaded.value ?? []).find(one => one.currentVehicle === id) ?? (loaded.value ?? []).find(one => one.vehicles?.includes(id));
  const { adapter, gap } = latest;
  if (!gateway && !adapter && !gap) return null;
  const look = gateway && healthLooks[healthOf(gateway)];
  return html`<section class="card"><header><h2>${t("vehicle.gateway")}</h2>${look && html`<${Status} shape=${look.shape} tone=${look.tone}>${t(look.text)}</${Status}>`}</header>
    <dl class="facts">${gateway && html`<div><dt>${t("gateways.id")}</dt><dd><a href="/gateways">${gateway.id}</a></dd></div>
      <div><dt>${t("gateways.lastSeen")}</dt><dd>${gateway.lastSeen ? nearText(gateway.lastSeen) : t("gateways.never")}</dd></div>
      ${gateway.version && html`<div><dt>${t("gateways.version")}</dt><dd>${gateway.version}</dd></div>`}
      ${gateway.spoolDepth !== undefined && html`<div><dt>${t("gateways.waiting")}</dt><dd>${number(gateway.spoolDepth)}</dd></div>`}`}
      ${adapter && html`<div><dt>${t("gateway.adapter")}</dt><dd>${[adapter.identity ?? adapter.device, adapter.event].filter(Boolean).join(" · ")}</dd></div>`}
      ${gap && html`<div><dt>${t("gateway.lost")}</dt><dd>${t("event.gap", { count: number(gap.count ?? 0) })}, ${gap.timestamp ? nearText(gap.timestamp) : ""}</dd></div>`}</dl></section>`;
}
