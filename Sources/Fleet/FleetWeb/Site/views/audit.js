/** The audit: all changes, with their authors. */
import { html, useEffect, useState } from "../lib/preact.js";
import { get } from "../api.js";
import { timeText } from "../format.js";
import { nameOf, useNames } from "../parts/names.js";
import { Empty, Loading, Title, Trouble } from "../parts/ui.js";
import { t } from "../texts.js";

export default function Audit() {
  useNames();
  const [state, setState] = useState(/** @type {{ entries: any[], isLoading: boolean, error?: Error, hasMore: boolean }} */ ({ entries: [], isLoading: true, hasMore: false }));
  const load = async (/** @type {any[]} */ before) => {
    try {
      const page = await get("/api/audit", { limit: 100, before: before[before.length - 1]?.number });
      setState({ entries: [...before, ...page.data], isLoading: false, hasMore: page.data.length === 100 });
    } catch (error) {
      setState({ entries: before, isLoading: false, error: /** @type {Error} */ (error), hasMore: false });
    }
  };
  useEffect(() => { load([]); }, []);
  return html`<div class="page"><${Title} title=${t("audit.title")} /><p class="soft lead">${t("audit.help")}</p>
    ${state.error && html`<${Trouble} error=${state.error} retry=${() => load([])} />`}
    ${state.isLoading ? html`<${Loading} />` : state.entries.length === 0 ? !state.error && html`<div class="card"><${Empty} title=${t("audit.empty")} /></div>`
      : html`<div class="card scroll" tabindex="0" role="region" aria-label=${t("audit.title")}><table class="audit"><thead><tr><th scope="col" class="num rest">#</th><th scope="col">${t("audit.time")}</th><th scope="col">${t("audit.actor")}</th><th scope="col">${t("audit.action")}</th><th scope="col" class="rest">${t("audit.change")}</th></tr></thead>
        <tbody>${state.entries.map(entry => html`<tr key=${entry.number}><td class="num rest soft">${entry.number}</td><td>${timeText(entry.time)}</td><td>${actor(entry)}</td>
          <td><b>${words(entry.action)}</b> <span class="soft">${words(entry.kind)}</span></td><td class="rest">${changes(entry)}</td></tr>`)}</tbody></table></div>`}
    ${state.hasMore && html`<p><button type="button" class="button" onClick=${() => load(state.entries)}>${t("audit.older")}</button></p>`}</div>`;
}

/** @param {any} entry */
function actor(entry) {
  if (entry.actor?.kind === "person" && entry.actor.id) return nameOf("person", entry.actor.id);
  return entry.actor?.name ?? entry.actor?.label ?? words(entry.actor?.kind ?? "");
}

/**
 * The words of a name: `sign in` for `signIn`.
 * @param {string} name
 */
function words(name) { return name.replace(/([A-Z])/g, " $1").toLowerCase(); }

/** @param {any} entry */
function changes(entry) {
  const names = [...new Set([...Object.keys(entry.before ?? {}), ...Object.keys(entry.after ?? {})])].filter(name => !["id", "createdAt", "updatedAt"].includes(name));
  return html`<dl class="changes">${names.slice(0, 6).map(name => html`<div><dt>${words(name)}</dt><dd>${entry.before?.[name] !== undefined && html`<del>${text(entry.before[name])}</del> `}${entry.after?.[name] !== undefined && html`<ins>${text(entry.after[name])}</ins>`}</dd></div>`)}</dl>`;
}

/** @param {any} value */
function text(value) {
  const found = typeof value === "string" ? value : JSON.stringify(value);
  return found.length > 80 ? found.slice(0, 79) + "…" : found;
}
