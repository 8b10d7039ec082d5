/**
 * The descriptions of what administrators set up: the settings of the tenant, webhooks, forwards, connectors, and phones.
 * @typedef {import("../parts/things.js").Kind} Kind
 * @typedef {import("../parts/fields.js").Field} Field
 */
import "../texts/settings.js";
import { html } from "../lib/preact.js";
import { Status } from "../parts/icons.js";
import { t } from "../texts.js";
import { eventChoices } from "./work-kinds.js";

/**
 * The pages of the set-up.
 * @type {[string, import("../texts.js").Key, string][]}
 */
export const setUp = [
  ["/settings", "settings.general", "settings"], ["/webhooks", "webhooks.title", "integrations"], ["/forwards", "forwards.title", "integrations"],
  ["/connectors", "connectors.title", "integrations"], ["/phones", "phones.title", "settings"],
];

/** Whether another server is reached, and whether it has refused what was sent. */
const states = ["waiting", "working", "failing", "refused", "disabled"];

/** @param {any} thing */
function state(thing) {
  const shapes = /** @type {Record<string, import("../parts/icons.js").Shape>} */ ({ waiting: "parked", working: "good", failing: "idle", refused: "danger", disabled: "danger" });
  if (!thing.isActive) return html`<${Status} shape="silent">${t("connection.off")}</${Status}>`;
  return html`<${Status} shape=${shapes[thing.state] ?? "dot"} tone=${thing.state === "working" ? "moving" : undefined}>${t("connection." + thing.state)}</${Status}>`;
}

/** @type {Field[]} */
const figures = [
  { name: "state", label: "field.status", kind: "choice", texts: "connection", choices: states, isRead: true, isOmitted: true },
  { name: "isActive", label: "field.isSwitchedOn", kind: "flag", initial: () => true },
];

/**
 * The commands that switch a connection off and on, and remove it.
 * @param {string} texts
 * @returns {NonNullable<Kind["commands"]>}
 */
function switches(texts) {
  return [
    { name: "off", label: "rules.off", question: texts + ".offQuestion", done: "connection.isOff", isRare: true, isPossible: thing => thing.isActive, patch: () => ({ isActive: false }), undo: () => ({ isActive: true }) },
    { name: "on", label: "rules.on", done: "connection.isOn", isMain: true, isPossible: thing => !thing.isActive, patch: () => ({ isActive: true }), undo: () => ({ isActive: false }) },
    { name: "remove", label: "action.delete", question: texts + ".removeQuestion", done: "connection.removed", isBad: true, isRare: true, isRemoval: true, isPossible: () => true },
  ];
}

/** @type {Kind} */
export const settings = {
  id: "settings", one: "tenantSettings", path: "/api/settings", area: "settings", title: "settings.title", empty: "settings.title", isSingle: true, pages: setUp, columns: [],
  name: () => t("settings.title"),
  fields: [
    { name: "timeZone", label: "field.timeZone", kind: "text", hint: "settings.timeZoneHint" },
    { name: "requiresInspections", label: "settings.requiresInspections", kind: "flag" },
    { name: "opensCodeDefects", label: "settings.opensCodeDefects", kind: "flag" },
    { name: "tripsToVerify", label: "settings.tripsToVerify", kind: "number", required: true, hint: "settings.tripsToVerifyHint" },
  ],
};

/** @type {Kind} */
export const webhooks = {
  id: "webhooks", path: "/api/webhooks", area: "integrations", title: "webhooks.title", add: "webhooks.add", empty: "webhooks.empty", pages: setUp, isBrief: true, isWatched: true,
  name: webhook => webhook.description || webhook.url, sort: "createdAt", secret: { name: "secret", text: "webhooks.secret" },
  fields: [
    { name: "url", label: "field.url", kind: "text", required: true, hint: "webhooks.urlHint", isWide: true },
    { name: "description", label: "field.description", kind: "text" },
    figures[1],
    { name: "events", label: "field.events", kind: "choices", texts: "event", choices: eventChoices.filter(event => event !== "webhookDisabled"), group: "webhooks.which" },
    { name: "fleetIds", label: "field.fleetIds", kind: "things", of: "fleet", isWide: true, hint: "field.fleetIdsHint", group: "webhooks.which" },
    { name: "delivered", label: "webhooks.delivered", kind: "number", isRead: true },
    { name: "waiting", label: "webhooks.waiting", kind: "number", isRead: true },
    { name: "dropped", label: "webhooks.dropped", kind: "number", isRead: true, isShown: webhook => webhook.dropped > 0 },
    { name: "lastDeliveredAt", label: "webhooks.lastDeliveredAt", kind: "time", isRead: true },
    { name: "previousSecretUntil", label: "webhooks.previousSecretUntil", kind: "time", isRead: true },
    figures[0],
  ],
  columns: ["url", "description", "delivered", "lastDeliveredAt"], filters: ["state"], numbers: ["delivered"], status: state,
  // The server has no empty list: without events, all are sent.
  edited: webhook => ({ ...webhook, events: webhook.events ?? [] }),
  commands: [
    { name: "test", label: "webhooks.test", question: "webhooks.testQuestion", done: "webhooks.tested", isPossible: webhook => webhook.isActive },
    { name: "rotate", label: "webhooks.rotate", question: "webhooks.rotateQuestion", done: "webhooks.rotated", isRare: true, isPossible: () => true },
    ...switches("webhooks"),
  ],
};

const isHome = (/** @type {any} */ values) => values.format === "homeAssistant";

/** @type {Kind} */
export const forwards = {
  id: "forwards", path: "/api/forwards", area: "integrations", title: "forwards.title", add: "forwards.add", empty: "forwards.empty", pages: setUp, isBrief: true, isWatched: true,
  name: forward => forward.name, sort: "name",
  fields: [
    { name: "name", label: "field.name", kind: "text", required: true },
    { name: "format", label: "forwards.format", kind: "choice", texts: "forwardFormat", choices: ["traccar", "influx", "prometheus", "webhook", "homeAssistant"], required: true },
    { name: "address", label: "field.url", kind: "text", required: true, hint: "forwards.addressHint", isWide: true,
      variant: values => isHome(values) ? { label: "forwards.broker", hint: "forwards.brokerHint" } : undefined },
    { name: "secret", label: "forwards.secret", kind: "secret", hint: "connection.secretHint",
      variant: values => isHome(values) ? { label: "forwards.password" } : values.format === "webhook" ? { label: "forwards.signature" } : undefined },
    { name: "keyHeader", label: "connectors.keyHeader", kind: "text", hint: "forwards.keyHeaderHint", isShown: values => !isHome(values) && values.format !== "webhook" },
    figures[1],
    { name: "hasSecret", label: "connection.hasSecret", kind: "flag", isRead: true },
    { name: "sent", label: "forwards.sent", kind: "number", isRead: true },
    { name: "lastSentAt", label: "forwards.lastSentAt", kind: "time", isRead: true },
    figures[0],
  ],
  columns: ["name", "format", "sent", "lastSentAt"], sorts: ["name", "format"], filters: ["state"], numbers: ["sent"], status: state, commands: switches("forwards"),
};

const services = ["samsara", "aemp", "tesla", "ford"];
/** The ways to sign in of the services that have more than one. */
const signIns = ["bearer", "basic", "apiKey", "clientCredentials", "password", "refreshToken", "plainToken"];
/** @param {string[]} wanted */
const signsInWith = (...wanted) => (/** @type {any} */ values) => values.service === "aemp" && wanted.includes(values.signIn);
/** Tesla and Ford give an app a client id and a refresh token. */
const isMaker = (/** @type {any} */ values) => ["tesla", "ford"].includes(values.service);

/** @type {Kind} */
export const connectors = {
  id: "connectors", path: "/api/connectors", area: "integrations", title: "connectors.title", add: "connectors.add", empty: "connectors.empty", pages: setUp, isBrief: true, isWatched: true,
  name: connector => connector.name, sort: "name",
  fields: [
    { name: "name", label: "field.name", kind: "text", required: true },
    { name: "service", label: "connectors.service", kind: "choice", texts: "service", choices: services, required: true },
    { name: "signIn", label: "connectors.signIn", kind: "choice", texts: "signInKind", choices: signIns, isShown: values => values.service === "aemp" },
    { name: "address", label: "field.url", kind: "text", hint: "connectors.addressHint", isWide: true },
    { name: "tokenAddress", label: "connectors.tokenAddress", kind: "text", isWide: true, isShown: signsInWith("clientCredentials", "password", "refreshToken", "plainToken") },
    { name: "clientId", label: "connectors.clientId", kind: "text", isShown: values => isMaker(values) || signsInWith("clientCredentials", "password", "refreshToken")(values) },
    { name: "userName", label: "connectors.userName", kind: "text", isShown: signsInWith("basic", "password", "plainToken") },
    { name: "scope", label: "connectors.scope", kind: "text", isShown: signsInWith("clientCredentials", "password", "refreshToken") },
    { name: "keyHeader", label: "connectors.keyHeader", kind: "text", isShown: signsInWith("apiKey") },
    { name: "secret", label: "connectors.secret", kind: "secret", hint: "connection.secretHint" },
    { name: "refreshToken", label: "connectors.refreshToken", kind: "secret", hint: "connection.secretHint", isShown: values => isMaker(values) || signsInWith("refreshToken")(values) },
    { name: "webhookSecret", label: "connectors.webhookSecret", kind: "secret", hint: "connectors.webhookSecretHint", isShown: values => values.service === "samsara" },
    { name: "period", label: "connectors.period", kind: "number", unit: "s", hint: "connectors.periodHint" },
    { name: "readsFaults", label: "connectors.readsFaults", kind: "flag", isShown: values => values.service === "aemp" },
    figures[1],
    { name: "hasSecret", label: "connection.hasSecret", kind: "flag", isRead: true },
    { name: "assets", label: "connectors.assets", kind: "number", isRead: true },
    { name: "stored", label: "connectors.stored", kind: "number", isRead: true },
    { name: "lastPullAt", label: "connectors.lastPullAt", kind: "time", isRead: true },
    { name: "lastSuccessAt", label: "connectors.lastSuccessAt", kind: "time", isRead: true },
    figures[0],
  ],
  columns: ["name", "service", "assets", "stored", "lastSuccessAt"], sorts: ["name", "service"], filters: ["service", "state"], numbers: ["assets", "stored"], status: state,
  commands: [
    { name: "check", label: "connectors.check", question: "connectors.checkQuestion", done: "connectors.checked", isMain: true, isPossible: connector => connector.isActive,
      answer: value => ({ text: value.working ? t("connectors.works", { message: value.message }) : t("connectors.fails", { message: value.message }), isBad: !value.working }) },
    { name: "pull", label: "connectors.pull", done: "connectors.pulled", question: "connectors.pullQuestion", isPossible: connector => connector.isActive },
    ...switches("connectors"),
  ],
};

/** @type {Kind} */
export const phones = {
  id: "phones", path: "/api/phones", area: "drivers", title: "phones.title", add: "phones.add", empty: "phones.empty", pages: setUp, isBrief: true, isWatched: true,
  name: phone => phone.name, sort: "name", secret: { name: "key", text: "phones.key" },
  fields: [
    { name: "name", label: "field.name", kind: "text", required: true, hint: "phones.nameHint" },
    { name: "driverId", label: "field.driverId", kind: "thing", of: "driver", required: true, isFixed: true },
    { name: "sharesPosition", label: "phones.sharesPosition", kind: "flag", hint: "phones.sharesPositionHint" },
    { name: "messageKey", label: "phones.messageKey", kind: "secret", hint: "phones.messageKeyHint" },
    { name: "hasMessageKey", label: "phones.hasMessageKey", kind: "flag", isRead: true },
    { name: "lastSeenAt", label: "field.lastSeenAt", kind: "time", isRead: true },
    { name: "stored", label: "phones.stored", kind: "number", isRead: true },
  ],
  columns: ["name", "driverId", "stored", "lastSeenAt"], sorts: ["name"], filters: ["driverId"], numbers: ["stored"],
  status: phone => html`<${Status} shape=${phone.sharesPosition ? "good" : "silent"} tone=${phone.sharesPosition ? "moving" : undefined}>${t(phone.sharesPosition ? "phones.shares" : "phones.sharesNot")}</${Status}>`,
  commands: [
    { name: "rotate", label: "phones.rotate", question: "phones.rotateQuestion", done: "phones.rotated", isMain: true, isPossible: () => true },
    { name: "remove", label: "action.delete", question: "phones.removeQuestion", done: "phones.removed", isBad: true, isRare: true, isRemoval: true, isPossible: () => true },
  ],
};

/** @type {Record<string, Kind>} */
export const setUpKinds = { settings, webhooks, forwards, connectors, phones };
