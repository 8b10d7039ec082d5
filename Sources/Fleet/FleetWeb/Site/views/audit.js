/** The audit: all changes, with their authors. */
import { html, useEffect, useState } from "../lib/preact.js";
import { get } from "../api.js";
import { number, timeText } from "../format.js";
import { actionText, actorOf, changesOf, kindText } from "../parts/audit.js";
import { useNames } from "../parts/names.js";
import { Icon, Status } from "../parts/icons.js";
import { Filter } from "../parts/filters.js";
import { Empty, Loading, Secret, Title, Trouble } from "../parts/ui.js";
import { may } from "../state.js";
import { t } from "../texts.js";

/** @typedef {{ isBusy: boolean, number: number, hash?: string, fault?: { kind: string, number: number, counted?: number }, error?: Error }} Check */

/** @param {{ check: Check }} props */
function Verification({ check }) {
  if (check.error) return html`<${Trouble} error=${check.error} />`;
  if (check.isBusy) return html`<p class="card padded" role="status">${t("audit.verifying", { count: number(check.number) })}</p>`;
  if (check.fault) {
    return html`<section class="card padded" role="alert"><${Status} shape="danger">${t("audit.broken")}</${Status}>
      <p>${t("audit." + check.fault.kind, { number: check.fault.number, counted: check.fault.counted ?? 0 })}</p></section>`;
  }
  return html`<section class="card padded verification" role="status"><${Status} shape="good" tone="moving">${t("audit.intact", { count: number(check.number) })}</${Status}>
    <p class="soft small">${t("audit.head")}</p><${Secret} text=${`${check.number} ${check.hash}`} label=${t("audit.verify")} /></section>`;
}

/** @param {{ place: import("../router.js").Place }} props */
export default function Audit({ place }) {
  useNames();
  const vehicle = place.query.get("vehicle") ?? "";
  const [state, setState] = useState(/** @type {{ entries: any[], isLoading: boolean, error?: Error, hasMore: boolean }} */ ({ entries: [], isLoading: true, hasMore: false }));
  const load = async (/** @type {any[]} */ before) => {
    try {
      const page = await get("/api/audit", { limit: 100, vehicle, before: before[before.length - 1]?.number });
      setState({ entries: [...before, ...page.data], isLoading: false, hasMore: page.data.length === 100 });
    } catch (error) {
      setState({ entries: before, isLoading: false, error: /** @type {Error} */ (error), hasMore: false });
    }
  };
  useEffect(() => { load([]); }, [vehicle]);
  const [check, setCheck] = useState(/** @type {Check | null} */ (null));
  const verify = async () => {
    setCheck({ isBusy: true, number: 0 });
    try {
      /** @type {any} */
      let answer = {};
      do {
        answer = await get("/api/audit/verification", answer.number ? { after: answer.number, hash: answer.hash } : {});
        setCheck({ isBusy: !answer.isComplete, ...answer });
      } while (!answer.isComplete);
    } catch (error) { setCheck({ isBusy: false, number: 0, error: /** @type {Error} */ (error) }); }
  };
  return html`<div class="page"><${Title} title=${t("audit.title")}>${may("audit") === "all" && html`<button type="button" class="button" onClick=${verify} disabled=${check?.isBusy ?? false}><${Icon} name="shield" size=${16} />${t("audit.verify")}</button>`}</${Title}><p class="soft lead">${t("audit.help")}</p>
    ${check && html`<${Verification} check=${check} />`}
    <div class="filters"><${Filter} field=${{ name: "vehicle", label: "field.vehicleId", kind: "thing", of: "vehicle" }} value=${vehicle} /></div>
    ${state.error && html`<${Trouble} error=${state.error} retry=${() => load([])} />`}
    ${state.isLoading ? html`<${Loading} />` : state.entries.length === 0 ? !state.error && html`<div class="card"><${Empty} title=${t(vehicle ? "empty.filtered" : "audit.empty")} /></div>`
      : html`<div class="card scroll" tabindex="0" role="region" aria-label=${t("audit.title")}><table class="audit"><thead><tr><th scope="col" class="num rest">#</th><th scope="col">${t("audit.time")}</th><th scope="col">${t("audit.actor")}</th><th scope="col">${t("audit.action")}</th><th scope="col" class="rest">${t("audit.change")}</th></tr></thead>
        <tbody>${state.entries.map(entry => html`<tr key=${entry.number}><td class="num rest soft">${entry.number}</td><td>${timeText(entry.time)}</td><td>${actorOf(entry)}</td>
          <td><b>${kindText(entry.kind)}</b> <span class="soft">${actionText(entry.action)}</span></td><td class="rest">${changesOf(entry)}</td></tr>`)}</tbody></table></div>`}
    ${state.hasMore && html`<p><button type="button" class="button" onClick=${() => load(state.entries)}>${t("audit.older")}</button></p>`}</div>`;
}
