/** The sessions of a person, each of which can be ended. */
import { html } from "../lib/preact.js";
import { all, pathOf, request } from "../api.js";
import { nearText } from "../format.js";
import { currentSession, tell } from "../state.js";
import { t } from "../texts.js";
import { Loading, Trouble, useLoad, useQuestion } from "./ui.js";

/** @param {{ personId: string, name?: string }} props `name`: that of another person, whose sessions an administrator sees. */
export function Sessions({ personId, name }) {
  const sessions = useLoad(() => all("/api/sessions", { personId }), [personId]);
  const [dialog, ask] = useQuestion();
  const list = (sessions.value ?? []).filter(entry => !entry.revokedAt);
  const end = (/** @type {any} */ entry) => ask({
    title: t("profile.endSession"), text: name ? t("sessions.endQuestion", { name, browser: browserName(entry.client) }) : t("sessions.endOwnQuestion", { browser: browserName(entry.client) }),
    action: t("profile.endSession"), isBad: true,
    run: async () => {
      await request("DELETE", pathOf("/api/sessions", entry.id));
      tell(t("sessions.ended"));
      sessions.reload();
    },
  });
  return html`<section class="card"><header><h2>${name ? t("sessions.of", { name }) : t("profile.sessions")}</h2></header>${dialog}${sessions.error ? html`<${Trouble} error=${sessions.error} retry=${sessions.reload} />` : !sessions.value ? html`<${Loading} />`
    : list.length === 0 ? html`<p class="quiet soft">${t("sessions.none")}</p>`
    : html`<ul class="links">${list.map(entry => html`<li key=${entry.id}><span><b>${browserName(entry.client)}</b> <span class="soft small">${[entry.address, nearText(entry.lastSeenAt)].filter(Boolean).join(" · ")}</span></span>
      ${entry.id === currentSession()?.sessionId ? html`<span class="soft small">${t("profile.thisSession")}</span>`
        : html`<button type="button" class="button" onClick=${() => end(entry)} aria-label=${`${t("profile.endSession")}: ${browserName(entry.client)}`}>${t("profile.endSession")}</button>`}</li>`)}</ul>`}</section>`;
}

/**
 * The names of the browser and the operating system, from the header User-Agent.
 * @param {string | null} text
 */
export function browserName(text) {
  if (!text) return "–";
  const name = /(Edg|OPR|Firefox|Chrome|Safari)\/(\d+)/.exec(text);
  const system = /(Android|iPhone|iPad|Windows|Macintosh|Linux)/.exec(text);
  return [name ? `${{ Edg: "Edge", OPR: "Opera" }[name[1]] ?? name[1]} ${name[2]}` : text.slice(0, 40), system?.[1]].filter(Boolean).join(", ");
}
