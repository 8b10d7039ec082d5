/**
 * The descriptions of all kinds of things.
 * @typedef {import("../parts/things.js").Kind} Kind
 */
import { presentTime } from "../clock.js";
import { html } from "../lib/preact.js";
import { Status } from "../parts/icons.js";
import { nameOf, vehicleName } from "../parts/names.js";
import { costText, priceText } from "../parts/prices.js";
import { dateText, today } from "../format.js";
import { may } from "../state.js";
import { t } from "../texts.js";
import { inspections } from "./inspection-kind.js";
import { workKinds } from "./work-kinds.js";

/**
 * @param {string} texts
 * @param {Record<string, import("../parts/icons.js").Shape>} shapes
 * @param {Record<string, string>} [tones]
 */
function status(texts, shapes, tones = {}) {
  return (/** @type {any} */ thing) => html`<${Status} shape=${shapes[thing.status] ?? "parked"} tone=${tones[thing.status]}>${t(`${texts}.${thing.status}`)}</${Status}>`;
}

export const vehicleTypes = ["car", "motorcycle", "van", "truck", "bus", "trailer", "equipment", "other"];

/** @type {Kind} */
export const vehicles = {
  id: "vehicles", one: "vehicle", path: "/api/vehicles", area: "vehicles", title: "vehicles.title", add: "vehicles.add", empty: "vehicles.empty",
  name: vehicleName, resolver: "vehicle", sort: "id", picture: vehicle => vehicle.photoId, below: vehicle => vehicle.name,
  fields: [
    { name: "id", label: "field.id", kind: "text", required: true, isFixed: true, hint: "field.idHint" },
    { name: "name", label: "field.name", kind: "text" },
    { name: "licencePlate", label: "field.licencePlate", kind: "text" },
    { name: "registrationNumber", label: "field.registrationNumber", kind: "text" },
    { name: "make", label: "field.make", kind: "text" },
    { name: "model", label: "field.model", kind: "text" },
    { name: "modelYear", label: "field.modelYear", kind: "year" },
    { name: "vin", label: "field.vin", kind: "text", reads: "vin" },
    { name: "type", label: "field.type", kind: "choice", choices: vehicleTypes, texts: "vehicleType" },
    { name: "fuelType", label: "field.fuelType", kind: "choice", texts: "fuel", choices: ["petrol", "diesel", "cng", "lpg", "electric", "hybrid", "pluginHybrid", "hydrogen", "other"] },
    { name: "transmission", label: "field.transmission", kind: "choice", texts: "transmission", choices: ["manual", "automatic", "other"] },
    { name: "engineSize", label: "field.engineSize", kind: "number", digits: 1 },
    { name: "tankCapacity", label: "field.tankCapacity", kind: "number", unit: "L", isMeasured: true, digits: 1 },
    { name: "batteryCapacity", label: "field.batteryCapacity", kind: "number", unit: "kWh", digits: 1 },
    { name: "payload", label: "field.payload", kind: "number", unit: "kg", isMeasured: true },
    { name: "capacity", label: "field.capacity", kind: "number" },
    { name: "acquiredOn", label: "field.acquiredOn", kind: "day" },
    { name: "acquisitionCost", label: "field.acquisitionCost", kind: "money", hint: "field.amountHint" },
    { name: "plannedDisposalOn", label: "field.plannedDisposalOn", kind: "day" },
    { name: "residualValue", label: "field.residualValue", kind: "money", hint: "field.residualHint" },
    { name: "disposedOn", label: "field.disposedOn", kind: "day" },
    { name: "fleetId", label: "field.fleetId", kind: "thing", of: "fleet" },
    { name: "photoId", label: "field.photo", kind: "photo" },
    { name: "notes", label: "field.notes", kind: "notes" },
    { name: "status", label: "field.status", kind: "choice", texts: "vehicleStatus", isRead: true, choices: ["available", "assigned", "inService", "inactive", "retired"],
      groups: [["available,assigned,inService,inactive", "vehicles.notRetired"], ["available,assigned", "fleet.active"]] },
    { name: "lastRecordAt", label: "field.lastRecordAt", kind: "time", isRead: true },
  ],
  columns: ["id", "make", "model", "licencePlate", "type", "lastRecordAt"], filters: ["status", "type", "fleetId"], bulk: ["fleetId", "type", "fuelType", "transmission", "acquiredOn", "notes"],
  sorts: ["id", "make", "model", "licencePlate", "type", "lastRecordAt", "status"],
  status: status("vehicleStatus", { available: "good", assigned: "dot", inService: "idle", inactive: "silent", retired: "silent" },
    { available: "moving", assigned: "accent" }),
  commands: [
    { name: "activate", label: "vehicles.activate", question: "vehicles.activateQuestion", done: "vehicles.activated", isMain: true, isPossible: vehicle => vehicle.status === "inactive" },
    { name: "reactivate", label: "vehicles.reactivate", question: "vehicles.reactivateQuestion", done: "vehicles.reactivated", isMain: true, isPossible: vehicle => vehicle.status === "retired" },
    { name: "deactivate", label: "vehicles.deactivate", question: "vehicles.deactivateQuestion", done: "vehicles.deactivated", isRare: true, isPossible: vehicle => vehicle.status === "available" },
    { name: "retire", label: "vehicles.retire", question: "vehicles.retireQuestion", done: "vehicles.retired", isRare: true, isBad: true, isPossible: vehicle => vehicle.status !== "retired" },
    { name: "remove", label: "action.delete", question: "vehicles.removeQuestion", done: "vehicles.removed", isRare: true, isBad: true, isRemoval: true, isPossible: () => true },
  ],
};

/** @type {Kind} */
export const fleets = {
  id: "fleets", one: "fleet", path: "/api/fleets", area: "fleets", title: "fleets.title", add: "fleets.add", empty: "fleets.empty",
  name: fleet => fleet.name, resolver: "fleet", sort: "name",
  fields: [
    { name: "name", label: "field.name", kind: "text", required: true },
    { name: "timeZone", label: "field.timeZone", kind: "text", hint: "field.timeZoneHint" },
    { name: "workingHours", label: "field.workingHours", kind: "hours", hint: "field.workingHoursHint" },
    { name: "notes", label: "field.notes", kind: "notes" },
  ],
  columns: ["name", "timeZone", "workingHours", "notes"], sorts: ["name"],
};

/** @type {Kind} */
export const drivers = {
  id: "drivers", one: "driver", path: "/api/drivers", area: "drivers", title: "drivers.title", add: "drivers.add", empty: "drivers.empty",
  name: driver => driver.name, resolver: "driver", sort: "name",
  fields: [
    { name: "name", label: "field.name", kind: "text", required: true },
    { name: "phone", label: "field.phone", kind: "text" },
    { name: "licenceNumber", label: "field.licenceNumber", kind: "text" },
    { name: "licenceClasses", label: "field.licenceClasses", kind: "list", hint: "field.licenceClassesHint" },
    { name: "licenceExpiry", label: "field.licenceExpiry", kind: "day" },
    { name: "status", label: "field.status", kind: "choice", texts: "driverStatus", choices: ["available", "onTrip", "offDuty", "suspended"], required: true, initial: () => "available" },
    { name: "fleetId", label: "field.fleetId", kind: "thing", of: "fleet" },
    { name: "personId", label: "field.personId", kind: "thing", of: "person" },
  ],
  columns: ["name", "phone", "licenceClasses", "licenceExpiry"], filters: ["status", "fleetId"], sorts: ["name", "licenceExpiry", "status"],
  status: driver => driver.licenceExpiry && driver.licenceExpiry < today()
    ? html`<${Status} shape="danger">${t("drivers.expired")}</${Status}>`
    : status("driverStatus", { available: "good", onTrip: "moving", offDuty: "parked", suspended: "danger" }, { available: "moving" })(driver),
};

/** The commands that make an entry void, and valid again. */
const voidCommands = /** @type {NonNullable<Kind["commands"]>} */ ([
  { name: "void", label: "void.make", question: "void.question", done: "void.done", isBad: true, isPossible: entry => !entry.void, patch: () => ({ void: true }), undo: () => ({ void: false }) },
  { name: "use", label: "void.undo", question: "void.undoQuestion", done: "void.undone", isPossible: entry => entry.void, patch: () => ({ void: false }), undo: () => ({ void: true }) },
]);

/** @type {Kind} */
export const assignments = {
  id: "assignments", one: "assignment", path: "/api/assignments", area: "assignments", title: "assignments.title", add: "assignments.add", empty: "assignments.empty", pages: [["/assignments", "assignments.list", "assignments"], ["/assignments/calendar", "assignments.calendar", "assignments"]],
  name: assignment => `${nameOf("vehicle", assignment.vehicleId)} · ${nameOf("driver", assignment.driverId)}`, sort: "-from", hasText: false,
  fields: [
    { name: "vehicleId", label: "field.vehicleId", kind: "thing", of: "vehicle", required: true, isFixed: true },
    { name: "driverId", label: "field.driverId", kind: "thing", of: "driver", required: true, isFixed: true },
    { name: "from", label: "field.from", kind: "time", required: true, initial: presentTime },
    { name: "to", label: "field.to", kind: "time" },
    { name: "notes", label: "field.notes", kind: "notes" },
    { name: "status", label: "field.status", kind: "choice", texts: "assignmentStatus", isRead: true, choices: ["active", "completed", "cancelled"] },
  ],
  columns: ["vehicleId", "driverId", "from", "to"], filters: ["status", "vehicleId", "driverId"], period: ["from", "to"], sorts: ["from", "to"],
  status: assignment => assignment.void ? html`<${Status} shape="silent">${t("void")}</${Status}>`
    : status("assignmentStatus", { active: "moving", completed: "good", cancelled: "silent" }, { completed: "parked" })(assignment),
  commands: [
    { name: "end", label: "assignments.end", question: "assignments.endQuestion", done: "assignments.ended", isPossible: thing => thing.status === "active", body: () => ({}) },
    { name: "cancel", label: "assignments.cancel", question: "assignments.cancelQuestion", done: "assignments.cancelled", isBad: true, isPossible: thing => thing.status === "active" },
    { ...voidCommands[0], question: "assignments.voidQuestion", isPossible: thing => thing.status === "completed" && !thing.void },
    voidCommands[1],
  ],
};

/** @type {Kind} */
export const expenses = {
  id: "expenses", one: "expense", path: "/api/expenses", area: "expenses", title: "expenses.title", add: "expenses.add", empty: "expenses.empty",
  name: expense => t(`expense.${expense.category}`), sort: "-at",
  fields: [
    { name: "category", label: "field.category", kind: "choice", texts: "expense", required: true, choices: ["toll", "parking", "fine", "insurance", "tax", "lease", "wash", "other"] },
    { name: "amount", label: "field.amount", kind: "money", required: true, hint: "field.amountHint" },
    { name: "at", label: "field.at", kind: "time", required: true, initial: presentTime },
    { name: "vehicleId", label: "field.vehicleId", kind: "thing", of: "vehicle" },
    { name: "driverId", label: "field.driverId", kind: "thing", of: "driver" },
    { name: "vendorName", label: "field.vendorName", kind: "text" },
    { name: "notes", label: "field.notes", kind: "notes" },
    { name: "fileIds", label: "field.files", kind: "files" },
  ],
  columns: ["category", "amount", "at", "vehicleId", "driverId", "vendorName"], filters: ["category", "vehicleId", "driverId"], period: ["from", "to"],
  sorts: ["category", "at", "vendorName"], numbers: ["amount"], commands: voidCommands,
};

/** @type {Kind} */
export const people = {
  id: "people", one: "person", path: "/api/people", area: "people", title: "people.title", add: "people.add", empty: "people.empty",
  name: person => `${person.firstName} ${person.lastName}`, resolver: "person", sort: "lastName",
  fields: [
    { name: "firstName", label: "field.firstName", kind: "text", required: true },
    { name: "lastName", label: "field.lastName", kind: "text", required: true },
    { name: "email", label: "field.email", kind: "email", required: true },
    { name: "roles", label: "field.roles", kind: "choices", texts: "role", required: true, choices: ["admin", "maintenance", "driver", "viewer"] },
    { name: "scope", label: "field.scope", kind: "scope", required: true, initial: () => "all", hint: "field.scopeHint" },
    { name: "mayReadCosts", label: "field.mayReadCosts", kind: "flag" },
    { name: "locale", label: "field.locale", kind: "choice", texts: "locale", choices: ["en", "de"] },
    { name: "timeZone", label: "field.timeZone", kind: "text", hint: "field.timeZoneHint" },
    { name: "units", label: "field.units", kind: "choice", texts: "units", choices: ["metric", "imperial"], required: true, initial: () => "metric" },
    { name: "lastSeenAt", label: "field.lastSeenAt", kind: "time", isRead: true },
  ],
  columns: ["lastName", "firstName", "email", "roles", "lastSeenAt"], sorts: ["lastName", "email", "lastSeenAt"],
  status: person => html`<${Status} shape=${person.isActive ? "good" : "silent"} tone=${person.isActive ? "moving" : "silent"}>${t(person.isActive ? "people.active" : "people.inactive")}</${Status}>`,
  commands: [
    { name: "deactivate", label: "people.deactivate", question: "people.deactivateQuestion", done: "people.deactivated", isBad: true, isPossible: person => person.isActive },
    { name: "activate", label: "people.activate", done: "people.activated", isPossible: person => !person.isActive },
    { name: "erase", label: "people.erase", question: "people.eraseQuestion", done: "people.erased", isBad: true, isRare: true, isRemoval: true, isPossible: () => true },
  ],
};

/** @type {Kind} */
export const fuelEntries = {
  id: "fuel-entries", one: "fuelEntry", path: "/api/fuel-entries", area: "fuel", title: "fuelEntries.title", add: "fuelEntries.add", empty: "fuelEntries.empty",
  name: entry => `${t(`energy.${entry.energy}`)} ${dateText(entry.at)}`, sort: "-at",
  fields: [
    { name: "at", label: "field.at", kind: "time", required: true, initial: presentTime },
    { name: "vehicleId", label: "field.vehicleId", kind: "thing", of: "vehicle", required: true, isFixed: true },
    { name: "energy", label: "field.energy", kind: "choice", texts: "energy", required: true, initial: () => "diesel", choices: ["petrol", "diesel", "cng", "lpg", "electric", "adBlue"] },
    { name: "quantity", label: "field.quantity", kind: "measure", required: true, hint: "field.quantityHint" },
    { name: "total", label: "field.total", kind: "money", hint: "field.amountHint" },
    { name: "price", label: "field.unitPrice", kind: "money", hint: "field.unitPriceHint", text: priceText },
    { name: "cost", label: "field.cost", kind: "money", text: costText, isRead: true, isShown: entry => entry.cost !== undefined && entry.total === undefined },
    { name: "odometer", label: "field.odometer", kind: "number", unit: "km", isMeasured: true, digits: 0, reads: "odometer" },
    { name: "full", label: "field.full", kind: "flag", initial: () => true },
    { name: "missedPrevious", label: "field.missedPrevious", kind: "flag" },
    { name: "place", label: "field.place", kind: "text" },
    { name: "notes", label: "field.notes", kind: "notes" },
    { name: "fileIds", label: "field.files", kind: "files" },
    { name: "driverId", label: "field.driverId", kind: "thing", of: "driver", isRead: true },
  ],
  columns: ["at", "vehicleId", "quantity", "energy", "price", "cost", "odometer", "driverId"], filters: ["energy", "vehicleId", "driverId"], period: ["from", "to"],
  sorts: ["at", "quantity", "energy", "odometer"], numbers: ["quantity", "price", "cost", "odometer"], commands: voidCommands,
};

/** @type {Kind} */
export const journeys = {
  id: "journeys", one: "journey", path: "/api/journeys", area: "journeys", title: "journeys.title", add: "journeys.add", empty: "journeys.empty",
  name: journey => `${t(`purpose.${journey.purpose ?? "business"}`)} ${dateText(journey.startTime ?? journey.plannedFrom)}`, sort: "-startTime",
  fields: [
    { name: "startTime", label: "field.startTime", kind: "time" },
    { name: "vehicleId", label: "field.vehicleId", kind: "thing", of: "vehicle", required: true, isFixed: true },
    { name: "driverId", label: "field.driverId", kind: "thing", of: "driver", isFixed: true },
    { name: "purpose", label: "field.purpose", kind: "choice", texts: "purpose", required: true, initial: () => "business", choices: ["business", "private", "commute"] },
    { name: "plannedFrom", label: "field.plannedFrom", kind: "time" },
    { name: "endTime", label: "field.endTime", kind: "time" },
    { name: "startOdometer", label: "field.startOdometer", kind: "number", unit: "km", isMeasured: true, digits: 0 },
    { name: "endOdometer", label: "field.endOdometer", kind: "number", unit: "km", isMeasured: true, digits: 0 },
    { name: "notes", label: "field.notes", kind: "notes" },
    { name: "status", label: "field.status", kind: "choice", texts: "journeyStatus", isRead: true, choices: ["planned", "inProgress", "paused", "completed", "cancelled"] },
    { name: "needsReview", label: "journeys.needsReview", kind: "flag", isRead: true, isOmitted: true },
  ],
  columns: ["startTime", "vehicleId", "driverId", "purpose", "startOdometer", "endOdometer"], filters: ["status", "needsReview", "purpose", "vehicleId", "driverId"], period: ["from", "to"],
  sorts: ["startTime", "purpose", "status"], numbers: ["startOdometer", "endOdometer"],
  status: journey => journey.needsReview ? html`<${Status} shape="danger">${t("journeys.needsReview")}</${Status}>`
    : status("journeyStatus", { planned: "parked", inProgress: "moving", paused: "idle", completed: "good", cancelled: "silent" }, { completed: "parked" })(journey),
  commands: [
    { name: "cancel", label: "journeys.cancel", question: "journeys.cancelQuestion", done: "journeys.cancelled", isBad: true, isPossible: journey => ["planned", "inProgress", "paused"].includes(journey.status), body: () => ({}) },
    { name: "review", label: "journeys.review", question: "journeys.reviewQuestion", done: "journeys.reviewed", isMain: true, isPossible: journey => journey.needsReview && may("journeys", "write") === "all", body: () => ({}) },
  ],
};

/**
 * All kinds by the first part of their pages' addresses.
 * @type {Record<string, Kind>}
 */
export const kinds = { vehicles, fleets, drivers, assignments, expenses, people, journeys, "fuel-entries": fuelEntries, inspections, ...workKinds };
