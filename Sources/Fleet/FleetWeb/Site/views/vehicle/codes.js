/** Trouble codes in words with the values at which they appeared, and the monitors that are ready for an emission test. */
import { html, useEffect, useState } from "../../lib/preact.js";
import { nearText, quantity } from "../../format.js";
import { Shape, Status } from "../../parts/icons.js";
import { language, t } from "../../texts.js";
import { signalName, signals } from "./signals.js";

/** @param {{ list: any[] }} props the newest record of each ECU */
export function Codes({ list }) {
  const [words, setWords] = useState(/** @type {Record<string, [string, string?]>} */ ({}));
  const codes = list.flatMap(record => [
    ...(record.permanent ?? []).filter((/** @type {string} */ code) => !(record.dtcCodes ?? []).includes(code)).map((/** @type {string} */ code) => ({ code, kind: "permanent", record })),
    ...(record.dtcCodes ?? []).map((/** @type {string} */ code) => ({ code, kind: "stored", record })),
    ...(record.pending ?? []).filter((/** @type {string} */ code) => !(record.dtcCodes ?? []).includes(code)).map((/** @type {string} */ code) => ({ code, kind: "pending", record })),
  ]);
  useEffect(() => {
    if (codes.length === 0) return;
    fetch(new URL("../../lib/trouble-codes.json", import.meta.url)).then(answer => answer.json()).then(setWords, () => {});
  }, [codes.length > 0]);
  const isOn = list.some(record => record.mil);
  return html`<section class="card"><header><h2>${t("vehicle.codes")}</h2>${isOn && html`<${Status} shape="danger">${t("vehicle.lampOn")}</${Status}>`}</header>
    ${list.length === 0 ? html`<p class="quiet soft">${t("vehicle.codesUnknown")}</p>` : codes.length === 0 ? html`<p class="quiet"><span class="moving"><${Shape} shape="good" /></span> ${t("vehicle.noCodes")}</p>` : html`<ul class="codes">${codes.map(({ code, kind, record }) => html`<li key=${code + record.ecu}>
      <span class=${"code" + (kind === "pending" ? " pending" : "")}>${code}</span><div><${Words} texts=${words[code]} code=${code} />
      <span class="soft small">${t("vehicle." + kind)} · ${record.ecu} · ${nearText(record.timestamp)}</span>
      ${record.freezeFrame?.dtc === code && html`<${Frozen} frame=${record.freezeFrame} />`}</div></li>`)}</ul>`}</section>`;
}

/** @param {{ texts?: [string, string?], code: string }} props */
function Words({ texts, code }) {
  const system = t("codeSystem." + code[0]);
  if (!texts) return html`<b>${t(/^[PBCU][13]/.test(code) ? "vehicle.makersCode" : "vehicle.unknownCode", { system })}</b>`;
  if (language() === "de" && texts[1]) return html`<b>${texts[1]}</b>`;
  return html`<b lang="en">${texts[0]}</b>${language() === "de" && html`<span class="soft small">${system}</span>`}`;
}

/** @param {{ frame: any }} props */
function Frozen({ frame }) {
  const values = frame.readings ?? frame;
  const rows = signals.filter(([name]) => typeof values[name] === "number");
  if (rows.length === 0) return null;
  return html`<details class="frozen" open><summary>${t("vehicle.frozen")}</summary><dl>${rows.map(([name, unit, digits]) => html`<div><dt>${signalName(name)}</dt><dd>${quantity(values[name], unit, digits)}</dd></div>`)}</dl></details>`;
}

/** @param {{ list: any[] }} props the newest record of each ECU */
export function Readiness({ list }) {
  const shown = list.filter(record => (record.complete?.length ?? 0) + (record.incomplete?.length ?? 0) > 0 && record.scope !== "thisCycle");
  if (shown.length === 0) return null;
  const open = shown.reduce((sum, record) => sum + (record.incomplete?.length ?? 0), 0);
  return html`<section class="card"><header><h2>${t("vehicle.readiness")}</h2><${Status} shape=${open === 0 ? "good" : "idle"} tone=${open === 0 ? "moving" : "idle"}>${open === 0 ? t("vehicle.ready") : t("vehicle.notReady", { count: open })}</${Status}></header>
    ${shown.map(record => html`<ul class="monitors" key=${record.ecu} aria-label=${record.ecu}>
      ${(record.incomplete ?? []).map((/** @type {string} */ name) => html`<li><${Status} shape="idle">${monitor(name)}</${Status}></li>`)}
      ${(record.complete ?? []).map((/** @type {string} */ name) => html`<li><${Status} shape="good" tone="moving">${monitor(name)}</${Status}></li>`)}</ul>`)}
    <p class="quiet soft small">${t("vehicle.readinessHelp")}</p></section>`;
}

/** @param {string} name */
function monitor(name) {
  const key = "monitor." + name;
  const text = t(key);
  return text === key ? name.replace(/([A-Z])/g, " $1").toLowerCase() : text;
}
