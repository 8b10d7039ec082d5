/** The names of things that other things refer to by their ids. */
import { useEffect, useState } from "../lib/preact.js";
import { all, get, pathOf } from "../api.js";
import { hasText, t } from "../texts.js";

/** @type {Map<string, string>} */
const names = new Map();
/** @type {Set<string>} */
const asked = new Set();
/** @type {Set<() => void>} */
const listeners = new Set();
let isAnnounced = false;

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
 * @param {string} path
 * @param {(thing: any) => string} name
 * @param {(thing: any) => string} [detail]
 * @param {Record<string, string>} [query]
 */
function resolver(kind, path, name, detail, query) {
  return {
    path, name, detail, query,
    remember: (/** @type {any} */ thing) => { names.set(`${kind} ${thing.id}`, name(thing)); },
  };
}

/**
 * How each kind of thing is found and named.
 * @type {Record<string, ReturnType<typeof resolver>>}
 */
export const resolvers = {
  vehicle: resolver("vehicle", "/api/vehicles", vehicleName,
    vehicle => [vehicle.make, vehicle.model, vehicle.licencePlate].filter(Boolean).join(" ")),
  driver: resolver("driver", "/api/drivers", driver => driver.name, driver => driver.licenceClasses?.join(" ") ?? ""),
  fleet: resolver("fleet", "/api/fleets", fleet => fleet.name),
  person: resolver("person", "/api/people", person => `${person.firstName} ${person.lastName}`, person => person.email ?? ""),
  webhook: resolver("webhook", "/api/webhooks", webhook => webhook.description || webhook.url),
  defect: resolver("defect", "/api/defects", defect => defect.text, defect => defect.dtcs?.join(" ") ?? ""),
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
 * The name of a thing; its id until the name is known.
 * @param {string} kind
 * @param {string} id
 */
export function nameOf(kind, id) {
  const key = `${kind} ${id}`;
  const found = names.get(key);
  if (found !== undefined) return found;
  if (!asked.has(key)) {
    asked.add(key);
    get(pathOf(resolvers[kind].path, id)).then(
      thing => { resolvers[kind].remember(thing); announce(); },
      () => { names.set(key, id); });
  }
  return kind === "vehicle" ? id : "…";
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
export function useNames() {
  const [, draw] = useState(0);
  useEffect(() => {
    const listener = () => draw((/** @type {number} */ count) => count + 1);
    listeners.add(listener);
    return () => { listeners.delete(listener); };
  }, []);
}
