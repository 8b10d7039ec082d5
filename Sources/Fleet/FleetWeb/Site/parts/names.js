/** The names of things that other things refer to by their ids. */
import { all, get, pathOf } from "../api.js";
import { html } from "../lib/preact.js";
import { may, useListeners } from "../state.js";
import { hasText, t } from "../texts.js";

/** @type {Map<string, string>} */
const names = new Map();
/** The names that need not be asked for. @type {Set<string>} */
const asked = new Set();
/** The ids whose names are asked for next, by kind. @type {Map<string, string[]>} */
const wanted = new Map();
/** The most ids of one request. Ids of vehicles are at most 64 bytes long, so the address stays short enough. */
const mostIds = 50;
/** @type {Set<() => void>} */
const listeners = new Set();
let isAnnounced = false;
/** The time between the first of several changes and the request for the new names, ms. */
const pause = 2000;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let renaming;

function announce() {
  // Many names may arrive at the same time. Draw once for all of them.
  if (isAnnounced) return;
  isAnnounced = true;
  requestAnimationFrame(() => {
    isAnnounced = false;
    for (const listener of listeners) listener();
  });
}

/**
 * @param {string} kind
 * @param {string} area the area of the permission that its list needs
 * @param {string} path
 * @param {(thing: any) => string} name
 * @param {(thing: any) => string} [detail]
 */
function resolver(kind, area, path, name, detail) {
  return {
    area, path, name, detail,
    remember: (/** @type {any} */ thing) => {
      const key = `${kind} ${thing.id}`;
      names.set(key, name(thing));
      asked.add(key);
    },
  };
}

/**
 * How each kind of thing is found and named.
 * @type {Record<string, ReturnType<typeof resolver>>}
 */
export const resolvers = {
  vehicle: resolver("vehicle", "vehicles", "/api/vehicles", vehicleName,
    vehicle => [vehicle.name && vehicle.id, [vehicle.make, vehicle.model, vehicle.licencePlate].filter(Boolean).join(" ")].filter(Boolean).join(" · ")),
  driver: resolver("driver", "drivers", "/api/drivers", driver => driver.name, driver => driver.licenceClasses?.join(" ") ?? ""),
  fleet: resolver("fleet", "fleets", "/api/fleets", fleet => fleet.name),
  person: resolver("person", "people", "/api/people", person => `${person.firstName} ${person.lastName}`, person => person.email ?? ""),
  webhook: resolver("webhook", "integrations", "/api/webhooks", webhook => webhook.description || webhook.url),
  defect: resolver("defect", "defects", "/api/defects", defect => defect.text, defect => defect.dtcs?.join(" ") ?? ""),
};

/** @type {any[] | null} */
let serviceTypes = null;
let areTypesAsked = false;

/**
 * The types of service: the built-in ones, and those of the fleet. Empty until they are loaded.
 * @returns {{ code: string, name: string, builtIn: boolean }[]}
 */
export function knownServiceTypes() {
  if (!areTypesAsked) {
    areTypesAsked = true;
    all("/api/service-types", {}, 1000).then(types => { serviceTypes = types; announce(); }, () => {});
  }
  return serviceTypes ?? [];
}

/** Loads the types of service again, because they have changed. */
export function forgetServiceTypes() { areTypesAsked = false; }

/**
 * The name of a type of service.
 * @param {string} code
 */
export function serviceTypeName(code) {
  return hasText("serviceType." + code) ? t("serviceType." + code) : knownServiceTypes().find(type => type.code === code)?.name ?? code;
}

/**
 * The name that people see for a vehicle.
 * @param {any} vehicle
 */
export function vehicleName(vehicle) { return vehicle.name || vehicle.id; }

/**
 * The name of a vehicle, with its id if the vehicle has a name.
 * @param {{ id: string, name?: string }} props `name`: if it is known already.
 */
export function VehicleLabel({ id, name = nameOf("vehicle", id) }) {
  return name === id ? id : html`<span class="named">${name} <span class="soft small">${id}</span></span>`;
}

/**
 * The text with which a thing is chosen: its name. Vehicles also have their ids, because names need not be unique.
 * @param {string} kind
 * @param {string} id
 */
export function labelOf(kind, id) {
  const name = nameOf(kind, id);
  return kind === "vehicle" && name !== id ? `${name} (${id})` : name;
}

/** Asks for the names of all things that a drawing has met. */
function askForNames() {
  for (const [kind, ids] of wanted) {
    for (let begin = 0; begin < ids.length; begin += mostIds) askFor(kind, ids.slice(begin, begin + mostIds));
  }
  wanted.clear();
}

/**
 * @param {string} kind
 * @param {string[]} ids
 */
async function askFor(kind, ids) {
  const { path, remember } = resolvers[kind];
  try {
    // A comma separates ids, so an id with a comma needs its own request.
    const things = ids[0].includes(",") ? [await get(pathOf(path, ids[0]))] : (await get(path, { id: ids.join(","), limit: ids.length })).data;
    things.forEach(remember);
  } catch {}
  // Things that no longer exist, or that the person may not see, keep their ids.
  for (const id of ids) if (!names.has(`${kind} ${id}`)) names.set(`${kind} ${id}`, id);
  announce();
}

/**
 * The name of a thing; its id until the name is known. Names that are asked for together need one request.
 * @param {string} kind
 * @param {string} id
 */
export function nameOf(kind, id) {
  const key = `${kind} ${id}`;
  const found = names.get(key);
  if (!asked.has(key)) {
    if (!may(resolvers[kind].area)) return found ?? id;
    asked.add(key);
    if (id.includes(",")) askFor(kind, [id]);
    else {
      if (wanted.size === 0) setTimeout(askForNames);
      wanted.set(kind, [...wanted.get(kind) ?? [], id]);
    }
  }
  return found ?? (kind === "vehicle" ? id : "…");
}

/**
 * Asks for names again when they are drawn, because things were changed. Until then, the old names are shown.
 * @param {{ kind: string, id: string } | null} change `null`: any thing may have changed
 */
export function outdateNames(change) {
  if (!change) asked.clear();
  else if (!asked.delete(`${change.kind} ${change.id}`) && change.kind !== "serviceType") return;
  if (!change || change.kind === "serviceType") forgetServiceTypes();
  if (renaming !== undefined) return;
  renaming = setTimeout(() => {
    renaming = undefined;
    announce();
  }, pause);
}

/**
 * Remembers the names of a list.
 * @param {string} kind
 * @param {any[]} things
 */
export function remember(kind, things) {
  for (const thing of things) resolvers[kind]?.remember(thing);
}

/** Draws a component again when names are known. */
export function useNames() { useListeners(listeners); }
