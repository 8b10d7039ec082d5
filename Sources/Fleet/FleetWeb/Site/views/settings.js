/** Further parts of the pages of webhooks, forwards, connectors and phones. */
import "../texts/settings.js";
import { html } from "../lib/preact.js";
import { get, pathOf, post } from "../api.js";
import { nearText, number } from "../format.js";
import { Status } from "../parts/icons.js";
import { nameOf, useNames } from "../parts/names.js";
import { Loading, Trouble, useLoad, useQuestion } from "../parts/ui.js";
import { to } from "../router.js";
import { may, tell } from "../state.js";
import { hasText, t } from "../texts.js";

/** @param {{ thing: any }} props */
export function Failures({ thing }) {
  const list = [...thing.failures ?? []].reverse();
  if (list.length === 0) return null;
  return html`<section class="card"><header><h2>${t("connection.failures")}</h2></header>
    <ul class="links">${list.map((/** @type {any} */ failure) => html`<li><span class="grow">${failure.message}</span><span class="soft small">${nearText(failure.at)}</span></li>`)}</ul></section>`;
}

/**
 * The parts of a broker's address, and how its vehicles appear in Home Assistant.
 * @param {{ forward: any }} props
 */
export function HomeAssistant({ forward }) {
  if (forward.format !== "homeAssistant") return null;
  const address = new URL(forward.address), isSecure = address.protocol === "mqtts:";
  return html`<section class="card"><header><h2>${t("home.title")}</h2></header><p class="quiet soft">${t("home.help")}</p>
    <dl class="facts"><div><dt>${t("forwards.broker")}</dt><dd>${address.hostname}:${address.port || (isSecure ? 8883 : 1883)}</dd></div>
      <div><dt>${t("home.encryption")}</dt><dd>${t(isSecure ? "home.tls" : "home.noTLS")}</dd></div>
      ${address.username && html`<div><dt>${t("home.user")}</dt><dd>${decodeURIComponent(address.username)}</dd></div>`}
      <div><dt>${t("home.prefix")}</dt><dd><code>${address.pathname.slice(1)}</code></dd></div>
      <div><dt>${t("home.entities")}</dt><dd><code>homeassistant/#</code></dd></div></dl></section>`;
}

/** @param {{ thing: any }} props */
export function Ignored({ thing }) {
  const list = Object.entries(thing.ignored ?? {});
  if (list.length === 0) return null;
  return html`<section class="card"><header><h2>${t("connection.ignored")}</h2></header>
    <ul class="links">${list.map(([reason, count]) => html`<li><span class="grow">${hasText("ignored." + reason) ? t("ignored." + reason) : reason}</span><span class="num">${number(/** @type {number} */ (count))}</span></li>`)}</ul></section>`;
}

/**
 * The newest deliveries of a webhook. A finished one can be sent again.
 * @param {{ webhook: any }} props
 */
export function Deliveries({ webhook }) {
  const loaded = useLoad(signal => get(pathOf("/api/webhooks", webhook.id, "deliveries"), {}, signal), [webhook.id, webhook.delivered, webhook.waiting]);
  const [dialog, ask] = useQuestion();
  const shapes = /** @type {Record<string, import("../parts/icons.js").Shape>} */ ({ waiting: "parked", delivered: "good", failed: "danger" });
  const mayWrite = may("integrations", "write") === "all";
  const again = (/** @type {any} */ delivery) => ask({
    title: t("webhooks.again"), text: t("webhooks.againQuestion", { event: eventText(delivery.event) }), action: t("webhooks.again"),
    run: async () => {
      await post(pathOf("/api/webhooks", webhook.id, "deliveries", delivery.id, "redeliver"));
      tell(t("webhooks.isAgain"));
      loaded.reload();
    },
  });
  const list = loaded.value?.data ?? [];
  return html`<section class="card"><header><h2>${t("webhooks.deliveries")}</h2><button type="button" class="button" onClick=${loaded.reload}>${t("action.reload")}</button></header>${dialog}
    ${loaded.error ? html`<${Trouble} error=${loaded.error} retry=${loaded.reload} />` : !loaded.value ? html`<${Loading} />` : list.length === 0 ? html`<p class="quiet soft">${t("webhooks.noDelivery")}</p>`
      : html`<div class="scroll" tabindex="0" role="region" aria-label=${t("webhooks.deliveries")}><table><thead><tr><th scope="col">${t("field.at")}</th><th scope="col">${t("log.event")}</th><th scope="col">${t("field.status")}</th><th scope="col" class="rest">${t("webhooks.answer")}</th>${mayWrite && html`<th><span class="hidden">${t("action.edit")}</span></th>`}</tr></thead>
        <tbody>${list.map((/** @type {any} */ delivery) => html`<tr key=${delivery.id}><td>${nearText(delivery.createdAt)}</td><td>${eventText(delivery.event)}</td>
          <td><${Status} shape=${shapes[delivery.state] ?? "dot"} tone=${delivery.state === "delivered" ? "moving" : undefined}>${t("delivery." + delivery.state)}</${Status}>${delivery.state === "waiting" && delivery.attempts > 0 && html`<span class="soft small block">${t("delivery.next", { count: number(delivery.attempts), time: nearText(delivery.nextAttemptAt) })}</span>`}</td>
          <td class="rest">${[delivery.status, delivery.duration !== undefined && `${number(delivery.duration)} ms`, delivery.error].filter(Boolean).join(" · ") || "–"}</td>
          ${mayWrite && html`<td class="row-actions">${delivery.state !== "waiting" && html`<button type="button" class="button" aria-label=${`${t("webhooks.again")}: ${eventText(delivery.event)}, ${nearText(delivery.createdAt)}`} onClick=${() => again(delivery)}>${t("webhooks.again")}</button>`}</td>`}</tr>`)}</tbody></table></div>`}</section>`;
}

/** @param {string} event */
function eventText(event) { return event === "test" ? t("webhooks.testEvent") : t("event." + event); }

/**
 * The vehicles that a connector reports.
 * @param {{ connector: any }} props
 */
export function Assets({ connector }) {
  useNames();
  const loaded = useLoad(signal => get("/api/connected-assets", { connectorId: connector.id, limit: 200 }, signal), [connector.id, connector.assets]);
  const list = loaded.value?.data ?? [];
  return html`<section class="card"><header><h2>${t("connectors.assets")}</h2></header>
    ${loaded.error ? html`<${Trouble} error=${loaded.error} retry=${loaded.reload} />` : !loaded.value ? html`<${Loading} />` : list.length === 0 ? html`<p class="quiet soft">${t("connectors.noAsset")}</p>`
      : html`<ul class="links">${list.map((/** @type {any} */ asset) => html`<li key=${asset.id}><span class="grow"><a href=${to("vehicles", asset.vehicleId)}>${nameOf("vehicle", asset.vehicleId)}</a></span>
          <span class="soft small">${[asset.name, asset.vin, asset.serial, asset.assetId].filter(Boolean).join(" · ")}</span></li>`)}</ul>`}</section>`;
}

/** The apps that send the positions of a phone: where they send them, and where the key goes. */
const apps = [["OwnTracks", "owntracks"], ["Traccar Client", "osmand"], ["Overland", "overland"], ["Home Assistant", "home-assistant"]];

export function PhoneApps() {
  return html`<section class="card"><header><h2>${t("phones.apps")}</h2></header><p class="quiet soft small">${t("phones.appsHelp")}</p>
    <div class="scroll" tabindex="0" role="region" aria-label=${t("phones.apps")}><table><thead><tr><th scope="col">${t("phones.app")}</th><th scope="col">${t("field.url")}</th><th scope="col">${t("phones.keyPlace")}</th></tr></thead>
      <tbody>${apps.map(([name, path]) => html`<tr key=${path}><td>${name}</td><td><code>${location.origin}/api/phone-reports/${path}</code></td><td>${t("phoneKey." + path)}</td></tr>`)}</tbody></table></div></section>`;
}
