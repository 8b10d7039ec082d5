/** The photos and other files of a thing: chosen, uploaded, also later when there is a network, and shown. */
import { html, useEffect, useMemo, useRef, useState } from "../lib/preact.js";
import { get, pathOf, reachable, request } from "../api.js";
import { number } from "../format.js";
import { discard, submitFile, waiting } from "../queue.js";
import { useShared } from "../state.js";
import { t } from "../texts.js";
import { uploads } from "./files.js";
import { Icon } from "./icons.js";

/** The time between questions whether the small copy of an image is made, ms. */
const pause = 1500;

/**
 * @param {string} id
 * @returns {import("../queue.js").Entry | undefined}
 */
function waitingFile(id) { return waiting().find(entry => entry.path === pathOf("/api/files", id)); }

/**
 * A file that this browser still sends.
 * @param {{ entry: import("../queue.js").Entry }} props
 */
function WaitingFile({ entry }) {
  const [part, setPart] = useState(0);
  const address = useMemo(() => (entry.blob?.type.startsWith("image/") ? URL.createObjectURL(entry.blob) : null), [entry.number]);
  useEffect(() => {
    const update = (/** @type {any} */ event) => { if (event.detail.path === entry.path) setPart(event.detail.part); };
    uploads.addEventListener("progress", update);
    return () => {
      uploads.removeEventListener("progress", update);
      if (address) URL.revokeObjectURL(address);
    };
  }, []);
  const state = entry.reason ?? (part > 0 || reachable() ? t("files.sending", { part: number(part * 100) }) : t("files.waits"));
  return html`<span class="thumb">${address ? html`<img src=${address} alt=${entry.label} />` : html`<${Icon} name="document" size=${24} />`}</span>
    <span class="grow"><span class="name">${entry.label}</span><span class=${entry.reason ? "fault" : "soft small"}>${state}</span></span>`;
}

/**
 * A file of the server.
 * @param {{ id: string }} props
 */
function StoredFile({ id }) {
  const [file, setFile] = useState(/** @type {any} */ (null));
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    let isWanted = true;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const load = async () => {
      const found = await get(pathOf("/api/files", id)).catch(() => null);
      if (!isWanted) return;
      if (found) setFile(found);
      else setLost(true);
      if (found && found.status !== "stored") timer = setTimeout(load, pause);
    };
    load();
    return () => { isWanted = false; clearTimeout(timer); };
  }, [id]);
  const address = pathOf("/api/files", id, "content");
  if (!file) return html`<span class="thumb"><${Icon} name="document" size=${24} /></span><span class="grow soft small">${t(isLost ? "files.lost" : "loading")}</span>`;
  if (file.model || file.mediaType?.startsWith("model/")) return html`<${StoredModel} file=${file} />`;
  const hasThumbnail = file.versions?.some((/** @type {any} */ version) => version.name === "thumbnail");
  return html`<span class="thumb">${hasThumbnail ? html`<a href=${address} target="_blank" rel="noopener"><img src=${address + "?version=thumbnail"} alt=${file.name} /></a>` : html`<${Icon} name="document" size=${24} />`}</span>
    <span class="grow"><a class="name" href=${address} target="_blank" rel="noopener" download=${hasThumbnail ? undefined : file.name}>${file.name}</a>${file.status === "processing" && html`<span class="soft small">${t("files.processing")}</span>`}</span>`;
}

/**
 * A 3D model. Its viewer is loaded when a person opens it.
 * @param {{ file: any }} props
 */
function StoredModel({ file }) {
  const [viewer, setViewer] = useState(/** @type {any} */ (null));
  const [isOpen, setOpen] = useState(false);
  const address = pathOf("/api/files", file.id, "content");
  const hasThumbnail = file.versions?.some((/** @type {any} */ version) => version.name === "thumbnail");
  const open = async () => {
    if (!viewer) {
      const { ModelDialog } = await import("./models.js");
      setViewer(() => ModelDialog);
    }
    setOpen(true);
  };
  return html`<span class="thumb">${hasThumbnail ? html`<img src=${address + "?version=thumbnail"} alt="" />` : html`<${Icon} name="document" size=${24} />`}</span>
    <span class="grow"><a class="name" href=${address} download=${file.name}>${file.name}</a>
      ${file.status === "processing" && html`<span class="soft small">${t("model.checking")}</span>`}
      ${file.problem && html`<span class="soft small">${t("model.problem", { reason: file.problem })}</span>`}
      ${file.model?.isViewable && html`<button type="button" class="button" onClick=${open}>${t("model.open")}</button>`}</span>
    ${isOpen && viewer && html`<${viewer} file=${file} number=${number} onClose=${() => setOpen(false)} />`}`;
}

/** @param {{ ids: string[] }} props */
export function FilesView({ ids }) {
  useShared();
  return html`<ul class="files">${ids.map(id => {
    const entry = waitingFile(id);
    return html`<li key=${id}>${entry ? html`<${WaitingFile} entry=${entry} key=${entry.number} />` : html`<${StoredFile} id=${id} />`}</li>`;
  })}</ul>`;
}

/**
 * Chooses files, or takes photos. They are sent at once, or when there is a network.
 * @param {{ id: string, value: string[], isPhoto?: boolean, label: string, onInput: (ids: string[]) => void }} props
 */
export function FilesInput({ id, value, isPhoto, label, onInput }) {
  useShared();
  const latest = useRef(value);
  latest.current = value;
  const add = async (/** @type {FileList} */ chosen) => {
    for (const file of [...chosen]) {
      const made = await submitFile(file);
      onInput(latest.current = [...latest.current, made]);
    }
  };
  const remove = async (/** @type {string} */ one) => {
    onInput(latest.current = latest.current.filter(other => other !== one));
    const entry = waitingFile(one);
    if (entry) await discard(entry);
    // A file that belongs to a stored thing stays until that thing is changed; the server then removes it.
    else await request("DELETE", pathOf("/api/files", one)).catch(() => {});
  };
  return html`${value.length > 0 && html`<ul class="files">${value.map(one => {
      const entry = waitingFile(one);
      return html`<li key=${one}>${entry ? html`<${WaitingFile} entry=${entry} key=${entry.number} />` : html`<${StoredFile} id=${one} />`}
        <button type="button" class="plain" aria-label=${`${t("action.remove")}: ${entry?.label ?? label}`} onClick=${() => remove(one)}><${Icon} name="close" size=${16} /></button></li>`;
    })}</ul>`}
    <input class="hidden file" id=${id} type="file" multiple accept=${isPhoto ? "image/*" : "image/*,application/pdf,.glb,.gltf,.usdz,.ply,.obj,.stl"} aria-label=${label} onChange=${(/** @type {any} */ event) => { add(event.target.files).then(() => { event.target.value = ""; }); }} />
    <label class="button" for=${id}><${Icon} name="camera" size=${18} />${t(isPhoto ? "files.photo" : "files.add")}</label>`;
}
