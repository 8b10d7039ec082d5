/** Links to pages that belong together. */
import { html, useEffect, useRef } from "../lib/preact.js";
import { may } from "../state.js";
import { t } from "../texts.js";

/**
 * Links to pages that belong together.
 * @param {{ list?: [string, import("../texts.js").Key, string][], at: string }} props each with its address, its text, and its area.
 */
export function Pages({ list = [], at }) {
  const element = useRef(/** @type {any} */ (null));
  useEffect(() => {
    // On a phone, not all fit. Show the present one.
    const nav = element.current, present = nav?.querySelector("[aria-current]");
    if (present) nav.scrollLeft = present.offsetLeft - nav.offsetLeft - (nav.clientWidth - present.offsetWidth) / 2;
  }, [at]);
  const shown = list.filter(([, , area]) => may(area));
  if (shown.length < 2) return null;
  return html`<nav class="tabs" ref=${element} aria-label=${t("nav.pages")}>${shown.map(([address, label]) => html`<a href=${address} aria-current=${address === at ? "page" : undefined}>${t(label)}</a>`)}</nav>`;
}
