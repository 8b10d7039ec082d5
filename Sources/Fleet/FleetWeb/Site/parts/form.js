/**
 * A form: faults at their fields, conflicts with changes of others field by field, and a draft that survives a reload.
 */
import { html, useEffect, useRef, useState } from "../lib/preact.js";
import { RequestError } from "../api.js";
import { t } from "../texts.js";
import { FieldInput, Value, entered, enteredName, inputId, parsed, valueAt } from "./fields.js";
import { measured } from "./measures.js";
import { errorText } from "./ui.js";

/** @typedef {import("./fields.js").Field} Field */

/** The currency of amounts that are entered without one: that of the last amount. */
function usualCurrency() { return localStorage.getItem("currency") ?? "EUR"; }

/**
 * @param {string} key
 * @returns {Record<string, any> | null}
 */
function draftOf(key) {
  try {
    return JSON.parse(sessionStorage.getItem("draft " + key) ?? "null");
  } catch {
    return null;
  }
}

/**
 * @param {{ fields: Field[], thing?: any, given?: Record<string, any>, draft: string, action: string, onCancel?: () => void, children?: any,
 *   isLarge?: boolean, newer?: { thing: any, adopt: () => void } | null, onSave: (values: Record<string, any>, changed: string[]) => Promise<void> }} props
 *   `draft`: the key of the draft. `newer`: the thing as another person has stored it meanwhile; `adopt` makes it the one that is edited.
 *   `onSave`: receives all values, and the names of the changed ones.
 */
export function Form({ fields, thing, given, draft, action, onCancel, onSave, children, isLarge, newer }) {
  const startOf = (/** @type {any} */ from) => Object.fromEntries(fields.map(field => [
    field.name, entered(field, from ? (field.kind === "measure" ? measured(from, field.name) : valueAt(from, field.name)) : given?.[field.name] ?? field.initial?.())]));
  const start = () => startOf(thing);
  const [values, setValues] = useState(() => ({ ...start(), ...draftOf(draft) }));
  const [faults, setFaults] = useState(/** @type {Record<string, string>} */ ({}));
  const [conflicts, setConflicts] = useState(/** @type {import("../api.js").Conflict[]} */ ([]));
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const [isBusy, setBusy] = useState(false);
  const summary = useRef(/** @type {any} */ (null));
  const isTouched = useRef(false);

  /**
   * The fields whose values are not those of a start.
   * @param {Record<string, any>} before
   * @param {Record<string, any>} after
   */
  const changedFields = (before, after) => fields.filter(field => JSON.stringify(before[field.name]) !== JSON.stringify(after[field.name]));
  useEffect(() => {
    if (!isTouched.current) return;
    // Fields that the person has not changed have the stored values when the draft is used again.
    const open = changedFields(start(), values).filter(field => field.kind !== "secret").map(field => [field.name, values[field.name]]);
    sessionStorage.setItem("draft " + draft, JSON.stringify(Object.fromEntries(open)));
  }, [values]);
  // Nothing that was entered is replaced. The fields show the newer values only if nothing was entered.
  useEffect(() => {
    if (!newer?.thing || changedFields(start(), values).length > 0) return;
    isTouched.current = false;
    leave();
    setValues(startOf(newer.thing));
    newer.adopt();
  }, [newer?.thing]);
  const count = Object.keys(faults).length + (error ? 1 : 0);
  useEffect(() => { if (count > 0) summary.current?.focus(); }, [faults, error]);

  const set = (/** @type {string} */ name, /** @type {any} */ value) => {
    isTouched.current = true;
    // The thing that was chosen is of another kind then.
    const lost = fields.filter(field => typeof field.of === "function" && field.name !== name && field.name.split(".")[0] === name.split(".")[0]);
    setValues((/** @type {any} */ old) => ({ ...old, ...Object.fromEntries(lost.map(field => [field.name, ""])), [name]: value }));
  };
  const leave = () => sessionStorage.removeItem("draft " + draft);

  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    /** @type {Record<string, any>} */
    const found = {};
    /** @type {Record<string, string>} */
    const wrong = {};
    for (const field of fields) {
      if (field.isShown && !field.isShown(values)) continue;
      const result = parsed(field, values[field.name], usualCurrency());
      if (result.fault) wrong[field.name] = result.fault;
      else if (field.kind === "measure") Object.assign(found, result.value);
      else found[field.name] = result.value;
      if (result.amount) found[enteredName(field.name)] = result.amount;
      if (field.kind === "money" && result.value) localStorage.setItem("currency", result.value.currency);
    }
    setFaults(wrong);
    setError(null);
    if (Object.keys(wrong).length > 0) return;
    const before = start();
    const changed = changedFields(before, values)
      .flatMap(field => (found[enteredName(field.name)] ? [field.name, enteredName(field.name)] : [field.name]));
    setBusy(true);
    try {
      await onSave(found, changed);
      leave();
    } catch (failure) {
      if (failure instanceof RequestError && failure.conflicts.length > 0) {
        setConflicts(failure.conflicts);
      } else if (failure instanceof RequestError && failure.fields.length > 0) {
        const known = failure.fields.filter(fault => fields.some(field => field.name === fault.path));
        setFaults(Object.fromEntries(known.map(fault => [fault.path, fault.message])));
        if (known.length < failure.fields.length) setError(failure);
      } else {
        setError(/** @type {Error} */ (failure));
      }
    }
    setBusy(false);
  };

  // A conflict about an object concerns all fields that are its members.
  const concerned = (/** @type {import("../api.js").Conflict} */ conflict) =>
    fields.filter(field => field.name === conflict.field || field.name.startsWith(conflict.field + "."));
  const theirs = (/** @type {import("../api.js").Conflict} */ conflict, /** @type {Field} */ field) => valueAt({ [conflict.field]: conflict.theirs }, field.name);
  const resolve = (/** @type {import("../api.js").Conflict} */ conflict, /** @type {boolean} */ takesTheirs) => {
    if (takesTheirs) for (const field of concerned(conflict)) set(field.name, entered(field, theirs(conflict, field)));
    setConflicts(conflicts.filter(other => other !== conflict));
  };

  const shownAs = (/** @type {Field} */ field) => ({ ...field, ...field.variant?.(values) });

  return html`<form class=${"form" + (isLarge ? " large" : "")} novalidate onSubmit=${submit}>
    ${count > 0 && html`<div class="summary" role="alert" tabindex="-1" ref=${summary}><h2>${t("form.faulty")}</h2>
      <ul>${error && html`<li>${errorText(error)}</li>`}
      ${fields.filter(field => faults[field.name]).map(field => html`<li><a href=${"#" + inputId(field.name)}
        onClick=${(/** @type {Event} */ event) => { event.preventDefault(); document.getElementById(inputId(field.name))?.focus(); }}>${t(shownAs(field).label)}: ${faults[field.name]}</a></li>`)}</ul></div>`}
    ${conflicts.length > 0 && html`<div class="summary warn" role="alert"><h2>${t("form.conflict")}</h2><p>${t("form.conflictHelp")}</p></div>`}
    ${newer && conflicts.length === 0 && html`<${Newer} thing=${thing} newer=${newer.thing} fields=${newer.thing ? changedFields(start(), startOf(newer.thing)) : []} />`}
    <div class="fields">${fields.filter(field => !field.isHidden && (!field.isShown || field.isShown(values))).map((field, place, shown) => {
      const conflict = conflicts.find(conflict => concerned(conflict)[0] === field);
      return html`${field.group && field.group !== shown[place - 1]?.group && html`<h2 class="group" key=${field.group}>${t(field.group)}</h2>`}
      <${FieldInput} key=${field.name} field=${shownAs(field)} value=${values[field.name]} values=${values} fault=${faults[field.name]} currency=${usualCurrency()}
        onInput=${(/** @type {any} */ value) => set(field.name, value)}>
        ${conflict && html`<div class="conflict"><p>${t("form.theirs")} ${concerned(conflict).map(field => html`<strong>${concerned(conflict).length > 1 && `${t(field.label)}: `}<${Value} field=${field} value=${theirs(conflict, field)} whole=${thing} /></strong> `)}</p>
          <button type="button" class="button" onClick=${() => resolve(conflict, false)}>${t("form.keepMine")}</button>
          <button type="button" class="button" onClick=${() => resolve(conflict, true)}>${t("form.takeTheirs")}</button></div>`}</${FieldInput}>`;
    })}</div>${children}
    <div class="actions"><button class=${"button primary" + (isLarge ? " large" : "")} disabled=${isBusy || conflicts.length > 0}>${isBusy ? t("action.busy") : action}</button>
      ${onCancel && html`<button type="button" class="button" onClick=${() => { leave(); onCancel(); }}>${t("action.cancel")}</button>`}</div></form>`;
}

/**
 * The line about changes of another person. A click shows them. Saving keeps them, unless both have changed the same field.
 * @param {{ thing: any, newer: any, fields: Field[] }} props `newer`: absent if the thing was removed. `fields`: the changed ones.
 */
function Newer({ thing, newer, fields }) {
  const [isOpen, setOpen] = useState(false);
  if (!newer) return html`<div class="summary warn" role="status"><p>${t("form.gone")}</p></div>`;
  if (fields.length === 0) return null;
  const shown = (/** @type {Field} */ field, /** @type {any} */ whole) => html`<${Value} field=${field} value=${valueAt(whole, field.name)} whole=${whole} />`;
  return html`<div class="summary warn newer" role="status"><p>${t("form.newer")}</p>
    <button type="button" class="button" aria-expanded=${isOpen ? "true" : "false"} onClick=${() => setOpen(!isOpen)}>${t(isOpen ? "form.hideNewer" : "form.showNewer")}</button>
    ${isOpen && html`<dl>${fields.map(field => html`<div key=${field.name}><dt>${t(field.label)}</dt><dd><del>${shown(field, thing)}</del> <ins>${shown(field, newer)}</ins></dd></div>`)}</dl><p class="soft small">${t("form.newerHelp")}</p>`}</div>`;
}
