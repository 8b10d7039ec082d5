/** Gateways with their keys, and tokens for programs. */
import { html, useState } from "../lib/preact.js";
import { all, pathOf, post, request } from "../api.js";
import { number, timeText, nearText } from "../format.js";
import { Form } from "../parts/form.js";
import { healthLooks, healthOf } from "../parts/gateways.js";
import { Icon, Status } from "../parts/icons.js";
import { Dialog, Empty, Loading, Secret, Title, Trouble, useLoad, useQuestion } from "../parts/ui.js";
import { setQuery } from "../router.js";
import { may } from "../state.js";
import { t } from "../texts.js";

/** @param {{ gateway: any }} props */
function Health({ gateway }) {
  const look = healthLooks[healthOf(gateway)];
  return html`<${Status} shape=${look.shape} tone=${look.tone}>${t(look.text)}</${Status}>`;
}

/** The states that the list of gateways can be restricted to. */
const healths = /** @type {const} */ (["silent", "behind", "revoked", "healthy"]);

/** @param {{ place: import("../router.js").Place }} props */
export default function Gateways({ place }) {
  const gateways = useLoad(() => all("/api/gateways"), []);
  const tokens = useLoad(() => all("/api/tokens"), []);
  const [isAdding, setAdding] = useState(/** @type {"gateway" | "token" | null} */ (null));
  const [secret, setSecret] = useState(/** @type {{ title: string, text: string, value: string } | null} */ (null));
  const [dialog, ask] = useQuestion();
  const mayChange = may("settings", "write");
  const addGateway = async (/** @type {Record<string, any>} */ values) => {
    const made = await post("/api/gateways", { id: values.id, ...(values.vehicles.length > 0 ? { vehicles: values.vehicles } : {}) });
    setAdding(null);
    setSecret({ title: t("gateways.title"), text: t("gateways.key", { name: values.id }), value: made.key });
    gateways.reload();
  };
  const addToken = async (/** @type {Record<string, any>} */ values) => {
    const made = await post("/api/tokens", { label: values.label, role: values.role });
    setAdding(null);
    setSecret({ title: t("tokens.title"), text: t("tokens.secret", { name: values.label }), value: made.secret });
    tokens.reload();
  };
  const rotate = (/** @type {any} */ gateway) => ask({
    title: t("gateways.rotate"), text: t("gateways.rotateQuestion", { name: gateway.id }), action: t("gateways.rotate"),
    run: async () => {
      const made = await post(pathOf("/api/gateways", gateway.id, "rotate"));
      setSecret({ title: t("gateways.title"), text: t("gateways.key", { name: gateway.id }), value: made.key });
      gateways.reload();
    },
  });
  const revoke = (/** @type {any} */ gateway) => ask({
    title: t("gateways.revoke"), text: t("gateways.revokeQuestion", { name: gateway.id }), action: t("gateways.revoke"), isBad: true,
    run: async () => { await post(pathOf("/api/gateways", gateway.id, "revoke")); gateways.reload(); },
  });
  const revokeToken = (/** @type {any} */ token) => ask({
    title: t("gateways.revoke"), text: t("tokens.revokeQuestion", { name: token.label }), action: t("gateways.revoke"), isBad: true,
    run: async () => { await request("DELETE", pathOf("/api/tokens", token.id)); tokens.reload(); },
  });
  const wanted = place.query.get("health");
  const shown = (gateways.value ?? []).filter(gateway => !wanted || healthOf(gateway) === wanted);
  return html`<div class="page"><${Title} title=${t("gateways.title")}>${mayChange && html`<button type="button" class="button primary" onClick=${() => setAdding("gateway")}><${Icon} name="plus" size=${16} />${t("gateways.add")}</button>`}</${Title}>
    ${dialog}
    ${secret && html`<${Dialog} title=${secret.title} onClose=${() => setSecret(null)}><p>${secret.text}</p><${Secret} text=${secret.value} label=${secret.title} /></${Dialog}>`}
    ${isAdding === "gateway" && html`<${Dialog} title=${t("gateways.add")} onClose=${() => setAdding(null)}><${Form} draft="gateways new" action=${t("gateways.add")} onSave=${addGateway} onCancel=${() => setAdding(null)}
      fields=${[{ name: "id", label: "gateways.id", kind: "text", required: true }, { name: "vehicles", label: "gateways.vehicles", kind: "list", hint: "gateways.vehiclesHint" }]} /></${Dialog}>`}
    ${isAdding === "token" && html`<${Dialog} title=${t("tokens.add")} onClose=${() => setAdding(null)}><${Form} draft="tokens new" action=${t("tokens.add")} onSave=${addToken} onCancel=${() => setAdding(null)}
      fields=${[{ name: "label", label: "tokens.label", kind: "text", required: true }, { name: "role", label: "tokens.role", kind: "choice", texts: "tokenRole", choices: ["readOnly", "viewer", "maintenance", "admin"], required: true }]} /></${Dialog}>`}
    ${(gateways.value ?? []).length > 0 && html`<div class="filters"><label class="filter"><span class="soft">${t("field.status")}</span>
      <select onChange=${(/** @type {any} */ event) => setQuery({ health: event.target.value })}><option value="" selected=${!wanted}>${t("all")}</option>
        ${healths.map(health => html`<option value=${health} selected=${health === wanted}>${t(healthLooks[health].text)}</option>`)}</select></label></div>`}
    ${gateways.error ? html`<${Trouble} error=${gateways.error} retry=${gateways.reload} />` : !gateways.value ? html`<${Loading} />`
      : gateways.value.length === 0 ? html`<div class="card"><${Empty} title=${t("gateways.empty")}><p>${t("gateways.emptyHelp")}</p></${Empty}></div>`
      : shown.length === 0 ? html`<div class="card"><${Empty} title=${t("empty.filtered")} /></div>`
      : html`<div class="card scroll"><table><thead><tr><th scope="col">${t("gateways.id")}</th><th scope="col">${t("gateways.current")}</th><th scope="col">${t("gateways.lastSeen")}</th>
          <th scope="col" class="rest">${t("gateways.version")}</th><th scope="col" class="num rest">${t("gateways.waiting")}</th><th scope="col">${t("field.status")}</th>${mayChange && html`<th><span class="hidden">${t("action.edit")}</span></th>`}</tr></thead>
        <tbody>${shown.map(gateway => html`<tr key=${gateway.id}><td><b>${gateway.id}</b></td><td>${gateway.currentVehicle ? html`<a href=${"/vehicles/" + encodeURIComponent(gateway.currentVehicle)}>${gateway.currentVehicle}</a>` : html`<span class="soft">–</span>`}</td>
          <td>${gateway.lastSeen ? nearText(gateway.lastSeen) : t("gateways.never")}</td><td class="rest">${gateway.version ?? "–"}</td><td class="num rest">${gateway.spoolDepth === undefined ? "–" : number(gateway.spoolDepth)}</td>
          <td><${Health} gateway=${gateway} /></td>
          ${mayChange && html`<td class="row-actions"><button type="button" class="button" onClick=${() => rotate(gateway)} aria-label=${`${t("gateways.rotate")}: ${gateway.id}`}>${t("gateways.rotate")}</button>
            ${!gateway.revokedAt && html`<button type="button" class="button" onClick=${() => revoke(gateway)} aria-label=${`${t("gateways.revoke")}: ${gateway.id}`}>${t("gateways.revoke")}</button>`}</td>`}</tr>`)}</tbody></table></div>`}
    <section class="card"><header><h2>${t("tokens.title")}</h2>${mayChange && html`<button type="button" class="button" onClick=${() => setAdding("token")}>${t("tokens.add")}</button>`}</header>
      <p class="quiet soft small">${t("tokens.help")}</p>
      ${tokens.value?.length ? html`<div class="scroll"><table><thead><tr><th scope="col">${t("tokens.label")}</th><th scope="col">${t("tokens.role")}</th><th scope="col" class="rest">${t("field.createdAt")}</th><th scope="col">${t("field.status")}</th>${mayChange && html`<th><span class="hidden">${t("action.edit")}</span></th>`}</tr></thead>
        <tbody>${tokens.value.map(token => html`<tr key=${token.id}><td>${token.label || html`<span class="soft">–</span>`}</td><td>${t("tokenRole." + token.role)}</td><td class="rest">${timeText(token.addedAt)}</td>
          <td>${token.revokedAt ? html`<${Status} shape="danger">${t("gateways.revoked")}</${Status}>` : html`<${Status} shape="good" tone="moving">${t("gateways.valid")}</${Status}>`}</td>
          ${mayChange && html`<td class="row-actions">${!token.revokedAt && html`<button type="button" class="button" onClick=${() => revokeToken(token)} aria-label=${`${t("gateways.revoke")}: ${token.label}`}>${t("gateways.revoke")}</button>`}</td>`}</tr>`)}</tbody></table></div>`
        : tokens.value && html`<p class="quiet soft">${t("tokens.empty")}</p>`}</section></div>`;
}
