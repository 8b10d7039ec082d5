/** Values that the server reads from a photo. The person compares each with the photo, and decides whether to use it. */
import "../texts/photos.js";
import { html, useEffect, useRef, useState } from "../lib/preact.js";
import { RequestError, get, newId, pathOf, post, request } from "../api.js";
import { number, unitName } from "../format.js";
import { t } from "../texts.js";
import { upload } from "./files.js";
import { Icon } from "./icons.js";
import { errorText } from "./ui.js";

/** @typedef {"vin" | "odometer"} Subject */
/** @typedef {{ text: string, shown: string, box: number[], isSure: boolean, hasUnit: boolean }} Proposal `text`: what is entered; `shown`: what people see. */

/** The time between questions whether the copies of the photo are made, ms. */
const pause = 700;
/** The confidence from which a value counts as sure. */
const sure = 0.8;

/**
 * The value that a photo shows.
 * @param {Subject} subject
 * @param {any} reading the answer of the server
 * @returns {Proposal | null} `null` if it shows none
 */
function proposalOf(subject, reading) {
  const found = reading[subject];
  if (!found) return null;
  if (subject === "vin") return { text: found.value, shown: found.value, box: found.box, isSure: found.confidence >= sure, hasUnit: true };
  const unit = reading.unit ? ` ${reading.unit}` : "";
  return { text: `${found.value}${unit}`, shown: `${number(found.value)}${unit || ` ${unitName("km")}`}`, box: found.box, isSure: found.confidence >= sure, hasUnit: Boolean(unit) };
}

/**
 * Sends a photo, and returns its id when the server has made its copies.
 * @param {string} path
 * @param {File} file
 * @param {() => boolean} isWanted
 */
async function stored(path, file, isWanted) {
  await upload(path, file, file.name);
  for (let known = await get(path); known.status !== "stored" && isWanted(); known = await get(path)) {
    await new Promise(resolve => setTimeout(resolve, pause));
  }
}

/**
 * A button that takes or chooses a photo, and the value that the server proposes from it.
 * @param {{ id: string, subject: Subject, label: string, onUse: (text: string) => void }} props `label`: that of the field.
 */
export function PhotoReader({ id, subject, label, onUse }) {
  const [state, setState] = useState(/** @type {{ step: "sending" | "working" | "done", file?: string, proposal?: Proposal | null, fault?: string } | null} */ (null));
  const turn = useRef(0);
  const panel = useRef(/** @type {any} */ (null));
  const present = useRef(/** @type {string | null} */ (null));
  // The photo is needed only for the reading.
  const forget = () => {
    if (present.current) request("DELETE", present.current).catch(() => {});
    present.current = null;
  };
  useEffect(() => () => { turn.current += 1; forget(); }, []);
  useEffect(() => { if (state?.step === "done") panel.current?.focus(); }, [state?.step]);
  const close = () => {
    turn.current += 1;
    forget();
    setState(null);
    document.getElementById(id)?.focus();
  };
  const read = async (/** @type {File} */ file) => {
    const mine = ++turn.current, isWanted = () => turn.current === mine;
    forget();
    const path = pathOf("/api/files", newId());
    setState({ step: "sending" });
    try {
      present.current = path;
      await stored(path, file, isWanted);
      if (!isWanted()) return;
      setState({ step: "working" });
      const proposal = proposalOf(subject, await post(`${path}/${subject}`));
      if (isWanted()) setState({ step: "done", file: path, proposal });
    } catch (error) {
      if (isWanted()) setState({ step: "done", fault: faultOf(/** @type {Error} */ (error)) });
    }
  };
  return html`<input class="hidden file" id=${id + "-photo"} type="file" accept="image/*" aria-label=${`${label}: ${t("photoReading." + subject)}`}
      onChange=${(/** @type {any} */ event) => { const [file] = event.target.files; event.target.value = ""; if (file) read(file); }} />
    <label class="button read" for=${id + "-photo"}><${Icon} name="camera" size=${16} />${t("photoReading." + subject)}</label>
    <div role="status">${state && state.step !== "done" && html`<p class="soft small">${t(state.step === "sending" ? "photoReading.sending" : "photoReading.working")}</p>`}</div>
    ${state?.step === "done" && html`<section class="photo-reading" tabindex="-1" ref=${panel} aria-label=${`${label}: ${t("photoReading.shows")}`}>
      ${state.proposal && state.file && html`<figure><img src=${state.file + "/content"} alt=${t("photoReading.image")} /><i style=${place(state.proposal.box)}></i></figure>`}
      <div>${state.proposal ? html`<p class="soft small">${t("photoReading.shows")}</p><p class="read-value">${state.proposal.shown}</p>
          <p class="small">${t(state.proposal.isSure ? "photoReading.compare" : "photoReading.unsure")}${!state.proposal.hasUnit && ` ${t("photoReading.noUnit", { unit: unitName("km") })}`}</p>`
        : html`<p class="fault">${state.fault ?? t("photoReading.none." + subject)}</p>`}
        <div class="actions">${state.proposal && html`<button type="button" class="button primary" onClick=${() => { onUse(/** @type {Proposal} */ (state.proposal).text); close(); }}>${t("photoReading.use")}</button>`}
          <button type="button" class="button" onClick=${close}>${t(state.proposal ? "photoReading.discard" : "action.close")}</button></div></div></section>`}`;
}

/**
 * The place of a value on its photo, with a margin.
 * @param {number[]} box left, top, width and height, as fractions
 */
function place([left, top, width, height]) {
  const margin = 0.012, percent = (/** @type {number} */ part) => `${(Math.max(0, part) * 100).toFixed(1)}%`;
  return { left: percent(left - margin), top: percent(top - margin), width: percent(width + 2 * margin), height: percent(height + 2 * margin) };
}

/** @param {Error} error */
function faultOf(error) {
  if (!(error instanceof RequestError)) return errorText(error);
  if (error.isOffline) return t("photoReading.offline");
  if (error.code === "noImages") return t("photoReading.unavailable");
  return ["noImage", "unreadable"].includes(error.code) ? t("photoReading.unusable") : errorText(error);
}
