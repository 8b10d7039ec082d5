/** Imports of CSV files, with a trial run first, and exports. */
import { html, useRef, useState } from "../lib/preact.js";
import { RequestError, request } from "../api.js";
import { FieldInput } from "../parts/fields.js";
import { Icon, Status } from "../parts/icons.js";
import { Title, Trouble } from "../parts/ui.js";
import { to } from "../router.js";
import { may, tell } from "../state.js";
import { t } from "../texts.js";

/** The size of a file that the server accepts. */
const mostBytes = 1 << 20;

/** @typedef {import("../parts/fields.js").Field} Field */
/**
 * What a file may not contain.
 * @type {Field[]}
 */
const options = [
  { name: "vehicle", label: "imports.vehicle", kind: "thing", of: "vehicle" },
  { name: "currency", label: "imports.currency", kind: "text" },
  { name: "energy", label: "field.energy", kind: "choice", texts: "energy", choices: ["petrol", "diesel", "cng", "lpg", "electric", "adBlue"] },
  { name: "distanceUnit", label: "imports.distanceUnit", kind: "choice", texts: "distanceUnit", choices: ["km", "mi"] },
  { name: "volumeUnit", label: "imports.volumeUnit", kind: "choice", texts: "volumeUnit", choices: ["L", "usGallon", "imperialGallon"] },
  { name: "decimal", label: "imports.decimal", kind: "choice", texts: "decimalMark", choices: ["point", "comma"] },
  { name: "dates", label: "imports.dates", kind: "choice", texts: "dateOrder", choices: ["dmy", "mdy"] },
];

const kinds = ["vehicles", "drivers", "fuel-entries", "expenses", "maintenance-records"];

export default function Imports() {
  const [kind, setKind] = useState("vehicles");
  const [file, setFile] = useState(/** @type {{ name: string, text: string } | null} */ (null));
  const [values, setValues] = useState(/** @type {Record<string, string>} */ ({}));
  const [result, setResult] = useState(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const [isBusy, setBusy] = useState(false);
  const [isOver, setOver] = useState(false);
  const heading = useRef(/** @type {any} */ (null));
  const change = (/** @type {() => void} */ act) => { act(); setResult(null); setError(null); };

  const choose = async (/** @type {File | undefined} */ chosen) => {
    if (!chosen) return;
    if (chosen.size > mostBytes) {
      setError(new RequestError(413, { code: "tooLarge", message: t("imports.tooLarge") }));
      return;
    }
    const text = await chosen.text();
    change(() => setFile({ name: chosen.name, text }));
  };
  const run = async (/** @type {boolean} */ isDry) => {
    setBusy(true);
    setError(null);
    try {
      const answer = await request("POST", "/api/imports", { query: { ...values, kind, dryRun: isDry ? "true" : undefined }, body: file?.text, type: "text/csv" });
      setResult(answer.value);
      if (!isDry) tell(t("imports.done", { count: answer.value.created + answer.value.changed }));
      requestAnimationFrame(() => heading.current?.focus());
    } catch (failure) {
      setError(/** @type {Error} */ (failure));
    }
    setBusy(false);
  };
  const faults = error instanceof RequestError ? error.fields : [];
  return html`<div class="page narrow"><${Title} title=${t("imports.title")} />
    <section class="card"><header><h2>${t("imports.import")}</h2></header><form class="form padded" onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); run(true); }}>
      <p class="soft">${t("imports.help")}</p>
      <div class="fields"><div class="field"><label for="import-kind">${t("imports.kind")}</label><select id="import-kind" onChange=${(/** @type {any} */ event) => change(() => setKind(event.target.value))}>
          ${kinds.map(one => html`<option value=${one} selected=${one === kind}>${t("importKind." + one)}</option>`)}</select></div>
        <div class=${"field drop" + (isOver ? " over" : "")} onDragOver=${(/** @type {DragEvent} */ event) => { event.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)}
          onDrop=${(/** @type {DragEvent} */ event) => { event.preventDefault(); setOver(false); choose(event.dataTransfer?.files[0]); }}>
          <label for="import-file">${t("imports.file")}</label><input id="import-file" type="file" accept=".csv,text/csv" onChange=${(/** @type {any} */ event) => choose(event.target.files[0])} /></div></div>
      <details><summary>${t("imports.options")}</summary><p class="soft small">${t("imports.optionsHelp")}</p><div class="fields">${options.map(field => html`<${FieldInput} key=${field.name} field=${field} value=${values[field.name] ?? ""}
        onInput=${(/** @type {string} */ value) => change(() => setValues({ ...values, [field.name]: field.name === "currency" ? value.toUpperCase() : value }))} />`)}</div></details>
      <div class="actions"><button class="button primary" disabled=${!file || isBusy}>${isBusy ? t("action.busy") : t("imports.check")}</button></div></form></section>
    ${error && faults.length === 0 && html`<${Trouble} error=${error} />`}
    ${faults.length > 0 && html`<section class="card" role="alert"><header><h2 tabindex="-1">${t("imports.refused")}</h2></header><ul class="links">${faults.slice(0, 200).map(fault => html`<li><span class="soft">${placeText(fault.path)}</span><span class="grow">${fault.message}</span></li>`)}</ul></section>`}
    ${result && html`<section class="card"><header><h2 tabindex="-1" ref=${heading}>${result.dryRun ? t("imports.result") : t("imports.imported")}</h2>
        ${result.errors.length > 0 ? html`<${Status} shape="danger">${t("imports.errors", { count: result.errors.length })}</${Status}>` : html`<${Status} shape="good" tone="moving">${t(result.dryRun ? "imports.noError" : "imports.stored")}</${Status}>`}
        ${result.dryRun && result.errors.length === 0 && result.created + result.changed > 0 && html`<button type="button" class="button primary end" disabled=${isBusy} onClick=${() => run(false)}>${t("imports.run", { count: result.created + result.changed })}</button>`}</header>
      <div class="tiles">${["created", "changed", "unchanged"].map(name => html`<div class="tile"><small>${t("imports." + name)}</small><b>${result[name]}</b></div>`)}<div class="tile"><small>${t("imports.skipped")}</small><b>${result.skipped.length}</b></div></div>
      ${[...result.errors.map((/** @type {any} */ fault) => ({ ...fault, isBad: true })), ...result.skipped].length > 0 && html`<div class="scroll tall" tabindex="0" role="region" aria-label=${t("imports.result")}><table><thead><tr><th scope="col">${t("imports.line")}</th><th scope="col">${t("imports.message")}</th></tr></thead>
        <tbody>${[...result.errors.map((/** @type {any} */ fault) => ({ ...fault, isBad: true })), ...result.skipped].slice(0, 500).map(fault => html`<tr><td>${fault.column ? t("imports.place", { line: fault.line, column: fault.column }) : t("imports.lineNumber", { line: fault.line })}</td>
          <td class=${fault.isBad ? "danger" : "soft"}>${fault.message}</td></tr>`)}</tbody></table></div>`}
      ${result.rows.length > 0 && html`<details class="padded"><summary>${t("imports.rows", { count: result.rows.length })}</summary><div class="scroll tall" tabindex="0" role="region" aria-label=${t("imports.rows", { count: result.rows.length })}><table><thead><tr><th scope="col">${t("imports.line")}</th><th scope="col">${t("imports.action")}</th><th scope="col">${t("field.id")}</th></tr></thead>
        <tbody>${result.rows.slice(0, 500).map((/** @type {any} */ row) => html`<tr><td>${t("imports.lineNumber", { line: row.line })}</td><td>${t("importAction." + row.action)}</td><td>${result.dryRun ? row.id : html`<a href=${to(kind, row.id)}>${row.id}</a>`}</td></tr>`)}</tbody></table></div></details>`}</section>`}
    <section class="card"><header><h2>${t("imports.export")}</h2></header><div class="padded stack"><p class="soft">${t("imports.exportHelp")}</p>
      <ul class="links">${kinds.map(one => html`<li><span class="grow">${t("importKind." + one)}</span>${["csv", "xlsx"].map(format => html`<a class="button" download href=${`/api/${one}?format=${format}`} aria-label=${`${t("importKind." + one)}: ${t("export." + format)}`}>${format.toUpperCase()}</a>`)}</li>`)}
        ${may("audit") === "all" && html`<li><span class="grow"><b>${t("imports.archive")}</b><span class="soft small">${t("imports.archiveHelp")}</span></span><a class="button" download href="/api/exports"><${Icon} name="transfer" size=${16} />${t("imports.download")}</a></li>`}</ul></div></section></div>`;
}

/**
 * The place of a fault: `line 3, column 2`.
 * @param {string} path
 */
function placeText(path) {
  const found = /^line (\d+)(?:, column (\d+))?$/.exec(path);
  if (!found) return path;
  return found[2] ? t("imports.place", { line: found[1], column: found[2] }) : t("imports.lineNumber", { line: found[1] });
}
