/** Small components that many pages share. */
import { html, useCallback, useEffect, useRef, useState } from "../lib/preact.js";
import { RequestError } from "../api.js";
import { t } from "../texts.js";
import { number } from "../format.js";
import { Icon, Shape } from "./icons.js";

/**
 * Loads data, and loads them again when the inputs change.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} load
 * @param {any[]} inputs
 * @returns {{ value: T | undefined, error: RequestError | Error | undefined, isLoading: boolean, reload: () => void,
 *   refresh: () => Promise<void>, set: (value: T) => void }} `value` remains while it is loaded again. `refresh` loads without a sign on the
 *   page; if this fails, the page stays as it is, unless the person may no longer see the data.
 */
export function useLoad(load, inputs) {
  const [state, setState] = useState(/** @type {any} */ ({ isLoading: true }));
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const abort = useRef(/** @type {AbortController | null} */ (null));
  // An answer is used only if no later request was answered before.
  const numbers = useRef({ begun: 0, used: 0 });
  const begin = () => {
    const number = ++numbers.current.begun, signal = /** @type {AbortController} */ (abort.current).signal;
    return { signal, use: (/** @type {any} */ next) => {
      if (signal.aborted || number < numbers.current.used) return;
      numbers.current.used = number;
      setState(next);
    } };
  };
  useEffect(() => {
    abort.current = new AbortController();
    const { signal, use } = begin();
    setState((/** @type {any} */ old) => ({ ...old, isLoading: true }));
    load(signal).then(
      value => use({ value, isLoading: false }),
      error => use((/** @type {any} */ old) => ({ value: old.value, error, isLoading: false })));
    return () => abort.current?.abort();
  }, [...inputs, turn]);
  const reload = useCallback(() => setTurn((/** @type {number} */ count) => count + 1), []);
  const refresh = useCallback(async () => {
    if (!abort.current) return;
    const { signal, use } = begin();
    try {
      use({ value: await latest.current(signal), isLoading: false });
    } catch (error) {
      if (signal.aborted) return;
      if (!isLost(error)) throw error;
      use({ error, isLoading: false });
    }
  }, []);
  const set = useCallback((/** @type {T} */ value) => {
    numbers.current.used = ++numbers.current.begun;
    setState({ value, isLoading: false });
  }, []);
  return { value: state.value, error: state.error, isLoading: state.isLoading, reload, refresh, set };
}

/**
 * Whether an error means that the data no longer exist, or that the person may no longer see them.
 * @param {unknown} error
 */
export function isLost(error) { return error instanceof RequestError && [403, 404, 410].includes(error.status); }

/**
 * The text of an error for people.
 * @param {Error | undefined} error
 */
export function errorText(error) {
  if (!(error instanceof RequestError)) return t("error.unknown");
  if (error.isOffline) return t("error.offline");
  switch (error.code) {
    case "forbidden": return t("error.forbidden");
    case "notFound": return t("error.notFound");
    case "invalidState": return t("error.state");
    case "lastAdministrator": return t("error.lastAdministrator");
    case "vehicleInUse": return t("error.inUse");
    case "tooManyRequests": return t("error.tooMany");
    default: return error.status >= 500 ? t("error.server") : error.message;
  }
}

/** @param {{ error: Error, retry?: () => void }} props */
export function Trouble({ error, retry }) {
  return html`<div class="trouble" role="alert"><p>${errorText(error)}</p>
    ${retry && html`<button type="button" class="button" onClick=${retry}>${t("action.retry")}</button>`}</div>`;
}

export function Loading() {
  return html`<div class="loading" role="status"><span class="hidden">${t("loading")}</span><i></i><i></i><i></i></div>`;
}

/**
 * The text of a page that has nothing to show yet, with a hint how to begin.
 * @param {{ title: string, children?: any }} props
 */
export function Empty({ title, children }) {
  return html`<div class="empty"><h2>${title}</h2>${children && html`<div class="soft">${children}</div>`}</div>`;
}

/**
 * The head of a page.
 * @param {{ title: any, above?: any, beside?: any, picture?: any, children?: any }} props `above`: the way back. `children`: actions.
 */
export function Title({ title, above, beside, picture, children }) {
  return html`<header class="title">${picture}<div>
      ${above && html`<nav class="soft small" aria-label=${t("nav.path")}>${above}</nav>`}
      <h1 tabindex="-1">${title}</h1>${beside && html`<div class="beside">${beside}</div>`}</div>
    ${children && html`<div class="actions">${children}</div>`}</header>`;
}

/**
 * A question before something that cannot be undone, or a short form.
 * @param {{ title: string, onClose: () => void, children?: any }} props
 */
export function Dialog({ title, onClose, children }) {
  const element = useRef(/** @type {any} */ (null));
  useEffect(() => {
    /** @type {HTMLDialogElement} */
    const dialog = element.current;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  return html`<dialog ref=${element} aria-labelledby="dialog-title" onCancel=${(/** @type {Event} */ event) => {
      event.preventDefault();
      onClose();
    }}>
    <header><h2 id="dialog-title">${title}</h2>
      <button type="button" class="plain" aria-label=${t("action.close")} onClick=${onClose}><${Icon} name="close" /></button></header>
    <div class="content">${children}</div></dialog>`;
}

/**
 * Asks before an action. The function that it returns shows the question.
 * @returns {[any, (question: { title: string, text: string, action: string, isBad?: boolean, run: () => Promise<void> | void }) => void]}
 */
export function useQuestion() {
  const [question, setQuestion] = useState(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {any} */ (null));
  const [isBusy, setBusy] = useState(false);
  const close = () => { setQuestion(null); setError(null); };
  const run = async () => {
    setBusy(true);
    try {
      await question.run();
      close();
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  const dialog = question && html`<${Dialog} title=${question.title} onClose=${close}>
    <p>${question.text}</p>${error && html`<${Trouble} error=${error} />`}
    <div class="actions"><button type="button" class=${"button " + (question.isBad ? "danger-fill" : "primary")} disabled=${isBusy}
        onClick=${run}>${question.action}</button>
      <button type="button" class="button" onClick=${close}>${t("action.cancel")}</button></div></${Dialog}>`;
  return [dialog, setQuestion];
}

/**
 * A secret that is shown once, with a button that copies it.
 * @param {{ text: string, label: string }} props
 */
export function Secret({ text, label }) {
  const [isCopied, setCopied] = useState(false);
  return html`<div class="secret"><code aria-label=${label}>${text}</code>
    <button type="button" class="button" onClick=${async () => {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    }}>${isCopied ? t("action.copied") : t("action.copy")}</button></div>`;
}

/**
 * Draws a component again at intervals, so that the ages that it shows stay right.
 * @param {number} seconds
 */
export function useTick(seconds) {
  const [, set] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => set((/** @type {number} */ count) => count + 1), seconds * 1000);
    return () => clearInterval(timer);
  }, [seconds]);
}

/**
 * A button that shows further buttons below it. Escape, a click elsewhere and a chosen button close it.
 * @param {{ label: string, children?: any }} props
 */
export function Menu({ label, children }) {
  const [isOpen, setOpen] = useState(false);
  const element = useRef(/** @type {any} */ (null));
  const id = "menu-" + label.replace(/\W/g, "-");
  useEffect(() => {
    if (!isOpen) return;
    const close = (/** @type {Event} */ event) => { if (!element.current?.contains(event.target)) setOpen(false); };
    document.addEventListener("pointerdown", close);
    return () => document.removeEventListener("pointerdown", close);
  }, [isOpen]);
  return html`<div class="menu" ref=${element} onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape" || !isOpen) return;
      setOpen(false);
      element.current.querySelector("button").focus();
    }} onFocusOut=${(/** @type {FocusEvent} */ event) => { if (event.relatedTarget && !element.current.contains(event.relatedTarget)) setOpen(false); }}>
    <button type="button" class="button" aria-expanded=${isOpen ? "true" : "false"} aria-controls=${id} onClick=${() => setOpen(!isOpen)}>${label}<${Icon} name="down" size=${14} /></button>
    <div class="items" id=${id} hidden=${!isOpen} onClick=${() => setOpen(false)}>${children}</div></div>`;
}

/** @typedef {{ label: import("../texts.js").Key, count?: number, unit?: string, link?: string, detail?: string, shape?: import("./icons.js").Shape }} Figure `shape`: that of a state. */

/**
 * Figures, each of which may lead to the list of what it counts.
 * @param {{ label: string, list: Figure[] }} props
 */
export function Figures({ label, list }) {
  return html`<ul class="tiles card figures" aria-label=${label}>${list.map(figure => {
    const content = html`<small>${t(figure.label)}</small><b class=${figure.shape ?? ""}>${figure.shape && html`<${Shape} shape=${figure.shape} />`}${figure.count === undefined ? "–" : number(figure.count)}${figure.unit && `\u00a0${figure.unit}`}</b>`;
    return html`<li class="tile" key=${figure.label}>${figure.link ? html`<a href=${figure.link}>${content}</a>` : content}<span class="soft small">${figure.detail}</span></li>`;
  })}</ul>`;
}
