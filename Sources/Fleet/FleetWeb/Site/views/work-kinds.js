/**
 * The descriptions of the workshop's things, of documents, and of the rules of notifications.
 * @typedef {import("../parts/things.js").Kind} Kind
 * @typedef {import("../parts/fields.js").Field} Field
 */
import { presentTime } from "../clock.js";
import { html } from "../lib/preact.js";
import { get, pathOf } from "../api.js";
import { dayText, today } from "../format.js";
import { Status } from "../parts/icons.js";
import { sums } from "../parts/lines.js";
import { knownServiceTypes, nameOf, serviceTypeName } from "../parts/names.js";
import { withoutEmpty } from "../parts/values.js";
import { may } from "../state.js";
import { t } from "../texts.js";

/**
 * The pages of the workshop.
 * @type {[string, import("../texts.js").Key, string][]}
 */
export const workshop = [
  ["/maintenance", "board.title", "maintenance"], ["/maintenance-records", "records.title", "maintenance"], ["/service-schedules", "schedules.title", "maintenance"],
  ["/defects", "defects.title", "defects"], ["/meter-readings", "readings.title", "maintenance"], ["/service-types", "serviceTypes.title", "maintenance"],
  ["/checklists", "checklists.title", "maintenance"],
];

/** The codes of the types of service. */
function typeChoices() {
  const known = knownServiceTypes().map(type => type.code);
  return known.length > 0 ? known : ["oilChange", "tireRotation", "brakeService", "inspection", "repair", "other"];
}

/** @type {Record<string, import("../parts/icons.js").Shape>} */
const severityShapes = { minor: "dot", major: "idle", unsafe: "danger" };

/** @param {{ severity: string }} props */
export function Severity({ severity }) {
  return html`<${Status} shape=${severityShapes[severity] ?? "dot"} tone=${severity === "minor" ? "parked" : undefined}>${t("severity." + severity)}</${Status}>`;
}

/** @param {{ state: string }} props */
export function DueState({ state }) {
  const shapes = /** @type {Record<string, import("../parts/icons.js").Shape>} */ ({ ok: "good", dueSoon: "idle", overdue: "danger", snoozed: "silent" });
  return html`<${Status} shape=${shapes[state] ?? "dot"} tone=${state === "ok" ? "moving" : undefined}>${t("dueState." + state)}</${Status}>`;
}

/** @param {{ status: string }} props */
export function RecordStatus({ status }) {
  const shapes = /** @type {Record<string, import("../parts/icons.js").Shape>} */ ({ scheduled: "parked", inProgress: "idle", completed: "good", cancelled: "silent" });
  return html`<${Status} shape=${shapes[status] ?? "dot"} tone=${status === "completed" ? "moving" : undefined}>${t("recordStatus." + status)}</${Status}>`;
}

/** @param {{ status: string }} props */
export function DefectStatus({ status }) {
  const shapes = /** @type {Record<string, import("../parts/icons.js").Shape>} */ ({ open: "danger", acknowledged: "idle", repaired: "parked", verified: "good", dismissed: "silent" });
  return html`<${Status} shape=${shapes[status] ?? "dot"} tone=${status === "verified" ? "moving" : undefined}>${t("defectStatus." + status)}</${Status}>`;
}

/**
 * The fields that say what was done.
 * @type {Field[]}
 */
const completion = [
  { name: "completedDate", label: "field.completedDate", kind: "day", required: true, initial: today },
  { name: "odometer", label: "field.odometer", kind: "number", unit: "km", isMeasured: true, digits: 1 },
  { name: "engineHours", label: "field.engineHours", kind: "number", unit: "h", digits: 1 },
  { name: "cost", label: "field.cost", kind: "money", hint: "field.costHint" },
  { name: "notes", label: "field.notes", kind: "notes" },
];

/**
 * The present values of the vehicle's instruments.
 * @param {string} id
 */
export async function meters(id) {
  const vehicle = await get(pathOf("/api/vehicles", id)).catch(() => ({}));
  return { odometer: vehicle.odometer ?? undefined, engineHours: vehicle.engineHours ?? undefined };
}

/** @type {Kind} */
export const records = {
  id: "maintenance-records", one: "maintenanceRecord", path: "/api/maintenance-records", area: "maintenance", title: "records.title", add: "records.add", empty: "records.empty", pages: workshop,
  name: record => `${serviceTypeName(record.serviceType)} · ${nameOf("vehicle", record.vehicleId)}`, sort: "-scheduledDate", isBrief: true,
  isFinal: record => record.status === "cancelled",
  // The server computes the cost of the lines again when they change, so the form leaves it empty.
  edited: record => (sums(record.lines ?? []).length === 1 && Number(sums(record.lines)[0].amount) === Number(record.cost?.amount) ? { ...record, cost: null } : record),
  fields: [
    { name: "serviceType", label: "field.serviceType", kind: "choice", choices: typeChoices, textOf: serviceTypeName, required: true },
    { name: "vehicleId", label: "field.vehicleId", kind: "thing", of: "vehicle", required: true, isFixed: true },
    { name: "scheduledDate", label: "field.scheduledDate", kind: "day", initial: today },
    { name: "lines", label: "field.lines", kind: "lines" },
    { name: "cost", label: "field.cost", kind: "money", hint: "field.costHint" },
    { name: "vendorName", label: "field.workshop", kind: "text" },
    { name: "performedBy", label: "field.performedBy", kind: "text" },
    { name: "odometer", label: "field.odometer", kind: "number", unit: "km", isMeasured: true, digits: 1 },
    { name: "engineHours", label: "field.engineHours", kind: "number", unit: "h", digits: 1 },
    { name: "defectIds", label: "field.defectIds", kind: "things", of: "defect", isWide: true, isOmitted: true,
      query: values => ({ status: "open,acknowledged", ...(values.vehicleId ? { vehicle: values.vehicleId } : {}) }) },
    { name: "notes", label: "field.notes", kind: "notes" },
    { name: "fileIds", label: "field.files", kind: "files" },
    { name: "scheduleId", label: "field.scheduleId", kind: "text", isFixed: true, isHidden: true, isOmitted: true },
    { name: "completedDate", label: "field.completedDate", kind: "day", isRead: true },
    { name: "startedAt", label: "field.startedAt", kind: "time", isRead: true },
    { name: "cancelReason", label: "field.reason", kind: "notes", isRead: true },
    { name: "status", label: "field.status", kind: "choice", texts: "recordStatus", choices: ["scheduled", "inProgress", "completed", "cancelled"], isRead: true, isOmitted: true },
  ],
  columns: ["serviceType", "vehicleId", "scheduledDate", "cost", "vendorName"], filters: ["status", "serviceType", "vehicleId"], period: ["from", "to"],
  sorts: ["serviceType", "scheduledDate", "vendorName", "status"], numbers: ["cost"],
  status: record => html`<${RecordStatus} status=${record.status} />`,
  commands: [
    { name: "start", label: "records.start", question: "records.startQuestion", done: "records.started", isMain: true, isPossible: record => record.status === "scheduled" },
    { name: "complete", label: "records.complete", done: "records.completed", isMain: true, isOnce: true, isPossible: record => record.status === "inProgress",
      fields: completion, given: async record => ({ ...await meters(record.vehicleId), ...withoutEmpty(record), completedDate: today() }) },
    { name: "cancel", label: "records.cancel", question: "records.cancelQuestion", done: "records.cancelled", isBad: true,
      isPossible: record => ["scheduled", "inProgress"].includes(record.status), fields: [{ name: "reason", label: "field.reason", kind: "notes" }] },
  ],
};

/** @type {Kind} */
export const schedules = {
  id: "service-schedules", one: "serviceSchedule", path: "/api/service-schedules", area: "maintenance", title: "schedules.title", add: "schedules.add", empty: "schedules.empty", pages: workshop,
  name: schedule => schedule.name || serviceTypeName(schedule.serviceType), sort: "forecastDate", isBrief: true,
  fields: [
    { name: "serviceType", label: "field.serviceType", kind: "choice", choices: typeChoices, textOf: serviceTypeName, required: true },
    { name: "name", label: "field.name", kind: "text" },
    { name: "vehicleId", label: "field.vehicleId", kind: "thing", of: "vehicle", isFixed: true, hint: "field.vehicleOrFleet", isShown: values => !values.fleetId },
    { name: "fleetId", label: "field.fleetId", kind: "thing", of: "fleet", isFixed: true, hint: "field.fleetOrVehicle", isShown: values => !values.vehicleId },
    { name: "next.dueDate", label: "field.dueDate", kind: "day", isRead: true },
    { name: "next.dueOdometer", label: "field.dueOdometer", kind: "number", unit: "km", isRead: true },
    { name: "next.dueEngineHours", label: "field.dueEngineHours", kind: "number", unit: "h", isRead: true },
    { name: "forecastDate", label: "field.forecastDate", kind: "day", isRead: true },
    { name: "every.kilometers", label: "field.everyKilometers", kind: "number", unit: "km", isMeasured: true, digits: 1, group: "group.every" },
    { name: "every.months", label: "field.everyMonths", kind: "number", group: "group.every" },
    { name: "every.days", label: "field.everyDays", kind: "number", group: "group.every" },
    { name: "every.engineHours", label: "field.everyHours", kind: "number", unit: "h", digits: 1, group: "group.every" },
    { name: "basis", label: "field.basis", kind: "choice", texts: "basis", choices: ["fromCompletion", "fixed"], required: true, initial: () => "fromCompletion", group: "group.every" },
    { name: "dueSoon.days", label: "field.soonDays", kind: "number", required: true, initial: () => 14, group: "group.dueSoon" },
    { name: "dueSoon.kilometers", label: "field.soonKilometers", kind: "number", unit: "km", isMeasured: true, digits: 1, required: true, initial: () => 500, group: "group.dueSoon" },
    { name: "dueSoon.engineHours", label: "field.soonHours", kind: "number", unit: "h", digits: 1, required: true, initial: () => 25, group: "group.dueSoon" },
    { name: "lastService.date", label: "field.lastDate", kind: "day", group: "group.lastService", isShown: values => !values.fleetId },
    { name: "lastService.odometer", label: "field.odometer", kind: "number", unit: "km", isMeasured: true, digits: 1, group: "group.lastService", isShown: values => !values.fleetId },
    { name: "lastService.engineHours", label: "field.engineHours", kind: "number", unit: "h", digits: 1, group: "group.lastService", isShown: values => !values.fleetId },
    { name: "notes", label: "field.notes", kind: "notes", group: "group.more" },
    { name: "state", label: "field.status", kind: "choice", texts: "dueState", choices: ["overdue", "dueSoon", "ok", "snoozed"], isRead: true, isOmitted: true },
  ],
  columns: ["serviceType", "vehicleId", "name", "fleetId", "next.dueDate", "next.dueOdometer", "forecastDate"], filters: ["state", "serviceType", "vehicleId", "fleetId"], period: ["forecastDateFrom", "forecastDateTo"],
  sorts: ["serviceType", "name", "forecastDate"], numbers: ["next.dueOdometer"],
  status: schedule => html`<${DueState} state=${schedule.state} />`,
};

/** @type {Kind} */
export const serviceTypes = {
  id: "service-types", one: "serviceType", path: "/api/service-types", area: "maintenance", title: "serviceTypes.title", add: "serviceTypes.add", empty: "serviceTypes.empty", pages: workshop,
  name: type => serviceTypeName(type.code), sort: "code", isFinal: type => type.builtIn,
  fields: [
    { name: "name", label: "field.name", kind: "text", required: true },
    { name: "code", label: "field.code", kind: "text", required: true, isFixed: true, hint: "field.codeHint" },
    { name: "notes", label: "field.notes", kind: "notes" },
    { name: "builtIn", label: "field.builtIn", kind: "flag", isRead: true },
  ],
  columns: ["name", "code", "notes", "builtIn"], sorts: ["name", "code"],
};

/** @type {Kind} */
export const defects = {
  id: "defects", one: "defect", path: "/api/defects", area: "defects", title: "defects.title", add: "defects.add", empty: "defects.empty", pages: workshop, adding: "report",
  name: defect => defect.text, resolver: "defect", sort: "-createdAt", isBrief: true, isFinal: defect => ["verified", "dismissed"].includes(defect.status),
  fields: [
    { name: "text", label: "field.defectText", kind: "notes", required: true },
    { name: "vehicleId", label: "field.vehicleId", kind: "thing", of: "vehicle", required: true, isFixed: true },
    { name: "severity", label: "field.severity", kind: "choice", texts: "severity", choices: ["minor", "major", "unsafe"], required: true, initial: () => "minor", hint: "field.severityHint" },
    { name: "photos", label: "field.photos", kind: "files" },
    { name: "source", label: "field.source", kind: "choice", texts: "defectSource", choices: ["inspection", "driver", "dtc", "other"], isFixed: true, isHidden: true },
    { name: "dtcs", label: "field.dtcs", kind: "list", isRead: true },
    { name: "driverId", label: "field.reportedBy", kind: "thing", of: "driver", isRead: true },
    { name: "tripsWithout", label: "field.tripsWithout", kind: "number", isRead: true, isShown: defect => defect.dtcs?.length > 0 },
    { name: "createdAt", label: "field.reportedAt", kind: "time", isRead: true },
    { name: "dismissReason", label: "field.reason", kind: "notes", isRead: true },
    { name: "status", label: "field.status", kind: "choice", texts: "defectStatus", choices: ["open", "acknowledged", "repaired", "verified", "dismissed"], isRead: true, isOmitted: true,
      groups: [["open,acknowledged", "defects.unrepaired"]] },
  ],
  columns: ["text", "vehicleId", "severity", "source", "createdAt"], filters: ["status", "severity", "vehicleId"], period: ["from", "to"], sorts: ["severity", "createdAt", "status"],
  status: defect => html`<${DefectStatus} status=${defect.status} />`,
  commands: [
    { name: "acknowledge", label: "defects.acknowledge", question: "defects.acknowledgeQuestion", done: "defects.acknowledged", isPossible: defect => defect.status === "open" },
    { name: "repair", label: "defects.repair", question: "defects.repairQuestion", done: "defects.repaired", isPossible: defect => defect.status === "acknowledged" },
    { name: "verify", label: "defects.verify", question: "defects.verifyQuestion", done: "defects.verified", isMain: true, isPossible: defect => defect.status === "repaired",
      fields: [{ name: "reason", label: "field.reason", kind: "notes" }] },
    { name: "dismiss", label: "defects.dismiss", question: "defects.dismissQuestion", done: "defects.dismissed", isBad: true,
      isPossible: defect => ["open", "acknowledged"].includes(defect.status), fields: [{ name: "reason", label: "field.reason", kind: "notes", required: true }] },
  ],
};

/** Whether the person may decide which readings count. Drivers only add readings. */
function judges() { return may("vehicles", "addReading") !== "own"; }

/** @type {Kind} */
export const readings = {
  id: "meter-readings", one: "meterReading", path: "/api/meter-readings", area: "vehicles", title: "readings.title", add: "readings.add", empty: "readings.empty", pages: workshop, adding: "addReading", changing: "addReading",
  name: reading => nameOf("vehicle", reading.vehicleId), sort: "-at", hasText: false, isBrief: true, isFinal: () => true,
  fields: [
    { name: "vehicleId", label: "field.vehicleId", kind: "thing", of: "vehicle", required: true, isFixed: true },
    { name: "at", label: "field.at", kind: "time", required: true, initial: presentTime },
    { name: "odometer", label: "field.odometer", kind: "number", unit: "km", isMeasured: true, digits: 1, reads: "odometer", isShown: values => !values.engineHours },
    { name: "engineHours", label: "field.engineHours", kind: "number", unit: "h", digits: 1, isShown: values => !values.odometer },
    { name: "replaced", label: "field.replaced", kind: "flag" },
    { name: "notes", label: "field.notes", kind: "notes" },
    { name: "source", label: "field.source", kind: "choice", texts: "readingSource", choices: ["gateway", "journey", "fuel", "inspection", "service", "manual", "import"], isRead: true },
    { name: "flag", label: "field.flag", kind: "choice", texts: "readingFlag", choices: ["outOfOrder", "backward", "tooFast", "wrongUnit"], isRead: true },
  ],
  columns: ["vehicleId", "odometer", "at", "engineHours", "source"], filters: ["source", "flag", "vehicleId"], period: ["from", "to"], sorts: ["odometer", "at", "engineHours"], numbers: ["odometer", "engineHours"],
  status: reading => reading.void ? html`<${Status} shape="silent">${t("readings.void")}</${Status}>` : reading.flag ? html`<${Status} shape="danger">${t("readingFlag." + reading.flag)}</${Status}>`
    : html`<${Status} shape="good" tone="moving">${t("readings.used")}</${Status}>`,
  commands: [
    { name: "void", label: "readings.makeVoid", question: "readings.voidQuestion", done: "readings.voided", isBad: true, isPossible: reading => !reading.void && judges(), patch: () => ({ void: true }), undo: () => ({ void: false }) },
    { name: "use", label: "readings.useAgain", question: "readings.useQuestion", done: "readings.usedAgain", isPossible: reading => reading.void && judges(), patch: () => ({ void: false }), undo: () => ({ void: true }) },
  ],
};

/** The kinds of things that documents belong to, and the resolver of their names. */
const subjects = /** @type {Record<string, string>} */ ({ vehicle: "vehicle", driver: "driver" });

/** @type {Kind} */
export const documents = {
  id: "documents", one: "document", path: "/api/documents", area: "documents", title: "documents.title", add: "documents.add", empty: "documents.empty",
  name: document => document.title || t(`document.${document.kind}`), sort: "expiresOn", isBrief: true,
  fields: [
    { name: "kind", label: "field.documentKind", kind: "choice", texts: "document", required: true, choices: ["registration", "insurance", "licence", "permit", "invoice", "receipt", "photo", "model", "other"] },
    { name: "title", label: "field.title", kind: "text" },
    { name: "of.kind", label: "field.ofKind", kind: "choice", texts: "subject", required: true, isFixed: true, choices: ["vehicle", "driver"], initial: () => "vehicle" },
    { name: "of.id", label: "field.ofId", kind: "thing", of: (/** @type {any} */ value) => subjects[value("of.kind")] ?? value("of.kind") ?? "vehicle", required: true, isFixed: true },
    { name: "number", label: "field.number", kind: "text" },
    { name: "issuedOn", label: "field.issuedOn", kind: "day" },
    { name: "expiresOn", label: "field.expiresOn", kind: "day", hint: "field.expiresHint" },
    { name: "fileIds", label: "field.files", kind: "files" },
    { name: "notes", label: "field.notes", kind: "notes" },
    { name: "vehicleId", label: "field.vehicleId", kind: "thing", of: "vehicle", isRead: true, isOmitted: true },
    { name: "driverId", label: "field.driverId", kind: "thing", of: "driver", isRead: true, isOmitted: true },
  ],
  columns: ["kind", "of.id", "title", "number", "expiresOn"], filters: ["kind", "vehicleId", "driverId"], period: ["expiresOnFrom", "expiresOnTo"], sorts: ["kind", "title", "expiresOn"],
  status: document => html`<${Expiry} day=${document.expiresOn} />`,
};

/**
 * How long a document is still valid. The server sends reminders 30 and 7 days before.
 * @param {{ day?: string | null }} props
 */
export function Expiry({ day }) {
  if (!day) return html`<${Status} shape="good" tone="moving">${t("expiry.never")}</${Status}>`;
  const days = Math.round((Date.parse(day) - Date.parse(today())) / 86_400_000);
  if (days < 0) return html`<${Status} shape="danger">${t("expiry.over")}</${Status}>`;
  if (days <= 30) return html`<${Status} shape="idle">${days === 0 ? t("expiry.today") : days === 1 ? t("expiry.tomorrow") : t("expiry.days", { count: days })}</${Status}>`;
  return html`<${Status} shape="good" tone="moving">${t("expiry.until", { day: dayText(day) })}</${Status}>`;
}

/** The events for which rules can notify people. */
export const eventChoices = [
  "journeyNeedsReview", "journeyIncident", "journeyStarted", "journeyCompleted", "inspectionDefects", "troubleCodeFound",
  "defectOpened", "defectUnsafe", "serviceDueSoon", "serviceOverdue", "maintenanceStarted", "maintenanceCompleted",
  "assignmentMade", "assignmentEnded", "documentExpiring", "licenceExpiring", "vehicleSilent", "vehicleBack", "fuelDrop", "meterSuspicious",
  "vehicleRetired", "vehicleReactivated", "tripEnded", "geofenceEntered", "geofenceExited", "geofenceDwelled",
  "drivingEvent", "webhookDisabled",
];

/** @type {Kind} */
export const rules = {
  id: "rules", one: "rule", path: "/api/rules", area: "settings", title: "rules.title", add: "rules.add", empty: "rules.empty",
  pages: [["/notifications", "notifications.title", "vehicles"], ["/rules", "rules.title", "settings"]],
  name: rule => rule.name, sort: "name", isBrief: true,
  fields: [
    { name: "name", label: "field.name", kind: "text", required: true },
    { name: "isActive", label: "field.isActive", kind: "flag", initial: () => true },
    { name: "events", label: "field.events", kind: "choices", texts: "event", required: true, choices: eventChoices, group: "group.when" },
    { name: "fleetIds", label: "field.fleetIds", kind: "things", of: "fleet", isWide: true, hint: "field.fleetIdsHint", group: "group.when" },
    { name: "roles", label: "field.notifiedRoles", kind: "choices", texts: "role", choices: ["admin", "maintenance", "driver", "viewer"], group: "group.who" },
    { name: "personIds", label: "field.personIds", kind: "things", of: "person", isWide: true, group: "group.who" },
    { name: "notifiesDriver", label: "field.notifiesDriver", kind: "flag", group: "group.who" },
    { name: "channels", label: "field.channels", kind: "choices", texts: "channel", required: true, choices: ["inApp", "email", "push", "webhook"], hint: "field.channelsHint", initial: () => ["inApp"], group: "group.how" },
    { name: "webhookIds", label: "field.webhookIds", kind: "things", of: "webhook", isWide: true, hint: "field.webhookIdsHint", isShown: values => values.channels?.includes("webhook"), group: "group.how" },
    { name: "digest", label: "field.digest", kind: "choice", texts: "digest", required: true, choices: ["none", "hourly", "daily"], initial: () => "none", group: "group.how" },
    { name: "quietHours.from", label: "field.quietFrom", kind: "clock", hint: "field.quietHint", group: "group.how" },
    { name: "quietHours.to", label: "field.quietTo", kind: "clock", hint: "field.quietHint", group: "group.how" },
  ],
  columns: ["name", "events", "channels", "digest"], sorts: ["name"],
  status: rule => html`<${Status} shape=${rule.isActive ? "good" : "silent"} tone=${rule.isActive ? "moving" : undefined}>${t(rule.isActive ? "rules.active" : "rules.inactive")}</${Status}>`,
  commands: [
    { name: "off", label: "rules.off", question: "rules.offQuestion", done: "rules.isOff", isPossible: rule => rule.isActive, patch: () => ({ isActive: false }), undo: () => ({ isActive: true }) },
    { name: "on", label: "rules.on", done: "rules.isOn", isPossible: rule => !rule.isActive, patch: () => ({ isActive: true }), undo: () => ({ isActive: false }) },
  ],
};

/** @type {Record<string, Kind>} */
export const workKinds = {
  "maintenance-records": records, "service-schedules": schedules, "service-types": serviceTypes, defects, "meter-readings": readings, documents, rules,
};
