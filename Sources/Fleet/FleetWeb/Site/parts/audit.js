/** Entries of the audit in words. */
import "../texts/dispatch.js";
import { html } from "../lib/preact.js";
import { timeText } from "../format.js";
import { nameOf, resolvers } from "./names.js";
import { t } from "../texts.js";

/**
 * The words of a name: `sign in` for `signIn`.
 * @param {string} name
 */
function words(name) { return name.replace(/([A-Z])/g, " $1").toLowerCase(); }

/**
 * @param {string} group
 * @param {string} name
 */
function textOf(group, name) {
  const key = `${group}.${name}`;
  const text = t(key);
  return text === key ? words(name) : text;
}

/** @param {string} action */
export function actionText(action) { return textOf("auditAction", action); }

/** @param {string} kind */
export function kindText(kind) { return textOf("auditKind", kind); }

/** @param {any} entry */
export function actorOf(entry) {
  const { kind, id } = entry.actor ?? {};
  if (kind === "person" && id) return nameOf("person", id);
  return `${textOf("auditActor", kind ?? "")}${kind === "gateway" && id ? " " + id : ""}`;
}

/** @param {any} entry */
export function changesOf(entry) {
  const names = [...new Set([...Object.keys(entry.before ?? {}), ...Object.keys(entry.after ?? {})])].filter(name => !["id", "createdAt", "updatedAt"].includes(name));
  const has = (/** @type {any} */ values, /** @type {string} */ name) => values?.[name] !== undefined && values[name] !== null;
  return html`<dl class="changes">${names.slice(0, 6).map(name => html`<div><dt>${textOf("field", name)}</dt><dd>${has(entry.before, name) && html`<del>${valueText(entry.before[name], name)}</del> `}${has(entry.after, name) && html`<ins>${valueText(entry.after[name], name)}</ins>`}</dd></div>`)}</dl>`;
}

/** The fields that refer to things. */
const references = /** @type {Record<string, string>} */ ({ fleetId: "fleet", driverId: "driver", vehicleId: "vehicle", personId: "person" });

/**
 * @param {any} value
 * @param {string} name that of the field
 */
function valueText(value, name) {
  if (references[name] && typeof value === "string") return nameOf(references[name], value);
  if (typeof value === "boolean") return t(value ? "yes" : "no");
  if (Array.isArray(value) && value.every(one => typeof one === "string")) return value.join(", ") || "–";
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return timeText(value);
  // A reference such as the vehicle of a document.
  if (typeof value?.kind === "string" && typeof value.id === "string" && Object.keys(value).length === 2) return `${kindText(value.kind)} ${value.kind in resolvers ? nameOf(value.kind, value.id) : value.id}`;
  const found = typeof value === "string" ? value : JSON.stringify(value);
  return found.length > 80 ? found.slice(0, 79) + "…" : found;
}
