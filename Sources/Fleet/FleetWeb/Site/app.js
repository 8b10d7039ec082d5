/** The frame of all pages: the session, the navigation, and the page that belongs to the address. */
import { html, render, useEffect, useState } from "./lib/preact.js";
import { connection, get, reachable, request } from "./api.js";
import { UnreadCount } from "./parts/unread-count.js";
import { Icon } from "./parts/icons.js";
import { resolvers, vehicleName } from "./parts/names.js";
import { Title } from "./parts/ui.js";
import { startQueue, waiting } from "./queue.js";
import { go, onPlaceChange, place, startRouter, to } from "./router.js";
import { viewOf } from "./routes.js";
import { currentMessages, currentSession, dismiss, may, setSession, tell, useShared } from "./state.js";
import { setLanguage, t } from "./texts.js";

/**
 * The views of the table of routes. They are loaded when they are shown.
 * @type {Record<string, () => Promise<any>>}
 */
const views = {
  live: () => import("./views/live.js"),
  fleet: () => import("./views/fleet.js"),
  calendar: () => import("./views/calendar.js"),
  reconciliation: () => import("./views/reconciliation.js"),
  vehicle: () => import("./views/vehicle.js"),
  reports: () => import("./views/reports.js"),
  fences: () => import("./views/fences.js"),
  things: () => import("./views/things.js"),
  maintenance: () => import("./views/maintenance.js"),
  inspections: () => import("./views/inspections.js"),
  checklists: () => import("./views/checklists.js"),
  notifications: () => import("./views/notifications.js"),
  imports: () => import("./views/imports.js"),
  gateways: () => import("./views/gateways.js"),
  audit: () => import("./views/audit.js"),
  mine: () => import("./views/mine.js"),
  profile: () => import("./views/profile.js"),
  signIn: () => import("./views/sign-in.js"),
};

/** @typedef {{ path: string, icon: string, label: string, isShown: boolean }} Entry */

/**
 * The entries of the navigation that the person may use.
 * @returns {Entry[]}
 */
function entries() {
  const sees = (/** @type {string} */ area) => { const reach = may(area); return Boolean(reach) && reach !== "own"; };
  return [
    { path: "/mine", icon: "vehicle", label: "nav.mine", isShown: may("vehicles") === "own" || Boolean(currentSession()?.person.roles.includes("driver")) },
    { path: "/live", icon: "live", label: "nav.live", isShown: sees("records") && sees("vehicles") },
    { path: "/fleet", icon: "fleet", label: "nav.fleet", isShown: sees("vehicles") && sees("assignments") },
    { path: "/vehicles", icon: "vehicle", label: "vehicles.title", isShown: sees("vehicles") },
    { path: "/maintenance", icon: "service", label: "nav.maintenance", isShown: sees("maintenance") },
    { path: "/inspections", icon: "check", label: "inspections.title", isShown: Boolean(may("inspections")) },
    { path: "/defects", icon: "warning", label: "defects.title", isShown: may("defects") === "own" },
    { path: "/assignments", icon: "calendar", label: "assignments.title", isShown: Boolean(may("assignments")) },
    { path: "/drivers", icon: "people", label: "drivers.title", isShown: sees("drivers") },
    { path: "/journeys", icon: "journey", label: "journeys.title", isShown: Boolean(may("journeys")) },
    { path: "/fuel-entries", icon: "fuel", label: "fuelEntries.title", isShown: Boolean(may("fuel")) },
    { path: "/expenses", icon: "money", label: "expenses.title", isShown: Boolean(may("expenses")) },
    { path: "/fences", icon: "fence", label: "fences.title", isShown: sees("geofences") },
    { path: "/documents", icon: "document", label: "documents.title", isShown: Boolean(may("documents")) },
    { path: "/reports", icon: "report", label: "reports.title", isShown: sees("reports") },
    { path: "/fleets", icon: "group", label: "fleets.title", isShown: sees("fleets") },
    { path: "/people", icon: "person", label: "people.title", isShown: sees("people") },
    { path: "/gateways", icon: "key", label: "gateways.title", isShown: sees("settings") },
    { path: "/rules", icon: "notice", label: "nav.rules", isShown: sees("settings") },
    { path: "/settings", icon: "settings", label: "nav.settings", isShown: sees("settings") },
    { path: "/phones", icon: "phone", label: "nav.phones", isShown: may("drivers", "write") === "own" },
    { path: "/imports", icon: "transfer", label: "imports.title", isShown: may("settings", "write") === "all" },
    { path: "/audit", icon: "shield", label: "audit.title", isShown: sees("audit") },
  ].filter(entry => entry.isShown);
}

/**
 * Draws a view when its module is loaded.
 * @param {{ name: string, place: import("./router.js").Place, more?: any }} props
 */
function View({ name, place, more }) {
  const [loaded, setLoaded] = useState(/** @type {any} */ (null));
  useEffect(() => {
    let isWanted = true;
    views[name]().then(
      module => { if (isWanted) setLoaded({ name, module }); },
      () => { if (isWanted) setLoaded({ name, error: true }); });
    return () => { isWanted = false; };
  }, [name]);
  if (loaded?.name !== name) return html`<div class="opening" role="status" aria-label=${t("loading")}></div>`;
  if (loaded.error) {
    return html`<div class="page"><div class="trouble" role="alert"><p>${t("error.offline")}</p>
      <button type="button" class="button" onClick=${() => location.reload()}>${t("action.retry")}</button></div></div>`;
  }
  return html`<${loaded.module.default} place=${place} ...${more} />`;
}

function initials() {
  const person = currentSession()?.person;
  return `${person?.firstName[0] ?? ""}${person?.lastName[0] ?? ""}`.toUpperCase();
}

/** The search in the bar: vehicles and drivers. */
function Search() {
  const [text, setText] = useState("");
  const [found, setFound] = useState(/** @type {{ link: string, name: string, detail: string }[] | null} */ (null));
  useEffect(() => {
    const focus = (/** @type {KeyboardEvent} */ event) => {
      const field = /** @type {Element} */ (event.target);
      if (event.key === "/" && !field.matches("input, textarea, select, [contenteditable]")) {
        event.preventDefault();
        document.getElementById("search")?.focus();
      }
    };
    addEventListener("keydown", focus);
    return () => removeEventListener("keydown", focus);
  }, []);
  useEffect(() => {
    if (!text.trim()) { setFound(null); return; }
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      const none = { data: /** @type {any[]} */ ([]) };
      const [vehicles, drivers] = await Promise.all([
        get("/api/vehicles", { q: text, limit: 6 }, abort.signal).catch(() => none),
        may("drivers") ? get("/api/drivers", { q: text, limit: 4 }, abort.signal).catch(() => none) : none,
      ]);
      if (abort.signal.aborted) return;
      setFound([
        ...vehicles.data.map((/** @type {any} */ vehicle) => ({
          link: to("vehicles", vehicle.id), name: vehicleName(vehicle), detail: resolvers.vehicle.detail?.(vehicle) ?? "",
        })),
        ...drivers.data.map((/** @type {any} */ driver) => ({ link: to("drivers", driver.id), name: driver.name, detail: t("field.driverId") })),
      ]);
    }, 150);
    return () => { clearTimeout(timer); abort.abort(); };
  }, [text]);
  const close = () => { setText(""); setFound(null); };
  return html`<search class="search" onFocusOut=${(/** @type {FocusEvent} */ event) => {
      if (!(/** @type {Element} */ (event.currentTarget)).contains(/** @type {any} */ (event.relatedTarget))) setFound(null);
    }} onKeyDown=${(/** @type {KeyboardEvent} */ event) => { if (event.key === "Escape") close(); }}><${Icon} name="search" size=${16} />
    <input id="search" type="search" value=${text} placeholder=${t("search.all")} aria-label=${t("search.all")} autocomplete="off"
      onInput=${(/** @type {any} */ event) => setText(event.target.value)} onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Enter" && found?.[0]) { go(found[0].link); close(); }
      }} /><kbd aria-hidden="true">/</kbd>
    ${found && html`<ul class="results">${found.length === 0 ? html`<li class="soft">${t("search.none")}</li>`
      : found.map(entry => html`<li><a href=${entry.link} onClick=${close}><span>${entry.name}</span> <span class="soft small">${entry.detail}</span></a></li>`)}</ul>`}</search>`;
}

/**
 * Entries that wait for the network.
 * @param {{ isOnline: boolean }} props
 */
function Network({ isOnline }) {
  useShared();
  const count = waiting().length;
  if (isOnline && count === 0) return null;
  if (isOnline) return html`<p class="network" role="status">${t("net.waiting", { count })}</p>`;
  return html`<p class="network" role="status"><${Icon} name="close" size=${14} />${t("net.offline")}</p>`;
}

function Frame(/** @type {{ at: import("./router.js").Place, isOnline: boolean }} */ { at, isOnline }) {
  const [isOpen, setOpen] = useState(false);
  const all = entries();
  const view = viewOf(at);
  useEffect(() => { setOpen(false); }, [at.path]);
  const workshop = ["maintenance-records", "service-schedules", "service-types", "meter-readings", "checklists", ...(may("defects") === "own" ? [] : ["defects"])];
  const setUp = ["webhooks", "forwards", "connectors", ...(may("drivers", "write") === "own" ? [] : ["phones"])];
  const first = workshop.includes(at.parts[0]) ? "maintenance" : setUp.includes(at.parts[0]) ? "settings" : at.parts[0];
  const current = (/** @type {Entry} */ entry) => ("/" + first === entry.path ? "page" : undefined);
  const short = all.slice(0, all.length > 5 ? 4 : 5);
  return html`<a class="skip" href="#main" onClick=${(/** @type {Event} */ event) => {
      event.preventDefault();
      document.getElementById("main")?.focus();
    }}>${t("action.skip")}</a>
  <div class="frame">
    <nav class=${"rail" + (isOpen ? " open" : "")} aria-label=${t("nav.main")}>
      <div class="brand"><svg width="20" height="20" viewBox="0 0 24 24" fill="none" stroke="var(--accent)" stroke-width="2.5" stroke-linecap="round" aria-hidden="true"><path d="M4 17a9 9 0 1 1 16 0"/><path d="m12 14 4-5"/></svg>Fleet</div>
      ${all.map(entry => html`<a href=${entry.path} key=${entry.path} aria-current=${current(entry)} class=${short.includes(entry) ? "" : "wide"}><${Icon} name=${entry.icon} /><span>${t(entry.label)}</span></a>`)}
      ${all.length > short.length && html`<button type="button" class="more" aria-expanded=${isOpen ? "true" : "false"} onClick=${() => setOpen(!isOpen)}><${Icon} name="more" /><span>${t("nav.more")}</span></button>`}</nav>
    <header class="bar"><${Search} /><div class="end"><${Network} isOnline=${isOnline} /><${UnreadCount} at=${at.path} />
      <a class="avatar" href="/profile" aria-label=${`${currentSession()?.person.firstName} ${currentSession()?.person.lastName}, ${t("nav.profile")}`} aria-current=${view === "profile" ? "page" : undefined}>${initials()}</a></div></header>
    <main id="main" tabindex="-1">${view ? html`<${View} name=${view} place=${at} key=${view} />` : html`<div class="page"><${Title} title=${t("error.page")} /></div>`}</main></div>`;
}

function Messages() {
  useShared();
  return html`<div class="messages" role="status" aria-live="polite">${currentMessages().map(message => html`<div key=${message.id} class=${"message" + (message.isBad ? " bad" : "")}>
    <span>${message.text}</span>${message.action && html`<button type="button" class="plain" onClick=${() => { message.action?.run(); dismiss(message.id); }}>${message.action.label}</button>`}
    <button type="button" class="plain" aria-label=${t("action.close")} onClick=${() => dismiss(message.id)}><${Icon} name="close" size=${14} /></button></div>`)}</div>`;
}

function App(/** @type {{ hasEnded: boolean }} */ { hasEnded }) {
  useShared();
  const [at, setAt] = useState(place);
  const [isOnline, setOnline] = useState(reachable);
  const [isEnded, setEnded] = useState(hasEnded);
  useEffect(() => onPlaceChange(() => setAt(place())), []);
  useEffect(() => {
    const update = () => setOnline(reachable());
    const end = () => { setEnded(true); setSession(null); };
    // Another tab of this browser shares the session. If a person signs out there, or another one signs in, this tab follows.
    const follow = (/** @type {StorageEvent} */ event) => {
      if (event.key !== "session") return;
      const person = JSON.parse(event.newValue ?? "null")?.person.id;
      if (person === currentSession()?.person.id) return;
      if (person) location.reload();
      else end();
    };
    connection.addEventListener("online", update);
    connection.addEventListener("offline", update);
    connection.addEventListener("signedOut", end);
    addEventListener("storage", follow);
    return () => {
      removeEventListener("storage", follow);
      connection.removeEventListener("online", update);
      connection.removeEventListener("offline", update);
      connection.removeEventListener("signedOut", end);
    };
  }, []);
  const session = currentSession();
  // These pages need no session.
  const isOpen = viewOf(at) === "signIn";
  const home = entries()[0]?.path ?? "/profile";
  const isStart = Boolean(session) && (at.path === "/" || at.parts[0] === "sign-in");
  useEffect(() => { if (isStart) go(home, { replace: true }); }, [isStart]);
  useEffect(() => {
    // A screen reader says the title of the new page.
    const title = document.querySelector("h1")?.textContent;
    document.title = title ? `${title} · Fleet` : "Fleet";
  });
  let page;
  if (isStart) page = null;
  else if (!session || isOpen) page = html`<${View} name="signIn" place=${at} more=${{ isEnded, onSignedIn: signedIn }} />`;
  else page = html`<${Frame} at=${at} isOnline=${isOnline} />`;
  return html`${page}<${Messages} />`;
}

/** @param {import("./state.js").Session} session */
function signedIn(session) {
  if (session.person.locale) setLanguage(session.person.locale);
  setSession(session);
}

async function start() {
  setLanguage(localStorage.getItem("language") ?? navigator.language);
  startRouter();
  let hasEnded = false;
  if (localStorage.getItem("wasSignedIn") || location.pathname === "/signed-in") {
    // Load the code of the page while the server checks the session.
    const roles = JSON.parse(localStorage.getItem("session") ?? "null")?.person.roles ?? [];
    const view = ["/", "/signed-in"].includes(location.pathname) ? (roles.includes("driver") ? "mine" : "live") : viewOf(place());
    if (view) views[view]().catch(() => {});
    try {
      signedIn((await request("GET", "/api/auth/session")).value);
      if (location.pathname === "/signed-in") history.replaceState(null, "", "/");
    } catch (error) {
      hasEnded = !(/** @type {any} */ (error).isOffline);
      if (hasEnded) localStorage.removeItem("wasSignedIn");
      else {
        // Without a network, the app uses the stored session. The server checks the session when the network is back.
        const known = localStorage.getItem("session");
        if (known) signedIn(JSON.parse(known));
        else tell(t("net.offline"), { isBad: true });
      }
    }
  }
  const root = /** @type {Element} */ (document.getElementById("app"));
  root.textContent = "";
  startQueue();
  render(html`<${App} hasEnded=${hasEnded} />`, root);
  if ("serviceWorker" in navigator) navigator.serviceWorker.register("/sw.js").catch(() => {});
}

start();
