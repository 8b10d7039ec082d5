/** The pages of things: list, details and form. */
import { html, useState } from "../lib/preact.js";
import { get, post, pathOf } from "../api.js";
import { timeText } from "../format.js";
import { Icon } from "../parts/icons.js";
import { Sessions } from "../parts/sessions.js";
import { nameOf } from "../parts/names.js";
import { ThingForm } from "../parts/thing-form.js";
import { ThingCard, ThingDetail, ThingList } from "../parts/things.js";
import { Figures, Secret, Trouble, useLoad } from "../parts/ui.js";
import { currentSession, may } from "../state.js";
import { t } from "../texts.js";
import { DriverFigures } from "../parts/driver-figures.js";
import { DutyCard, dutyPeriods } from "./duty.js";
import { FuelCheck, ReadingFigures } from "./fuel.js";
import { JourneyDoubts, JourneyExtras } from "./journey.js";
import { kinds as workingKinds } from "./kinds.js";
import { setUpKinds } from "./settings-kinds.js";
import { Assets, Deliveries, Failures, HomeAssistant, Ignored, PhoneApps } from "./settings.js";
import { DefectExtras, DocumentExtras, RecordExtras, RecordSteps, ScheduleExtras } from "./work.js";

const kinds = { ...workingKinds, ...setUpKinds, [dutyPeriods.id]: dutyPeriods };

/** @param {{ place: import("../router.js").Place }} props */
export default function Things({ place }) {
  const [id, thing, command] = place.parts;
  const kind = kinds[id];
  if (kind.isSingle) return thing === "edit" ? html`<${ThingForm} kind=${kind} id=${kind.id} key=${place.path} />` : html`<${ThingDetail} kind=${kind} id=${kind.id} key=${place.path} />`;
  if (thing === "new") return html`<${ThingForm} kind=${kind} start=${startOf(kind.id, place)} key=${place.path} />`;
  if (thing && command === "edit") return html`<${ThingForm} kind=${kind} id=${thing} key=${place.path} />`;
  if (thing) {
    return html`<${ThingDetail} kind=${kind} id=${thing} key=${place.path} top=${(/** @type {any} */ value) => top(kind.id, value)}>${(/** @type {any} */ value, /** @type {() => void} */ reload) => more(kind.id, value, reload)}</${ThingDetail}>`;
  }
  return html`<${ThingList} kind=${kind} place=${place} key=${kind.id} />`;
}

/**
 * The first values of the form for a new thing. The address may name values of fields.
 * @param {string} kind
 * @param {import("../router.js").Place} place
 */
function startOf(kind, place) {
  const start = Object.fromEntries(kinds[kind].fields.flatMap(({ name, kind: form }) => {
    const value = place.query.get(name);
    return value ? [[name, form === "things" ? value.split(",") : value]] : [];
  }));
  if (kind === "people") return { ...start, roles: ["driver"], locale: currentSession()?.person.locale ?? undefined, units: currentSession()?.person.units };
  return start;
}

/**
 * What is above a thing's details.
 * @param {string} kind
 * @param {any} thing
 */
function top(kind, thing) {
  switch (kind) {
    case "maintenance-records": return html`<${RecordSteps} record=${thing} />`;
    case "journeys": return html`<${JourneyDoubts} journey=${thing} />`;
    default: return null;
  }
}

/**
 * Further parts of the page with a thing's details.
 * @param {string} kind
 * @param {any} thing
 * @param {() => void} reload
 */
function more(kind, thing, reload) {
  switch (kind) {
    case "fleets": return html`<${FleetTiles} fleet=${thing} />`;
    case "people": return may("people", "write") === "all" && html`${thing.isActive && html`<${Invitation} person=${thing} />`}<${Sessions} personId=${thing.id} name=${kinds.people.name(thing)} />`;
    case "maintenance-records": return html`<${RecordExtras} record=${thing} />`;
    case "service-schedules": return html`<${ScheduleExtras} schedule=${thing} reload=${reload} />`;
    case "defects": return html`<${DefectExtras} defect=${thing} />`;
    case "documents": return html`<${DocumentExtras} document=${thing} />`;
    case "webhooks": return html`<${Deliveries} webhook=${thing} key=${thing.updatedAt} /><${Failures} thing=${thing} />`;
    case "forwards": return html`<${HomeAssistant} forward=${thing} /><${Failures} thing=${thing} /><${Ignored} thing=${thing} />`;
    case "connectors": return html`<${Assets} connector=${thing} /><${Failures} thing=${thing} /><${Ignored} thing=${thing} />`;
    case "phones": return html`<${PhoneApps} /><${Ignored} thing=${thing} />`;
    case "journeys": return html`<${JourneyExtras} journey=${thing} />`;
    case "fuel-entries": return html`<${FuelCheck} entry=${thing} />`;
    case "meter-readings": return html`<${ReadingFigures} reading=${thing} />`;
    case "drivers": return html`<${DriverExtras} driver=${thing} />`;
    default: return null;
  }
}

/** @param {{ fleet: any }} props */
function FleetTiles({ fleet }) {
  const { metrics } = fleet;
  const query = { fleetId: fleet.id };
  const link = (/** @type {Record<string, string>} */ more) => `/vehicles?${new URLSearchParams({ ...query, ...more })}`;
  return html`<${Figures} label=${kinds.fleets.name(fleet)} list=${[
      { label: "fleet.total", count: metrics?.total, link: link({}) }, { label: "fleet.active", count: metrics?.active, link: link({ status: "available,assigned" }) },
      { label: "fleet.inService", count: metrics?.inService, link: link({ status: "inService" }) },
      ...(metrics?.utilization === undefined ? [] : [{ label: "fleet.utilization", count: metrics.utilization * 100, unit: "%", detail: t("live.today") }])]} />
    <${ThingCard} kind=${kinds.vehicles} query=${query} detail=${(/** @type {any} */ vehicle) => [vehicle.make, vehicle.model, vehicle.licencePlate]} count=${20} />
    <${ThingCard} kind=${kinds.drivers} query=${query} count=${20} />`;
}

/** @param {{ person: any }} props */
function Invitation({ person }) {
  const [made, setMade] = useState(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {any} */ (null));
  const invite = async () => {
    setError(null);
    try {
      setMade(await post(pathOf("/api/people", person.id, "invite")));
    } catch (failure) { setError(failure); }
  };
  return html`<section class="card"><header><h2>${t("people.invite")}</h2>${!made && html`<button type="button" class="button" onClick=${invite}><${Icon} name="plus" size=${16} />${t("people.inviteLink")}</button>`}</header>
    ${error && html`<${Trouble} error=${error} />`}
    ${made ? html`<div class="padded"><p>${t("people.invited", { name: person.firstName })} ${made.isMailed && t("people.mailed")}</p>
      <${Secret} text=${made.link ?? `${location.origin}/setup#${made.token}`} label=${t("people.invite")} /></div>`
      : html`<p class="quiet soft">${t("people.inviteHelp", { name: person.firstName })}</p>`}</section>`;
}

/**
 * The figures, assignments, journeys and documents of a driver.
 * @param {{ driver: any }} props
 */
function DriverExtras({ driver }) {
  const query = { driverId: driver.id };
  const figures = useLoad(async signal => (may("journeys") ? get(pathOf("/api/drivers", driver.id, "figures"), {}, signal) : null), [driver.id]);
  return html`${figures.error ? html`<${Trouble} error=${figures.error} retry=${figures.reload} />` : figures.value && html`<${DriverFigures} figures=${figures.value} title=${t("ownFigures.ofDriver")} />`}
    <${DutyCard} driver=${driver} />
    <${ThingCard} kind=${kinds.assignments} query=${query} text=${(/** @type {any} */ entry) => nameOf("vehicle", entry.vehicleId)} detail=${(/** @type {any} */ entry) => [timeText(entry.from), entry.to && timeText(entry.to)]} />
    <${ThingCard} kind=${kinds.journeys} query=${query} detail=${(/** @type {any} */ journey) => [nameOf("vehicle", journey.vehicleId), journey.startTime && timeText(journey.startTime)]} />
    <${ThingCard} kind=${kinds.documents} query=${query} start=${{ "of.kind": "driver", "of.id": driver.id }} detail=${(/** @type {any} */ document) => [document.title && t("document." + document.kind), document.number]} />
    ${may("contacts") && html`<${ThingCard} kind=${kinds.phones} query=${query} />`}`;
}
