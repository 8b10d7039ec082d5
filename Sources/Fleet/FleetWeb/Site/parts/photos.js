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
 * What the server knows about a file. It is loaded again until the small copies of an image are made.
 * @param {string} id
 * @returns {any} `null` until it is known; `undefined` if there is no such file
 */
export function useFile(id) {
  const [file, setFile] = useState(/** @type {any} */ (null));
  useEffect(() => {
    let isWanted = true;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const load = async () => {
      const found = await get(pathOf("/api/files", id)).catch(() => null);
      if (!isWanted) return;
      setFile(found ?? undefined);
      if (found && found.status !== "stored") timer = setTimeout(load, pause);
    };
    load();
    return () => { isWanted = false; clearTimeout(timer); };
  }, [id]);
  return file;
}

/**
 * A file of the server.
 * @param {{ id: string }} props
 */
function StoredFile({ id }) {
  const file = useFile(id);
  const address = pathOf("/api/files", id, "content");
  if (!file) return html`<span class="thumb"><${Icon} name="document" size=${24} /></span><span class="grow soft small">${t(file === undefined ? "files.lost" : "loading")}</span>`;
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
 * The small copy of a photo.
 * @param {{ id: string, alt: string, onError?: () => void }} props `onError`: called if there is no copy, for example because it is not made yet.
 */
export function SmallPhoto({ id, alt, onError }) {
  return html`<img src=${pathOf("/api/files", id, "content") + "?version=thumbnail"} alt=${alt} loading="lazy" decoding="async" onError=${onError} />`;
}

/**
 * A photo that leads to the large one. It appears when the server has made the copies.
 * @param {{ id: string, alt: string, look: string }} props `look`: the class.
 */
export function Photo({ id, alt, look }) {
  const file = useFile(id);
  if (!file?.versions?.some((/** @type {any} */ version) => version.name === "thumbnail")) return null;
  return html`<a class=${look} href=${pathOf("/api/files", id, "content")} target="_blank" rel="noopener"><${SmallPhoto} id=${id} alt=${alt} /></a>`;
}

/**
 * Chooses files, or takes photos. They are sent at once, or when there is a network.
 * @param {{ id: string, value: string[], isPhoto?: boolean, isSingle?: boolean, label: string, onInput: (ids: string[]) => void }} props `isSingle`: a new file replaces the present one.
 */
export function FilesInput({ id, value, isPhoto, isSingle, label, onInput }) {
  useShared();
  // These may belong to a stored thing. They stay until that thing is changed; the server then removes them.
  const before = useRef(new Set(value));
  const latest = useRef(value);
  latest.current = value;
  const add = async (/** @type {FileList} */ chosen) => {
    for (const file of [...chosen]) {
      const made = await submitFile(file);
      const replaced = isSingle ? latest.current : [];
      onInput(latest.current = isSingle ? [made] : [...latest.current, made]);
      for (const one of replaced) await forget(one);
    }
  };
  const forget = async (/** @type {string} */ one) => {
    const entry = waitingFile(one);
    if (entry) await discard(entry);
    else if (!before.current.has(one)) await request("DELETE", pathOf("/api/files", one)).catch(() => {});
  };
  const remove = (/** @type {string} */ one) => {
    onInput(latest.current = latest.current.filter(other => other !== one));
    return forget(one);
  };
  return html`${value.length > 0 && html`<ul class="files">${value.map(one => {
      const entry = waitingFile(one);
      return html`<li key=${one}>${entry ? html`<${WaitingFile} entry=${entry} key=${entry.number} />` : html`<${StoredFile} id=${one} />`}
        <button type="button" class="plain" aria-label=${`${t("action.remove")}: ${entry?.label ?? label}`} onClick=${() => remove(one)}><${Icon} name="close" size=${16} /></button></li>`;
    })}</ul>`}
    <input class="hidden file" id=${id} type="file" multiple=${!isSingle} accept=${isPhoto ? "image/*" : "image/*,application/pdf,.glb,.gltf,.usdz,.ply,.obj,.stl"} aria-label=${label} onChange=${(/** @type {any} */ event) => { add(event.target.files).then(() => { event.target.value = ""; }); }} />
    <label class="button" for=${id}><${Icon} name="camera" size=${18} />${t(isPhoto ? "files.photo" : "files.add")}</label>`;
}
