/** Inspection reports: the list, the checklist on a phone (also without a network), and the report with its certification. */
import { presentTime } from "../clock.js";
import { html, useEffect, useRef, useState } from "../lib/preact.js";
import { RequestError, all, get, newId, pathOf, post, request } from "../api.js";
import { inUnit, number, parseAmount, quantity, timeText, unitName } from "../format.js";
import { useChanges } from "../parts/changes.js";
import { FieldInput } from "../parts/fields.js";
import { Form } from "../parts/form.js";
import { Icon, Shape, Status } from "../parts/icons.js";
import { nameOf, useNames } from "../parts/names.js";
import { FilesInput, FilesView } from "../parts/photos.js";
import { ThingList } from "../parts/things.js";
import { Dialog, Loading, Title, Trouble, errorText, useLoad, useQuestion } from "../parts/ui.js";
import { SignaturePad, pictureOf } from "../parts/signature.js";
import { submit, submitFile, waiting } from "../queue.js";
import { go, to } from "../router.js";
import { currentSession, may, tell, useShared } from "../state.js";
import { t } from "../texts.js";
import { InspectionStatus, checklistOf, inspections, itemText, loadChecklists } from "./inspection-kind.js";

/** @param {{ place: import("../router.js").Place }} props */
export default function Inspections({ place }) {
  const id = place.parts[1];
  if (id === "new") return html`<${Checking} place=${place} key=${place.path + place.query} />`;
  if (id && place.parts[2] === "edit") return html`<${Checking} place=${place} key=${place.path} draftId=${id} />`;
  if (id) return html`<${Report} id=${id} key=${id} />`;
  return html`<${ThingList} kind=${inspections} place=${place} />`;
}

/** @typedef {{ item: string, result?: "ok" | "defect" | "notApplicable", note?: string, photos?: string[] }} Item */
/**
 * @typedef {{ id: string, vehicleId: string, driverId?: string, kind: string, at: string, odometer: string, place: string, notes: string, items: Item[], signature: string,
 *   strokes?: number[][], supersedes?: string }} Draft `odometer`: the text that was entered; `strokes`: the drawn signature.
 */

/** The item whose photo is the drawn signature. It is part of the content that is signed. */
const signatureItem = "signature";

/** The vehicle that is assigned to the driver, as this browser knows it. */
function ownVehicle() {
  try {
    return JSON.parse(localStorage.getItem("day " + currentSession()?.person.id) ?? "null")?.vehicle ?? null;
  } catch {
    return null;
  }
}

/**
 * The draft that this browser has stored.
 * @param {string} key
 * @returns {Draft | null}
 */
function stored(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/**
 * A text of a kilometre reading, in the person's unit.
 * @param {number | null | undefined} km
 */
function readingText(km) { return km === null || km === undefined ? "" : number(inUnit(km, "km")).replace(/[\u00a0\u202f.,' ]/g, ""); }

/**
 * The first draft: of a stored report, of a report that is to be corrected, or a new one.
 * @param {import("../router.js").Place} place
 * @param {string} [draftId]
 * @returns {Promise<{ draft: Draft, vehicle: any, lists: import("./inspection-kind.js").Checklist[], isStored: boolean }>}
 */
async function begin(place, draftId) {
  const lists = await loadChecklists();
  const base = draftId ?? place.query.get("corrects");
  const old = base ? await get(pathOf("/api/inspections", base)) : null;
  const own = ownVehicle();
  const vehicleId = old?.vehicleId ?? place.query.get("vehicleId") ?? own?.id ?? "";
  const vehicle = own?.id === vehicleId ? own : vehicleId ? await get(pathOf("/api/vehicles", vehicleId)).catch(error => {
    if (error instanceof RequestError && error.isOffline) return { id: vehicleId };
    throw error;
  }) : null;
  return {
    lists, vehicle, isStored: Boolean(draftId),
    draft: {
      id: draftId ?? newId(), vehicleId, kind: old?.kind ?? place.query.get("kind") ?? "preTrip", at: draftId ? old.at : presentTime(), driverId: old?.driverId,
      odometer: readingText(old ? old.odometer : vehicle?.odometer), place: old?.place ?? "", notes: old?.notes ?? "", signature: "", strokes: [],
      items: old?.items?.filter((/** @type {Item} */ { item }) => item !== signatureItem) ?? checklistOf(lists, vehicle?.type).items.map(({ item }) => ({ item })), ...(old && !draftId ? { supersedes: old.id } : {}),
    },
  };
}

/**
 * The checklist.
 * @param {{ place: import("../router.js").Place, draftId?: string }} props
 */
function Checking({ place, draftId }) {
  useShared();
  useNames();
  const key = `inspection ${currentSession()?.person.id} ${draftId ?? place.query.get("corrects") ?? place.query.get("vehicleId") ?? ""} ${place.query.get("kind") ?? ""}`;
  const first = useLoad(() => begin(place, draftId), []);
  const [draft, setDraft] = useState(() => stored(key));
  const [faults, setFaults] = useState(/** @type {Record<string, string>} */ ({}));
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const [isBusy, setBusy] = useState(false);
  const [dialog, ask] = useQuestion();
  const summary = useRef(/** @type {any} */ (null));
  const isSent = useRef(false);
  const isStored = useRef(false);
  const isDriver = may("inspections", "write") === "own";
  useEffect(() => {
    if (first.value && !draft) setDraft(first.value.draft);
    if (first.value?.isStored) isStored.current = true;
  }, [first.value]);
  // Every touch is stored at once, so that closing the browser loses nothing.
  const change = (/** @type {Partial<Draft>} */ values) => setDraft((/** @type {any} */ old) => {
    const next = { ...old, ...values };
    localStorage.setItem(key, JSON.stringify(next));
    return next;
  });
  useEffect(() => { if (Object.keys(faults).length > 0 || error) summary.current?.focus(); }, [faults, error]);
  const title = t("inspectionKind." + (draft?.kind ?? place.query.get("kind") ?? "preTrip"));
  if (!draft) {
    return html`<div class="page phone"><${Title} above=${html`<a href="/inspections">${t("inspections.title")}</a>`} title=${title} />${first.error ? html`<${Trouble} error=${first.error} retry=${first.reload} />` : html`<${Loading} />`}</div>`;
  }
  const set = (/** @type {number} */ at, /** @type {Partial<Item>} */ values) => change({ items: draft.items.map((item, other) => (other === at ? { ...item, ...values } : item)) });
  const done = draft.items.filter(item => item.result).length;
  const defects = draft.items.filter(item => item.result === "defect");
  const lists = first.value?.lists ?? [];
  const vehicleChosen = async (/** @type {string} */ vehicleId) => {
    const vehicle = vehicleId ? await get(pathOf("/api/vehicles", vehicleId)).catch(() => null) : null;
    change({ vehicleId, odometer: readingText(vehicle?.odometer), ...(done === 0 ? { items: checklistOf(lists, vehicle?.type).items.map(({ item }) => ({ item })) } : {}) });
  };

  const finish = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const reading = draft.odometer.trim() ? parseAmount(draft.odometer, "km") : null, odometer = reading?.value ?? null;
    /** @type {Record<string, string>} */
    const wrong = {};
    if (!draft.vehicleId) wrong.vehicleId = `${t("field.vehicleId")}: ${t("fault.choose")}`;
    if (!isDriver && !draft.driverId) wrong.driverId = `${t("field.driverId")}: ${t("fault.choose")}`;
    if (draft.odometer.trim() && odometer === null) wrong.odometer = `${t("field.odometer")}: ${t("fault.quantity", { unit: unitName("km") })}`;
    draft.items.forEach((item, at) => {
      if (!item.result) wrong[`item-${at}`] = `${itemText(item.item, lists)}: ${t("inspections.notChecked")}`;
      else if (item.result === "defect" && !item.note?.trim()) wrong[`note-${at}`] = `${itemText(item.item, lists)}: ${t("inspections.noNote")}`;
    });
    if (!draft.signature.trim()) wrong.signature = `${t("inspections.signature")}: ${t("fault.required")}`;
    setFaults(wrong);
    setError(null);
    if (Object.keys(wrong).length > 0) return;
    setBusy(true);
    const strokes = draft.strokes ?? [];
    const drawing = strokes.length > 0 ? [await submitFile(await pictureOf(strokes, t("inspections.signature") + ".png"))] : [];
    const content = {
      at: draft.at, kind: draft.kind, ...(odometer === null ? {} : { odometer: Number(odometer.toFixed(3)) }), ...(reading?.entered ? { entered: { odometer: reading.entered } } : {}), ...(draft.place.trim() ? { place: draft.place.trim() } : {}), ...(draft.notes.trim() ? { notes: draft.notes.trim() } : {}),
      items: [...draft.items.map(item => ({ item: item.item, result: item.result, ...(item.note?.trim() ? { note: item.note.trim() } : {}), ...(item.photos?.length ? { photos: item.photos } : {}) })),
        ...(drawing.length > 0 ? [{ item: signatureItem, result: "ok", photos: drawing }] : [])],
    };
    const path = pathOf("/api/inspections", draft.id);
    try {
      // A draft that the server has already is changed; otherwise it is made with the id that this browser chose.
      if (isStored.current) await request("PATCH", path, { body: content, headers: { "If-Match": "*" } });
      else {
        await submit({
          method: "PUT", path, headers: { "If-None-Match": "*" }, label: title,
          body: { vehicleId: draft.vehicleId, ...(draft.driverId ? { driverId: draft.driverId } : {}), ...(draft.supersedes ? { supersedes: draft.supersedes } : {}), ...content },
        });
        isStored.current = true;
      }
      await submit({ method: "POST", path: path + "/sign", body: { signature: draft.signature.trim() }, label: t("inspections.sign"), done: { path, field: "contentHash" } });
      isSent.current = true;
      localStorage.removeItem(key);
      tell(t("inspections.finished"));
      go(isDriver ? "/mine" : waiting().length > 0 ? "/inspections" : to("inspections", draft.id), { replace: true });
    } catch (failure) {
      setError(/** @type {Error} */ (failure));
      setBusy(false);
    }
  };
  const discard = () => ask({
    title: t("inspections.discard"), text: t("inspections.discardQuestion"), action: t("inspections.discard"), isBad: true,
    run: () => { localStorage.removeItem(key); go(isDriver ? "/mine" : "/inspections", { replace: true }); },
  });
  const list = Object.entries(faults);
  const focus = (/** @type {Event} */ event, /** @type {string} */ name) => {
    event.preventDefault();
    const place = /** @type {HTMLElement | null} */ (document.getElementById(name) ?? document.getElementById("field-" + name));
    (place?.matches("li") ? /** @type {HTMLElement | null} */ (place.querySelector("input, button")) : place)?.focus();
  };
  return html`<div class="page phone checking"><${Title} above=${html`<a href="/inspections">${t("inspections.title")}</a>`} title=${title} beside=${html`<span class="soft small">${[draft.vehicleId && nameOf("vehicle", draft.vehicleId), timeText(draft.at)].filter(Boolean).join(" · ")}</span>`} />${dialog}
    <form class="form large" novalidate onSubmit=${finish}>
      ${(list.length > 0 || error) && html`<div class="summary" role="alert" tabindex="-1" ref=${summary}><h2>${t("form.faulty")}</h2><ul>${error && html`<li>${errorText(error)}</li>`}
        ${list.map(([name, text]) => html`<li><a href=${"#" + name} onClick=${(/** @type {Event} */ event) => focus(event, name)}>${text}</a></li>`)}</ul></div>`}
      ${!draftId && !place.query.get("vehicleId") && !draft.supersedes && html`<section class="card padded">
        <${FieldInput} field=${{ name: "vehicleId", label: "field.vehicleId", kind: "thing", of: "vehicle", required: true }} value=${draft.vehicleId} onInput=${vehicleChosen} />
        ${!isDriver && html`<${FieldInput} field=${{ name: "driverId", label: "field.driverId", kind: "thing", of: "driver", required: true }} value=${draft.driverId ?? ""} onInput=${(/** @type {string} */ driverId) => change({ driverId })} />
        <${FieldInput} field=${{ name: "kind", label: "field.inspectionKind", kind: "choice", texts: "inspectionKind", choices: ["preTrip", "postTrip", "annual"], required: true }} value=${draft.kind} onInput=${(/** @type {string} */ kind) => change({ kind })} />`}</section>`}
      <div><p class="progress-text small" role="status">${t("inspections.progress", { done, total: draft.items.length })}${defects.length > 0 && html` · <span class="danger">${t("inspections.defectCount", { count: defects.length })}</span>`}</p>
        <progress class="progress" max=${Math.max(1, draft.items.length)} value=${done} aria-label=${t("inspections.progress", { done, total: draft.items.length })}></progress></div>
      <ul class="check-list card">${draft.items.map((item, at) => html`<li key=${item.item} id=${"item-" + at} class=${[item.result ?? "", faults[`item-${at}`] || faults[`note-${at}`] ? "faulty" : ""].join(" ")}>
        <span class="what" id=${"what-" + at}>${itemText(item.item, lists)}</span>
        <span class="pick" role="radiogroup" aria-labelledby=${"what-" + at}>${/** @type {const} */ (["ok", "defect", "notApplicable"]).map(result => html`<label class=${result}><input type="radio" name=${"result-" + at} checked=${item.result === result} onChange=${() => set(at, { result })} />
          <span>${item.result === result && html`<${Shape} shape=${result === "ok" ? "good" : result === "defect" ? "danger" : "silent"} />`}${t("checkResult." + result)}</span></label>`)}</span>
        ${item.result === "defect" && html`<div class="note"><label for=${"note-" + at} class="small">${t("inspections.note")}</label><textarea id=${"note-" + at} rows="2" value=${item.note ?? ""} aria-invalid=${faults[`note-${at}`] ? "true" : undefined} onInput=${(/** @type {any} */ event) => set(at, { note: event.target.value })}></textarea>
          <${FilesInput} id=${"photos-" + at} value=${item.photos ?? []} label=${`${t("field.photos")}: ${itemText(item.item, lists)}`} isPhoto=${true} onInput=${(/** @type {string[]} */ photos) => set(at, { photos })} /></div>`}</li>`)}</ul>
      <section class="card padded stack">
        <${FieldInput} field=${{ name: "odometer", label: "field.odometer", kind: "number", unit: "km", isMeasured: true }} value=${draft.odometer} fault=${faults.odometer && t("fault.quantity", { unit: unitName("km") })} onInput=${(/** @type {string} */ odometer) => change({ odometer })} />
        <${FieldInput} field=${{ name: "place", label: "field.place", kind: "text" }} value=${draft.place} onInput=${(/** @type {string} */ place) => change({ place })} />
        <${FieldInput} field=${{ name: "notes", label: "field.notes", kind: "notes" }} value=${draft.notes} onInput=${(/** @type {string} */ notes) => change({ notes })} />
        <div class=${"field" + (faults.signature ? " faulty" : "")}><label for="signature">${t("inspections.signature")}</label><p class="hint" id="signature-hint">${t("inspections.signatureHint")}</p>
          <input id="signature" class="signature" autocomplete="name" value=${draft.signature} aria-describedby="signature-hint" aria-invalid=${faults.signature ? "true" : undefined} onInput=${(/** @type {any} */ event) => change({ signature: event.target.value })} />
          <${SignaturePad} value=${draft.strokes ?? []} onInput=${(/** @type {number[][]} */ strokes) => change({ strokes })} /></div></section>
      <div class="actions"><button class="button primary large" disabled=${isBusy}>${isBusy ? t("action.busy") : t("inspections.finish")}</button>
        <button type="button" class="button large" onClick=${discard}>${t("inspections.discard")}</button></div>
      <p class="soft small">${defects.length > 0 ? t("inspections.sendsDefects", { count: defects.length }) : t("inspections.kept")}</p></form></div>`;
}

/** @param {{ id: string }} props */
function Report({ id }) {
  useNames();
  const report = useLoad(signal => request("GET", pathOf("/api/inspections", id), { signal }), [id]);
  const lists = useLoad(loadChecklists, []);
  useChanges(["inspection"], report.refresh, change => change.id === id);
  const defects = useLoad(async () => (report.value && may("defects") && may("defects") !== "own" && report.value.value.hasDefects
    ? all("/api/defects", { vehicle: report.value.value.vehicleId, source: "inspection", sort: "-createdAt" }, 200) : []), [report.value?.tag]);
  const [isCertifying, setCertifying] = useState(false);
  const [dialog, ask] = useQuestion();
  const above = html`<a href="/inspections">${t("inspections.title")}</a>`;
  if (!report.value) return html`<div class="page narrow"><${Title} above=${above} title=${report.error ? t("error.title") : "…"} />${report.error ? html`<${Trouble} error=${report.error} retry=${report.reload} />` : html`<${Loading} />`}</div>`;
  const { value } = report.value;
  const reach = may("inspections", "write");
  const isCurrent = !value.supersededBy;
  const mayReview = reach && isCurrent && value.status === (value.hasDefects ? "certified" : "signed");
  const mayCertify = reach && reach !== "own" && isCurrent && value.status === "signed" && value.hasDefects;
  const review = () => ask({
    title: t("inspections.review"), text: t("inspections.reviewQuestion"), action: t("inspections.review"),
    run: async () => { report.set({ value: await post(pathOf("/api/inspections", id, "review")), tag: null }); tell(t("inspections.reviewed")); report.reload(); },
  });
  const certify = async (/** @type {Record<string, any>} */ values) => {
    await post(pathOf("/api/inspections", id, "certify"), { result: values.result, ...(values.notes ? { notes: values.notes } : {}) });
    setCertifying(false);
    tell(t("inspections.certified"));
    report.reload();
  };
  const items = (value.items ?? []).filter((/** @type {Item} */ { item }) => item !== signatureItem);
  const drawing = value.items?.find((/** @type {Item} */ { item }) => item === signatureItem)?.photos?.[0];
  const by = (/** @type {any} */ mark) => `${mark.by && may("people") && may("people") !== "own" ? nameOf("person", mark.by) + ", " : ""}${timeText(mark.at)}`;
  return html`<div class="page narrow report"><${Title} above=${above} title=${t("inspectionKind." + value.kind)} beside=${html`<${InspectionStatus} inspection=${value} /> <span class="soft small">${nameOf("vehicle", value.vehicleId)} · ${timeText(value.at)}</span>`}>
      ${value.status === "draft" && reach && html`<a class="button primary" href=${to("inspections", id, "edit")}>${t("inspections.continue")}</a>`}
      ${mayCertify && html`<button type="button" class="button primary" onClick=${() => setCertifying(true)}>${t("inspections.certify")}</button>`}
      ${mayReview && html`<button type="button" class="button primary" onClick=${review}>${t("inspections.review")}</button>`}
      ${value.status !== "draft" && isCurrent && reach && html`<a class="button" href=${"/inspections/new?corrects=" + id}>${t("inspections.correct")}</a>`}
      <button type="button" class="button" onClick=${() => print()}>${t("action.print")}</button></${Title}>${dialog}
    ${isCertifying && html`<${Dialog} title=${t("inspections.certify")} onClose=${() => setCertifying(false)}><p>${t("inspections.certifyHelp")}</p><${Form} draft=${"certify " + id} action=${t("inspections.certify")} onCancel=${() => setCertifying(false)} onSave=${certify} fields=${[
      { name: "result", label: "field.certification", kind: "choice", texts: "certification", choices: ["repaired", "repairUnnecessary"], required: true },
      { name: "notes", label: "field.notes", kind: "notes" }]} /></${Dialog}>`}
    ${value.supersededBy && html`<p class="trouble warn" role="note">${t("inspections.wasCorrected")} <a href=${to("inspections", value.supersededBy)}>${t("inspections.newer")}</a></p>`}
    ${value.intact === false && html`<p class="trouble" role="alert">${t("inspections.notIntact")}</p>`}
    <section class="card"><dl class="facts"><div><dt>${t("field.vehicleId")}</dt><dd><a href=${to("vehicles", value.vehicleId)}>${nameOf("vehicle", value.vehicleId)}</a></dd></div>
      <div><dt>${t("field.driverId")}</dt><dd>${value.driverId ? nameOf("driver", value.driverId) : "–"}</dd></div><div><dt>${t("field.odometer")}</dt><dd>${quantity(value.odometer, "km")}</dd></div>
      ${value.place && html`<div><dt>${t("field.place")}</dt><dd>${value.place}</dd></div>`}${value.supersedes && html`<div><dt>${t("inspections.corrects")}</dt><dd><a href=${to("inspections", value.supersedes)}>${t("inspections.older")}</a></dd></div>`}
      ${value.notes && html`<div class="wide"><dt>${t("field.notes")}</dt><dd class="notes">${value.notes}</dd></div>`}</dl></section>
    <section class="card"><header><h2>${t("inspections.items")}</h2></header><ul class="links checked">${items.map((/** @type {Item} */ item) => {
      const text = itemText(item.item, lists.value);
      // The server opens a defect for each failed item when the report is signed.
      const known = item.result === "defect" && defects.value?.find(defect => defect.item === item.item && defect.inspectionIds?.includes(id));
      return html`<li key=${item.item}><span class="grow"><b>${text}</b>${item.note && html`<span class="notes">${item.note}</span>`}${item.photos && item.photos.length > 0 && html`<${FilesView} ids=${item.photos} />`}</span>
        ${known && html`<a class="button" aria-label=${`${t("inspections.openDefect")}: ${text}`} href=${to("defects", known.id)}>${t("inspections.openDefect")}</a>`}
        <${Status} shape=${item.result === "ok" ? "good" : item.result === "defect" ? "danger" : "silent"} tone=${item.result === "ok" ? "moving" : undefined}>${t("checkResult." + item.result)}</${Status}></li>`;
    })}</ul></section>
    ${value.signature && html`<section class="card padded signed"><div><p class="soft small">${t("inspections.signature")}</p>${drawing && html`<img class="drawn" src=${pathOf("/api/files", drawing, "content")} alt=${t("signature.drawn")} />`}<p class="signature">${value.signature.text}</p><p class="soft small">${by(value.signature)}</p></div>
      ${value.certification && html`<div><p class="soft small">${t("field.certification")}</p><p><b>${t("certification." + value.certification.result)}</b></p>${value.certification.notes && html`<p class="notes">${value.certification.notes}</p>`}<p class="soft small">${by(value.certification)}</p></div>`}
      ${value.review && html`<div><p class="soft small">${t("inspections.reviewedBy")}</p><p><b>${t("inspectionStatus.reviewed")}</b></p><p class="soft small">${by(value.review)}</p></div>`}
      ${value.intact && html`<p class="soft small hash"><${Icon} name="shield" size=${14} /> ${t("inspections.intact")} <code>${value.contentHash.slice(0, 16)}…</code></p>`}</section>`}</div>`;
}
