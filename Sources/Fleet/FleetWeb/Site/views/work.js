/** Further parts of the pages of work orders, service schedules, defects and documents. */
import { html, useState } from "../lib/preact.js";
import { get, newId, pathOf, post } from "../api.js";
import { dayText, quantity, today } from "../format.js";
import { Form } from "../parts/form.js";
import { Icon, Shape } from "../parts/icons.js";
import { LinesTable } from "../parts/lines.js";
import { nameOf, serviceTypeName, useNames } from "../parts/names.js";
import { withoutEmpty } from "../parts/values.js";
import { Dialog, Loading, Trouble, useLoad } from "../parts/ui.js";
import { to } from "../router.js";
import { may, tell } from "../state.js";
import { t } from "../texts.js";
import { DefectStatus, DueState, Expiry, RecordStatus, Severity, meters, records } from "./work-kinds.js";

const steps = ["scheduled", "inProgress", "completed"];

/** @param {{ record: any }} props */
export function RecordSteps({ record }) {
  const at = steps.indexOf(record.status);
  return at < 0 ? null : html`<ol class="steps" aria-label=${t("records.progress")}>${steps.map((step, place) => html`<li class=${place < at ? "done" : place === at ? "now" : ""} aria-current=${place === at ? "step" : undefined}>
    <${Shape} shape=${place < at || record.status === "completed" ? "good" : place === at ? "dot" : "silent"} /><span>${t("recordStatus." + step)}</span></li>`)}</ol>`;
}

/** @param {{ record: any }} props */
export function RecordExtras({ record }) {
  const mayWrite = may("maintenance", "write");
  const schedule = useLoad(async signal => (record.scheduleId ? get(pathOf("/api/service-schedules", record.scheduleId), {}, signal) : null), [record.scheduleId, record.status]);
  const lines = record.lines ?? [];
  return html`<section class="card"><header><h2>${t("field.lines")}</h2>${mayWrite && record.status !== "cancelled" && html`<a class="button" href=${to("maintenance-records", record.id, "edit")}>${t("records.editLines")}</a>`}</header>
      ${lines.length > 0 ? html`<${LinesTable} lines=${lines} />` : html`<p class="quiet soft">${t("records.noLines")}</p>`}</section>
    ${record.defectIds?.length > 0 && html`<section class="card"><header><h2>${t("field.defectIds")}</h2></header><${DefectLinks} ids=${record.defectIds} turn=${record.updatedAt} /></section>`}
    ${schedule.value && html`<section class="card"><header><h2>${t("field.scheduleId")}</h2><${DueState} state=${schedule.value.state} /></header><ul class="links"><li><a href=${to("service-schedules", schedule.value.id)}>${schedule.value.name || serviceTypeName(schedule.value.serviceType)}</a>
      <span class="soft small">${[schedule.value.next?.dueDate && dayText(schedule.value.next.dueDate), schedule.value.next?.dueOdometer && quantity(schedule.value.next.dueOdometer, "km")].filter(Boolean).join(" · ")}</span></li></ul></section>`}`;
}

/** @param {{ ids: string[], turn: string }} props */
function DefectLinks({ ids, turn }) {
  const list = useLoad(signal => Promise.all(ids.map(id => get(pathOf("/api/defects", id), {}, signal))), [ids.join(), turn]);
  if (list.error) return html`<${Trouble} error=${list.error} retry=${list.reload} />`;
  if (!list.value) return html`<${Loading} />`;
  return html`<ul class="links">${list.value.map(defect => html`<li><span class="grow"><a href=${to("defects", defect.id)}>${defect.text}</a></span><${Severity} severity=${defect.severity} /><${DefectStatus} status=${defect.status} /></li>`)}</ul>`;
}

/**
 * What is due for each vehicle of a schedule, and its work orders.
 * @param {{ schedule: any, reload: () => void }} props
 */
export function ScheduleExtras({ schedule, reload }) {
  useNames();
  const [count, setCount] = useState(20);
  const [chosen, setChosen] = useState(/** @type {{ command: "complete" | "snooze", id: string, vehicleId: string, given: any } | null} */ (null));
  const vehicles = useLoad(async signal => (schedule.vehicleId ? [schedule.vehicleId] : (await get(pathOf("/api/fleets", schedule.fleetId), {}, signal)).vehicleIds ?? []), [schedule.id, schedule.vehicleId, schedule.fleetId]);
  const ids = /** @type {string[]} */ (vehicles.value ?? []);
  const dues = useLoad(signal => Promise.all(ids.slice(0, count).map(async id => ({
    id, due: (await get(pathOf("/api/vehicles", id, "due"), {}, signal)).data.find((/** @type {any} */ entry) => entry.scheduleId === schedule.id) }))), [ids.length, count, schedule.updatedAt]);
  const done = useLoad(signal => get("/api/maintenance-records", { schedule: schedule.id, sort: "-scheduledDate", limit: 20 }, signal), [schedule.id, schedule.updatedAt]);
  const mayWrite = Boolean(may("maintenance", "write"));
  const open = async (/** @type {"complete" | "snooze"} */ command, /** @type {string} */ vehicleId) =>
    setChosen({ command, id: newId(), vehicleId, given: command === "complete" ? { ...await meters(vehicleId), completedDate: today() } : { until: inDays(7) } });
  const save = async (/** @type {Record<string, any>} */ values) => {
    if (!chosen) return;
    await post(pathOf("/api/service-schedules", schedule.id, chosen.command), {
      ...withoutEmpty(values), ...(chosen.command === "complete" ? { id: chosen.id } : {}), ...(schedule.fleetId ? { vehicleId: chosen.vehicleId } : {}) });
    tell(t(chosen.command === "complete" ? "schedules.completed" : "schedules.snoozed"));
    setChosen(null);
    dues.reload();
    done.reload();
    reload();
  };
  const fields = chosen?.command === "complete" ? records.commands?.find(command => command.name === "complete")?.fields ?? []
    : [{ name: "until", label: "field.until", kind: /** @type {const} */ ("day"), required: true }];
  return html`${chosen && html`<${Dialog} title=${`${t("schedules." + chosen.command)}: ${nameOf("vehicle", chosen.vehicleId)}`} onClose=${() => setChosen(null)}>
      <${Form} fields=${fields} given=${chosen.given} draft=${`schedule ${schedule.id} ${chosen.vehicleId} ${chosen.command}`} action=${t("schedules." + chosen.command)} onCancel=${() => setChosen(null)} onSave=${save} /></${Dialog}>`}
    <section class="card"><header><h2>${t("schedules.due")}</h2></header>
      ${dues.error ? html`<${Trouble} error=${dues.error} retry=${dues.reload} />` : !dues.value ? html`<${Loading} />` : dues.value.length === 0 ? html`<p class="quiet soft">${t("schedules.noVehicle")}</p>`
        : html`<ul class="links dues">${dues.value.map(({ id, due }) => html`<li key=${id}><span class="grow"><a href=${to("vehicles", id)}><b>${nameOf("vehicle", id)}</b></a>${due && html`<span class="soft small">${remaining(due).join(" · ")}</span>`}</span>
          ${due && html`<${DueState} state=${due.state} />`}
          ${mayWrite && due && html`<span class="actions">${due.state !== "ok" && html`<button type="button" class="button" aria-label=${`${t("schedules.snooze")}: ${nameOf("vehicle", id)}`} onClick=${() => open("snooze", id)}>${t("schedules.snooze")}</button>`}
            <a class="button" aria-label=${`${t("board.plan")}: ${nameOf("vehicle", id)}`} href=${"/maintenance-records/new?" + new URLSearchParams({ vehicleId: id, serviceType: schedule.serviceType, scheduleId: schedule.id })}>${t("board.plan")}</a>
            <button type="button" class="button" aria-label=${`${t("schedules.complete")}: ${nameOf("vehicle", id)}`} onClick=${() => open("complete", id)}>${t("schedules.complete")}</button></span>`}</li>`)}</ul>`}
      ${ids.length > count && html`<p class="quiet"><button type="button" class="button" onClick=${() => setCount(count + 50)}>${t("board.more", { count: ids.length - count })}</button></p>`}</section>
    ${done.value?.data.length > 0 && html`<section class="card"><header><h2>${t("records.title")}</h2></header><ul class="links">${done.value.data.map((/** @type {any} */ record) => html`<li><span class="grow"><a href=${to("maintenance-records", record.id)}>${nameOf("vehicle", record.vehicleId)}</a>
      <span class="soft small">${dayText(record.completedDate ?? record.scheduledDate)}</span></span><${RecordStatus} status=${record.status} /></li>`)}</ul></section>`}`;
}

/**
 * How much is left until a service is due.
 * @param {any} due
 */
export function remaining(due) {
  const left = due.remainingKilometers, hours = due.remainingEngineHours;
  return [
    left !== undefined ? t(left < 0 ? "due.over" : "due.left", { value: quantity(Math.abs(left), "km") }) : "",
    hours !== undefined ? t(hours < 0 ? "due.over" : "due.left", { value: quantity(Math.abs(hours), "h") }) : "",
    due.dueDate ? t(due.dueDate < today() ? "due.since" : "due.by", { day: dayText(due.dueDate) }) : "",
    due.forecastDate && due.forecastDate !== due.dueDate && due.forecastDate > today() ? t("due.forecast", { day: dayText(due.forecastDate) }) : "",
  ].filter(Boolean);
}

/** @param {number} days */
function inDays(days) { return new Date(Date.parse(today()) + days * 86_400_000).toISOString().slice(0, 10); }

/** @param {{ defect: any }} props */
export function DefectExtras({ defect }) {
  useNames();
  const mayPlan = may("maintenance", "write") && ["open", "acknowledged"].includes(defect.status) && !defect.recordId;
  const record = useLoad(async signal => (defect.recordId && may("maintenance") ? get(pathOf("/api/maintenance-records", defect.recordId), {}, signal) : null), [defect.recordId]);
  const codes = useLoad(async signal => (defect.dtcs?.length > 0 ? (await fetch(new URL("../lib/trouble-codes.json", import.meta.url), { signal })).json() : null), [defect.id]);
  return html`${codes.value && html`<section class="card"><header><h2>${t("vehicle.codes")}</h2></header><ul class="codes">${defect.dtcs.map((/** @type {string} */ code) => html`<li><span class="code">${code}</span><div><b>${codes.value[code]?.[0] ?? ""}</b></div></li>`)}</ul></section>`}
    <section class="card"><header><h2>${t("defects.repairTitle")}</h2>${mayPlan && html`<a class="button primary" href=${"/maintenance-records/new?" + new URLSearchParams({ vehicleId: defect.vehicleId, serviceType: "repair", defectIds: defect.id })}><${Icon} name="service" size=${16} />${t("defects.plan")}</a>`}</header>
      ${record.value ? html`<ul class="links"><li><a href=${to("maintenance-records", record.value.id)}>${serviceTypeName(record.value.serviceType)} · ${nameOf("vehicle", record.value.vehicleId)}</a><${RecordStatus} status=${record.value.status} /></li></ul>`
        : html`<p class="quiet soft">${t(defect.recordId ? "defects.hasOrder" : "defects.noOrder")}</p>`}</section>`;
}

/** @param {{ document: any }} props */
export function DocumentExtras({ document }) {
  if (!document.expiresOn) return null;
  return html`<section class="card padded reminder"><${Expiry} day=${document.expiresOn} /><p class="soft small">${t("documents.reminders")}</p></section>`;
}

