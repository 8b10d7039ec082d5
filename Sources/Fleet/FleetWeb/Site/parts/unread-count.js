/** The link in the bar: how many notifications are unread. */
import { html, useEffect, useState } from "../lib/preact.js";
import { connection, get } from "../api.js";
import { may } from "../state.js";
import { t } from "../texts.js";
import { useNotifications } from "./changes.js";
import { Icon } from "./icons.js";

/** Dispatches `change` when notifications were read. */
export const unreadCount = new EventTarget();

/** Counts up to this number. */
const most = 99;

/** @param {{ at: string }} props `at`: the present page. */
export function UnreadCount({ at }) {
  const [count, setCount] = useState(0);
  const read = async () => setCount((await get("/api/notifications", { unread: true, limit: most + 1 })).data.length);
  // The channel also has the records of the vehicles that are assigned to the person. A driver's phone does not load them on every page.
  useNotifications(read, may("vehicles") !== "own");
  useEffect(() => {
    // Without a network, the last number stays.
    const load = () => { if (!document.hidden) read().catch(() => {}); };
    load();
    const timer = setInterval(load, 60_000);
    const targets = /** @type {[EventTarget, string][]} */ ([[unreadCount, "change"], [connection, "online"], [document, "visibilitychange"]]);
    for (const [target, name] of targets) target.addEventListener(name, load);
    return () => {
      clearInterval(timer);
      for (const [target, name] of targets) target.removeEventListener(name, load);
    };
  }, []);
  const text = count > most ? `${most}+` : String(count);
  return html`<a class="unread-count" href="/notifications" aria-current=${at === "/notifications" ? "page" : undefined}
    aria-label=${count > 0 ? t("notifications.unreadCount", { count: text }) : t("notifications.title")}><${Icon} name="notice" size=${20} />
    ${count > 0 && html`<span class="count" aria-hidden="true">${text}</span>`}</a>`;
}
