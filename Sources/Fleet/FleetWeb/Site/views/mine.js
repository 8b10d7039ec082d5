/** The driver's start page: the assigned vehicle, and what can be entered. */
import { html } from "../lib/preact.js";
import { get, pathOf } from "../api.js";
import { timeText } from "../format.js";
import { Icon, Status } from "../parts/icons.js";
import { Empty, Loading, Title, Trouble, useLoad } from "../parts/ui.js";
import { to } from "../router.js";
import { may } from "../state.js";
import { t } from "../texts.js";
import { vehicles } from "./kinds.js";

export default function Mine() {
  const loaded = useLoad(async signal => {
    const list = await get("/api/assignments", { status: "active", sort: "-from", limit: 20 }, signal);
    const now = new Date().toISOString();
    const current = list.data.find((/** @type {any} */ entry) => entry.from <= now && (!entry.to || entry.to > now));
    const vehicle = current && await get(pathOf("/api/vehicles", current.vehicleId), {}, signal);
    return { current, vehicle, next: list.data.filter((/** @type {any} */ entry) => entry !== current && entry.from > now) };
  }, []);
  const value = loaded.value;
  return html`<div class="page phone"><${Title} title=${t("mine.title")} />
    ${loaded.error && html`<${Trouble} error=${loaded.error} retry=${loaded.reload} />`}
    ${!value && !loaded.error && html`<${Loading} />`}
    ${value && !value.vehicle && html`<div class="card"><${Empty} title=${t("mine.none")}><p>${t("mine.noneHelp")}</p></${Empty}></div>`}
    ${value?.vehicle && html`<section class="card mine"><div class="padded"><h2>${value.vehicle.name || value.vehicle.id}</h2>
        <p class="soft">${[value.vehicle.make, value.vehicle.model].filter(Boolean).join(" ")}</p>
        ${value.vehicle.licencePlate && html`<p><span class="plate large">${value.vehicle.licencePlate}</span></p>`}
        <p>${vehicles.status?.(value.vehicle)}</p>
        <p class="soft small">${t("mine.since", { time: timeText(value.current.from) })}</p></div></section>`}
    ${may("expenses", "write") && html`<a class="button primary large" href=${"/expenses/new" + (value?.vehicle ? "?vehicleId=" + encodeURIComponent(value.vehicle.id) : "")}><${Icon} name="money" />${t("mine.addExpense")}</a>`}
    ${value && value.next.length > 0 && html`<section class="card"><header><h2>${t("mine.assignments")}</h2></header><ul class="links">${value.next.map((/** @type {any} */ entry) => html`<li><a href=${to("assignments", entry.id)}>${entry.vehicleId}</a> <${Status} shape="parked">${timeText(entry.from)}</${Status}></li>`)}</ul></section>`}</div>`;
}
