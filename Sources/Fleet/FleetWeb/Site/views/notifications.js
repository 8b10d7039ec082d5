/** The person's notifications. */
import { html, useEffect, useRef, useState } from "../lib/preact.js";
import { get, pathOf, post } from "../api.js";
import { nearText } from "../format.js";
import { useNotifications } from "../parts/changes.js";
import { unreadCount } from "../parts/unread-count.js";
import { Icon, Shape } from "../parts/icons.js";
import { Pages } from "../parts/pages.js";
import { Empty, Loading, Title, Trouble } from "../parts/ui.js";
import { setQuery, to } from "../router.js";
import { may, tell } from "../state.js";
import { t } from "../texts.js";
import { rules } from "./work-kinds.js";

/** The pages of the things that events are about. */
const pages = /** @type {Record<string, string>} */ ({
  journey: "journeys", inspection: "inspections", document: "documents", driver: "drivers", defect: "defects", maintenanceRecord: "maintenance-records",
  serviceSchedule: "service-schedules", expense: "expenses", fuelEntry: "fuel-entries", assignment: "assignments",
});

/** @type {Record<string, import("../parts/icons.js").Shape>} */
const shapes = { journeyIncident: "danger", inspectionDefects: "danger", documentExpiring: "idle", licenceExpiring: "idle" };

/** @param {{ place: import("../router.js").Place }} props */
export default function Notifications({ place }) {
  const isUnread = place.query.get("unread") === "true";
  const [state, setState] = useState(/** @type {{ list: any[], next?: string, isLoading: boolean, error?: Error }} */ ({ list: [], isLoading: true }));
  // The number of the newest load. The answers of earlier ones are no longer used.
  const turn = useRef(0);
  const load = async (/** @type {string | undefined} */ cursor, /** @type {any[]} */ before) => {
    const number = ++turn.current;
    try {
      const page = await get("/api/notifications", { limit: 50, unread: isUnread ? "true" : undefined, cursor });
      if (number === turn.current) setState({ list: [...before, ...page.data], next: page.next, isLoading: false });
    } catch (error) {
      if (number === turn.current) setState({ list: before, isLoading: false, error: /** @type {Error} */ (error) });
    }
  };
  useEffect(() => { load(undefined, []); }, [isUnread]);
  const refreshing = useRef(0);
  const refresh = async () => {
    const number = refreshing.current = ++turn.current;
    const page = await get("/api/notifications", { limit: Math.min(1000, Math.max(50, state.list.length)), unread: isUnread ? "true" : undefined });
    if (number !== turn.current) return;
    refreshing.current = 0;
    setState({ list: page.data, next: page.next, isLoading: false });
  };
  useNotifications(refresh, true);
  const read = async (/** @type {any} */ entry) => {
    if (entry.readAt) return;
    const changed = await post(pathOf("/api/notifications", entry.id, "read")).catch(() => null);
    if (!changed) return;
    // A list that was asked for before does not have the change.
    if (refreshing.current === turn.current) refresh().catch(() => {});
    setState((/** @type {any} */ old) => ({ ...old, list: old.list.map((/** @type {any} */ other) => (other.id === entry.id ? changed : other)) }));
    unreadCount.dispatchEvent(new Event("change"));
  };
  const readAll = async () => {
    try {
      await post("/api/notifications/read");
      await load(undefined, []);
      unreadCount.dispatchEvent(new Event("change"));
    } catch (error) { tell(t("error.unknown"), { isBad: true }); }
  };
  return html`<div class="page narrow"><${Pages} list=${rules.pages} at="/notifications" /><${Title} title=${t("notifications.title")}>
      <button type="button" class="button" disabled=${state.list.every(entry => entry.readAt)} onClick=${readAll}><${Icon} name="check" size=${16} />${t("notifications.readAll")}</button></${Title}>
    <div class="chips">${[false, true].map(unread => html`<button type="button" class="chip" aria-pressed=${unread === isUnread ? "true" : "false"} onClick=${() => setQuery({ unread: unread ? "true" : null })}>${t(unread ? "notifications.unread" : "all")}</button>`)}</div>
    ${state.error && html`<${Trouble} error=${state.error} retry=${() => load(undefined, [])} />`}
    ${state.isLoading ? html`<${Loading} />` : state.list.length === 0 ? !state.error && html`<div class="card"><${Empty} title=${t(isUnread ? "notifications.allRead" : "notifications.empty")}><p>${t("notifications.emptyHelp")}</p></${Empty}></div>`
      : html`<section class="card"><ul class="links notes-list">${state.list.map(entry => {
        const page = pages[entry.kind];
        const link = page ? to(page, entry.thing) : entry.vehicleId ? to("vehicles", entry.vehicleId) : null;
        return html`<li key=${entry.id} class=${entry.readAt ? "" : "unread"}><span class=${"mark " + (shapes[entry.event] ?? "parked")}><${Shape} shape=${shapes[entry.event] ?? "parked"} /></span>
          <span class="grow">${link ? html`<a href=${link} onClick=${() => read(entry)}>${entry.text}</a>` : entry.text}
            <span class="soft small">${t("event." + entry.event)} · ${nearText(entry.at)}${entry.vehicleId && ` · ${entry.vehicleId}`}</span></span>
          ${!entry.readAt && html`<button type="button" class="button" aria-label=${`${t("notifications.read")}: ${entry.text}`} onClick=${() => read(entry)}>${t("notifications.read")}</button>`}</li>`;
      })}</ul></section>`}
    ${state.next && html`<p><button type="button" class="button" onClick=${() => load(state.next, state.list)}>${t("audit.older")}</button></p>`}
    ${may("settings", "write") && html`<p class="soft small">${t("notifications.rulesHelp")} <a href="/rules">${t("rules.title")}</a></p>`}</div>`;
}
