/**
 * The fields of things: how a value is shown, entered and read.
 *
 * @typedef {{ name: string, label: import("../texts.js").Key, kind: "text" | "email" | "notes" | "number" | "day" | "time" |
 *   "choice" | "choices" | "money" | "thing" | "things" | "scope" | "secret" | "list" | "flag" | "year" | "measure" | "lines" | "checkItems" | "hours" | "clock" | "files" | "photo", choices?: string[] | (() => string[]), texts?: string,
 *   textOf?: (choice: string) => string, of?: string | ((values: any) => string), unit?: string, digits?: number,
 *   reads?: import("./photo-reading.js").Subject, required?: boolean, isFixed?: boolean, isMeasured?: boolean, hint?: import("../texts.js").Key, isWide?: boolean, isRead?: boolean,
 *   initial?: () => any, text?: (thing: any) => any, group?: import("../texts.js").Key, isHidden?: boolean, isOmitted?: boolean, isShown?: (values: any) => boolean, variant?: (values: any) => { label?: import("../texts.js").Key, hint?: import("../texts.js").Key } | undefined,
 *   query?: (values: any) => Record<string, string>, groups?: [string, import("../texts.js").Key][] }} Field
 *   `kind`: the server never shows a `secret` again. `name`: `every.days` is the member `days` of the object `every`. `texts`: the beginning of the choices' texts; `textOf`: their
 *   texts. `of`: the kind of the thing. `isFixed`: only when it is made. `isRead`: shown, but not entered. `isMeasured`: the server also stores the number and the unit that a person entered. `group`: the heading
 *   above the field. `isHidden`: part of a new thing, but not shown in its form. `isOmitted`: not shown among the details. `isShown`: whether the form, or for a field that is
 *   only read the details, have the field.
 *   `text`: what is shown of the thing instead of the value; `null` if there is nothing.
 *   `variant`: the label and the hint that the form shows with these values.
 *   `reads`: what the server can read from a photo for the field. `query`: restricts the things that can be chosen. `groups`: several choices, with commas between, that a list can be filtered by together, and their text.
 */
import { html, useEffect, useRef, useState } from "../lib/preact.js";
import { get } from "../api.js";
import { amount as amountText, dayText, enteredUnit, hasOtherUnit, inUnit, litres, localTime, moneyText, number, parseAmount, parseMoney, quantity, timeText, unitName } from "../format.js";
import { may } from "../state.js";
import { t } from "../texts.js";
import { FilesInput, FilesView } from "./photos.js";
import { HoursInput, areHoursComplete, hoursText } from "./hours.js";
import { finishedItems } from "./check-codes.js";
import { LinesInput, finished } from "./lines.js";
import { measureNames, parseMeasure } from "./measures.js";
import { VehicleLabel, labelOf, nameOf, resolvers, useNames } from "./names.js";
import { Icon } from "./icons.js";

/**
 * The text of a choice.
 * @param {Field} field
 * @param {string} choice
 */
export function choiceText(field, choice) {
  return field.textOf ? field.textOf(choice) : t(/** @type {any} */ (`${field.texts}.${choice}`));
}

/**
 * The choices of a field.
 * @param {Field} field
 */
export function choicesOf(field) { return (typeof field.choices === "function" ? field.choices() : field.choices) ?? []; }

/**
 * The value of a field. The name `every.days` is the member `days` of `every`.
 * @param {any} thing
 * @param {string} name
 */
export function valueAt(thing, name) {
  return name.split(".").reduce((/** @type {any} */ value, part) => value?.[part], thing);
}

/**
 * The id of a field's input on the page.
 * @param {string} name
 */
export function inputId(name) { return "field-" + name.replaceAll(".", "-"); }

/**
 * The kind of thing that a field refers to.
 * @param {Field} field
 * @param {(name: string) => any} value the values of other fields
 */
function kindOf(field, value) { return typeof field.of === "function" ? field.of(value) : /** @type {string} */ (field.of); }

/**
 * A value as text.
 * @param {{ field: Field, value: any, whole?: any }} props `whole`: the thing.
 */
export function Value({ field, value, whole }) {
  // A list has thousands of values. Only those with names are drawn again when names arrive.
  const hasNames = ["thing", "things", "scope"].includes(field.kind) || Boolean(field.textOf);
  return hasNames ? html`<${ValueWithNames} field=${field} value=${value} whole=${whole} />` : shown(field, value, whole);
}

/** @param {{ field: Field, value: any, whole?: any }} props */
function ValueWithNames({ field, value, whole }) {
  useNames();
  return shown(field, value, whole);
}

/**
 * @param {Field} field
 * @param {any} value
 * @param {any} whole
 */
function shown(field, value, whole) {
  if (field.text) return field.text(whole) ?? html`<span class="soft">–</span>`;
  if (value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) {
    return html`<span class="soft">–</span>`;
  }
  switch (field.kind) {
    case "number": return field.unit ? quantity(value, field.unit, field.digits) + asEntered(field, whole) : number(value, field.digits);
    case "day": return dayText(value);
    case "time": return timeText(value);
    case "money": return moneyText(value);
    case "choice": return choiceText(field, value);
    case "choices": return value.map((/** @type {string} */ choice) => choiceText(field, choice)).join(", ");
    case "list": return value.join(", ");
    case "flag": return t(value ? "yes" : "no");
    case "measure": return `${number(value, 2)}\u00a0${measureNames[whole?.unit] ?? whole?.unit ?? ""}`;
    case "thing": case "things": {
      const kind = kindOf(field, name => valueAt(whole, name));
      if (!resolvers[kind]) return String(value);
      if (Array.isArray(value)) return value.map(id => labelOf(kind, id)).join(", ");
      return kind === "vehicle" ? html`<${VehicleLabel} id=${value} />` : nameOf(kind, value);
    }
    case "scope": return value === "all" ? t("scope.all") : value.map((/** @type {string} */ id) => nameOf("fleet", id)).join(", ");
    case "lines": case "checkItems": return number(value.length);
    case "hours": return hoursText(value);
    case "files": return html`<${FilesView} ids=${value} />`;
    case "photo": return html`<${FilesView} ids=${[value]} />`;
    case "notes": return html`<span class="notes">${value}</span>`;
    default: return String(value);
  }
}

/**
 * The name of the member with the amount that a person entered for a field: `every.entered.kilometers` for `every.kilometers`.
 * @param {string} name
 */
export function enteredName(name) { return name.replace(/[^.]*$/, "entered.$&"); }

/**
 * The amount that a person entered, in parentheses; empty if its unit is shown anyway.
 * @param {Field} field
 * @param {any} thing
 */
function asEntered(field, thing) {
  const amount = field.isMeasured && thing ? valueAt(thing, enteredName(field.name)) : null;
  const unit = amount && enteredUnit(amount.unit);
  return unit && unit !== unitName(/** @type {string} */ (field.unit)) ? ` (${number(amount.value, 3)}\u00a0${unit})` : "";
}

/**
 * The text that the input of a field shows for a value.
 * @param {Field} field
 * @param {any} value
 * @returns {any}
 */
export function entered(field, value) {
  if (["choices", "things", "lines", "checkItems", "hours", "files"].includes(field.kind)) return value ?? [];
  if (field.kind === "flag") return value ?? false;
  if (field.kind === "scope") return value ?? "all";
  if (value === null || value === undefined || field.kind === "secret") return "";
  switch (field.kind) {
    case "number": return number(field.unit ? inUnit(value, field.unit) : value, field.digits ?? 3).replace(/[\u00a0\u202f']/g, "");
    case "time": return localTime(value);
    case "money": return `${number(Number(value.amount), 4, 2).replace(/[\u00a0\u202f']/g, "")} ${value.currency}`;
    case "list": return value.join(", ");
    default: return String(value);
  }
}

/**
 * The value of a text that was entered in a field.
 * @param {Field} field
 * @param {any} text
 * @param {string} currency
 * @returns {{ value?: any, amount?: { value: number, unit: string }, fault?: string }} `amount`: the number and its unit as they were
 *   entered, if the unit is not the one of `value`
 */
export function parsed(field, text, currency) {
  if (field.kind === "lines") {
    const lines = finished(text);
    return lines ? { value: lines } : { fault: t("fault.lines") };
  }
  if (field.kind === "checkItems") {
    const items = finishedItems(text);
    return items ? { value: items } : { fault: t("fault.items") };
  }
  if (field.kind === "hours") return areHoursComplete(text) ? { value: text.length > 0 ? text : null } : { fault: t("fault.hours") };
  if (["choices", "things", "files", "flag", "scope"].includes(field.kind)) {
    return field.required && text.length === 0 ? { fault: t("fault.choose") } : { value: text };
  }
  const plain = String(text).trim();
  if (!plain) {
    if (field.required) return { fault: t(field.kind === "choice" || field.kind === "thing" ? "fault.choose" : "fault.required") };
    return { value: field.kind === "list" ? [] : null };
  }
  switch (field.kind) {
    case "number": {
      const found = parseAmount(plain, field.unit);
      if (found === null) return { fault: field.unit ? t("fault.quantity", { unit: unitName(field.unit) }) : t("fault.number") };
      return { value: Number(found.value.toFixed(field.isMeasured && found.entered ? 3 : 6)), amount: field.isMeasured ? found.entered : undefined };
    }
    case "money": {
      const value = parseMoney(plain, currency);
      return value ? { value } : { fault: t("fault.money") };
    }
    case "time": {
      const time = new Date(plain);
      return Number.isNaN(time.getTime()) ? { fault: t("fault.time") } : { value: time.toISOString() };
    }
    case "measure": {
      const value = parseMeasure(plain);
      return value ? { value } : { fault: t("fault.measure") };
    }
    case "year": return /^\d{4}$/.test(plain) ? { value: Number(plain) } : { fault: t("fault.number") };
    case "email": return /^[^@\s]+@[^@\s]+$/.test(plain) ? { value: plain } : { fault: t("fault.email") };
    case "list": return { value: plain.split(",").map(part => part.trim()).filter(Boolean) };
    default: return { value: plain };
  }
}

/**
 * How an entered text is understood; empty if there is nothing to add to the text.
 * @param {Field} field
 * @param {string} text
 * @param {string} currency
 */
function understood(field, text, currency) {
  const { value } = parsed(field, text, currency);
  if (value === null || value === undefined) return "";
  switch (field.kind) {
    case "number": {
      if (!field.unit) return "";
      // The stored value is rounded. Rounding it again could show another digit.
      const exact = parseAmount(text, field.unit)?.value ?? value;
      const own = `${amountText(exact, field.unit, 2)} ${unitName(field.unit)}`;
      const stored = `${number(exact, 2)} ${field.unit}`;
      return own === stored ? own : `${own} = ${stored}`;
    }
    case "money": return moneyText(value);
    case "measure": {
      const unit = value.unit ?? "";
      return `${number(value.quantity, 3)} ${measureNames[unit] ?? ""}${unit !== "L" && litres[unit] ? ` = ${number(value.quantity * litres[unit], 2)} L` : ""}`;
    }
    default: return "";
  }
}

const itemsInput = async () => (await import("./check-items.js")).CheckItemsInput;
const photoReader = async () => (await import("./photo-reading.js")).PhotoReader;

/**
 * A part of a field that few forms have. Its code is loaded when it is drawn.
 * @param {any} props `load`: loads the component. The others are those of the component.
 */
function Later({ load, ...props }) {
  const [part, setPart] = useState(/** @type {any} */ (null));
  useEffect(() => { load().then((/** @type {any} */ loaded) => setPart(() => loaded), () => {}); }, []);
  return part && html`<${part} ...${props} />`;
}

/**
 * One field of a form, with its label, hint and fault.
 * @param {{ field: Field, value: any, values?: any, fault?: string, currency?: string, onInput: (value: any) => void, children?: any }} props
 *   `values`: those of all fields.
 */
export function FieldInput({ field, value, values = {}, fault, currency = "EUR", onInput, children }) {
  useNames();
  const [isTyped, setTyped] = useState(false);
  const id = inputId(field.name);
  const hasMeaning = ["number", "money", "measure"].includes(field.kind) && (field.unit || field.kind !== "number");
  const meaning = hasMeaning && isTyped && value ? understood(field, value, currency) : "";
  const described = [field.hint || field.unit ? id + "-hint" : "", fault ? id + "-fault" : "", hasMeaning ? id + "-meaning" : ""].filter(Boolean).join(" ") || undefined;
  const shared = {
    id, name: field.name, required: field.required, "aria-invalid": fault ? "true" : undefined, "aria-describedby": described,
    onInput: (/** @type {any} */ event) => { setTyped(true); onInput(event.target.value); }, value,
  };
  let control;
  switch (field.kind) {
    case "notes": control = html`<textarea rows="3" ...${shared}></textarea>`; break;
    case "choice":
      control = html`<select ...${shared} onChange=${shared.onInput}>
        <option value="" selected=${!value}>${field.required ? t("choose") : "–"}</option>
        ${choicesOf(field).map(choice => html`<option value=${choice} selected=${choice === value}>${choiceText(field, choice)}</option>`)}</select>`;
      break;
    case "choices":
      return html`<fieldset class=${"field" + (fault ? " faulty" : "")} aria-describedby=${described}><legend>${t(field.label)}</legend>
        ${field.hint && html`<p class="hint" id=${id + "-hint"}>${t(field.hint)}</p>`}${fault && html`<p class="fault" id=${id + "-fault"}>${fault}</p>`}
        <div class="checks">${choicesOf(field).map(choice => html`<label class="check"><input type="checkbox" name=${field.name} checked=${value.includes(choice)}
          onChange=${(/** @type {any} */ event) => onInput(event.target.checked ? [...value, choice] : value.filter((/** @type {string} */ other) => other !== choice))} />
          <span>${choiceText(field, choice)}</span></label>`)}</div>${children}</fieldset>`;
    case "flag":
      return html`<div class="field"><label class="check"><input type="checkbox" id=${id} checked=${value} aria-describedby=${field.hint ? id + "-hint" : undefined}
        onChange=${(/** @type {any} */ event) => onInput(event.target.checked)} /><span>${t(field.label)}</span></label>${field.hint && html`<p class="hint" id=${id + "-hint"}>${t(field.hint)}</p>`}${children}</div>`;
    case "thing": control = html`<${ThingInput} ...${shared} of=${kindOf(field, name => values[name])} query=${field.query?.(values)} onChoose=${onInput} />`; break;
    case "things": control = html`<${ThingsInput} shared=${shared} value=${value} of=${kindOf(field, name => values[name])} query=${field.query?.(values)} onInput=${onInput} />`; break;
    case "scope":
      return html`<fieldset class=${"field wide" + (fault ? " faulty" : "")} aria-describedby=${described}><legend>${t(field.label)}</legend>
        ${field.hint && html`<p class="hint" id=${id + "-hint"}>${t(field.hint)}</p>`}${fault && html`<p class="fault" id=${id + "-fault"}>${fault}</p>`}
        <div class="checks">${["all", "fleets"].map(choice => html`<label class="check"><input type="radio" name=${field.name} id=${choice === "all" ? id : undefined} checked=${(choice === "all") === (value === "all")} onChange=${() => onInput(choice === "all" ? "all" : [])} />
          <span>${t("scope." + choice)}</span></label>`)}</div>
        ${value !== "all" && html`<label class="soft small" for=${id + "-fleets"}>${t("field.fleetIds")}</label><${ThingsInput} shared=${{ ...shared, id: id + "-fleets" }} value=${value} of="fleet" onInput=${onInput} />`}${children}</fieldset>`;
    case "files": return html`<fieldset class="field wide"><legend>${t(field.label)} <span class="soft">${t("optional")}</span></legend>${fault && html`<p class="fault">${fault}</p>`}
      <${FilesInput} id=${id} value=${value} label=${t(field.label)} isPhoto=${field.name === "photos"} onInput=${onInput} />${children}</fieldset>`;
    case "photo": return html`<fieldset class=${"field wide" + (fault ? " faulty" : "")}><legend>${t(field.label)} <span class="soft">${t("optional")}</span></legend>${fault && html`<p class="fault">${fault}</p>`}
      <${FilesInput} id=${id} value=${value ? [value] : []} label=${t(field.label)} isPhoto=${true} isSingle=${true} onInput=${(/** @type {string[]} */ ids) => onInput(ids[0] ?? "")} />${children}</fieldset>`;
    case "hours": return html`<fieldset class=${"field wide" + (fault ? " faulty" : "")} id=${id} tabindex="-1" aria-describedby=${described}><legend>${t(field.label)} <span class="soft">${t("optional")}</span></legend>
      ${field.hint && html`<p class="hint" id=${id + "-hint"}>${t(field.hint)}</p>`}${fault && html`<p class="fault" id=${id + "-fault"}>${fault}</p>`}<${HoursInput} value=${value} onInput=${onInput} />${children}</fieldset>`;
    case "checkItems": return html`<fieldset class=${"field wide" + (fault ? " faulty" : "")} id=${id} tabindex="-1" aria-describedby=${described}><legend>${t(field.label)}</legend>
      ${field.hint && html`<p class="hint" id=${id + "-hint"}>${t(field.hint)}</p>`}${fault && html`<p class="fault" id=${id + "-fault"}>${fault}</p>`}<${Later} load=${itemsInput} value=${value} onInput=${onInput} />${children}</fieldset>`;
    case "lines": return html`<fieldset class="field wide" id=${id} tabindex="-1"><legend>${t(field.label)}</legend>${fault && html`<p class="fault">${fault}</p>`}
      <${LinesInput} value=${value} currency=${currency} onInput=${onInput} />${children}</fieldset>`;
    default:
      control = html`<input type=${{ day: "date", time: "datetime-local", clock: "time", email: "email", secret: "password" }[/** @type {string} */ (field.kind)] ?? "text"}
        inputmode=${["number", "money", "measure"].includes(field.kind) ? "decimal" : field.kind === "year" ? "numeric" : undefined} autocomplete=${field.kind === "secret" ? "new-password" : "off"} ...${shared} />`;
  }
  return html`<div class=${"field" + (fault ? " faulty" : "") + (field.isWide || field.kind === "notes" ? " wide" : "")}>
    <label for=${id}>${t(field.label)}${field.required ? "" : html` <span class="soft">${t("optional")}</span>`}</label>
    ${(field.hint || field.unit) && html`<p class="hint" id=${id + "-hint"}>${field.hint ? t(field.hint) : t(hasOtherUnit(/** @type {string} */ (field.unit)) ? "inUnit" : "inOwnUnit", { unit: unitName(/** @type {string} */ (field.unit)) })}</p>`}
    ${fault && html`<p class="fault" id=${id + "-fault"}>${fault}</p>`}${control}${hasMeaning && html`<output class="meaning" id=${id + "-meaning"} for=${id}>${meaning && t("understood", { value: meaning })}</output>`}
    ${field.reads && may("documents", "write") && html`<${Later} load=${photoReader} id=${id} subject=${field.reads} label=${t(field.label)} onUse=${(/** @type {string} */ text) => { setTyped(true); onInput(text); }} />`}${children}</div>`;
}

/**
 * Chooses several things, one after the other.
 * @param {{ shared: any, value: string[], of: string, query?: Record<string, string>, onInput: (value: string[]) => void }} props
 */
function ThingsInput({ shared, value, of, query, onInput }) {
  return html`${value.length > 0 && html`<ul class="chosen">${value.map(one => html`<li key=${one}><span>${labelOf(of, one)}</span>
      <button type="button" class="plain" aria-label=${`${t("action.remove")}: ${labelOf(of, one)}`} onClick=${() => onInput(value.filter(other => other !== one))}><${Icon} name="close" size=${14} /></button></li>`)}</ul>`}
    <${ThingInput} ...${shared} value="" required=${false} of=${of} query=${query} onChoose=${(/** @type {string} */ one) => { if (one && !value.includes(one)) onInput([...value, one]); }} />`;
}

/**
 * Chooses a thing by typing a part of its name: a combobox as the ARIA practices describe it.
 * @param {any} props
 */
export function ThingInput({ of, query, value, onChoose, id, name, required, ...others }) {
  useNames();
  const [text, setText] = useState(/** @type {string | null} */ (null));
  const [found, setFound] = useState(/** @type {any[]} */ ([]));
  const [active, setActive] = useState(0);
  const list = id + "-list";
  const latest = useRef(0);
  const resolver = resolvers[of];
  useEffect(() => {
    if (text === null) return;
    const turn = ++latest.current;
    const timer = setTimeout(async () => {
      try {
        const page = await get(resolver.path, { q: text, limit: 8, ...query });
        if (turn !== latest.current) return;
        setFound(page.data);
        setActive(0);
      } catch { setFound([]); }
    }, 120);
    return () => clearTimeout(timer);
  }, [text]);
  const choose = (/** @type {any} */ thing) => {
    resolver.remember(thing);
    onChoose(thing.id);
    setText(null);
    setFound([]);
  };
  const isOpen = text !== null && found.length > 0;
  return html`<div class="combo"><input id=${id} name=${name} required=${required} role="combobox" autocomplete="off" aria-expanded=${isOpen ? "true" : "false"}
      aria-controls=${list} aria-autocomplete="list" aria-activedescendant=${isOpen ? `${list}-${active}` : undefined}
      aria-invalid=${others["aria-invalid"]} aria-describedby=${others["aria-describedby"]} placeholder=${others.placeholder}
      value=${text ?? (value ? labelOf(of, value) : "")} onFocus=${(/** @type {any} */ event) => { event.target.select(); setText(""); }}
      onInput=${(/** @type {any} */ event) => { setText(event.target.value); if (!event.target.value) onChoose(""); }}
      onBlur=${() => setTimeout(() => { setText(null); setFound([]); }, 150)}
      onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
        if (event.key === "ArrowDown" || event.key === "ArrowUp") {
          event.preventDefault();
          if (text === null) setText("");
          setActive((active + (event.key === "ArrowDown" ? 1 : -1) + found.length) % Math.max(1, found.length));
        } else if (event.key === "Enter" && isOpen) {
          event.preventDefault();
          choose(found[active]);
        } else if (event.key === "Escape") {
          setText(null);
          setFound([]);
        }
      }} /><${Icon} name="search" size=${16} />
    <ul id=${list} role="listbox" aria-label=${t("choices")} hidden=${!isOpen}>${found.map((thing, number) => html`<li id=${`${list}-${number}`} key=${thing.id} role="option"
      aria-selected=${number === active ? "true" : "false"} onMouseDown=${(/** @type {Event} */ event) => { event.preventDefault(); choose(thing); }}>
      <span>${resolver.name(thing)}</span> <span class="soft small">${resolver.detail?.(thing)}</span></li>`)}</ul></div>`;
}
