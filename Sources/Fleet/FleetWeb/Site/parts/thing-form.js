/**
 * The form of a new thing or of a change.
 *
 * @typedef {import("./things.js").Kind} Kind
 */
import { html, useState } from "../lib/preact.js";
import { newId, pathOf, request } from "../api.js";
import { send, submit, waiting } from "../queue.js";
import { go, to } from "../router.js";
import { may, tell } from "../state.js";
import { t } from "../texts.js";
import { useChanges } from "./changes.js";
import { Form } from "./form.js";
import { changesOf, isNews, keepSecret, pathTo, versionOf } from "./things.js";
import { Loading, Title, Trouble, isLost, useLoad } from "./ui.js";
import { nested, withoutEmpty } from "./values.js";

/**
 * The body of a change. An object that has lost all its members is removed.
 * @param {Record<string, any>} values those of all fields
 * @param {string[]} changed
 */
function changeOf(values, changed) {
  const body = nested(Object.fromEntries(changed.map(name => [name, values[name] ?? null])));
  const whole = nested(values);
  for (const [name, value] of Object.entries(body)) {
    const members = whole[name];
    const isObject = value && typeof value === "object" && changed.some(field => field.startsWith(name + "."));
    if (isObject && Object.values(members).every(member => member === null)) body[name] = null;
  }
  return body;
}

/** @param {{ kind: Kind, id?: string, start?: Record<string, any>, draft?: string }} props Without an id, a new thing is made. `draft`: the key of the draft. */
export function ThingForm({ kind, id, start, draft = `${kind.id} ${id ?? "new"}` }) {
  const [made] = useState(newId);
  const thing = useLoad(async signal => (id ? request("GET", pathTo(kind, id), { signal }) : null), [kind.id, id]);
  /** The version that another person has stored while the form was open; without a value if the thing was removed. */
  const [newer, setNewer] = useState(/** @type {{ value: any, tag: string | null } | null} */ (null));
  useChanges(id ? changesOf(kind) : [], async () => {
    try {
      const found = await request("GET", pathTo(kind, String(id)));
      // Without news, nothing is drawn again while the person types.
      if (versionOf(found.tag) > versionOf(thing.value?.tag)) setNewer(found);
    } catch (error) {
      if (!isLost(error)) throw error;
      setNewer({ value: null, tag: null });
    }
  }, change => isNews(kind, String(id), thing.value?.tag, change));
  const link = kind.link ?? ((/** @type {any} */ thing) => to(kind.id, thing.id));
  const back = id && thing.value && !kind.isSingle ? link(thing.value.value) : "/" + kind.id;
  const above = html`<a href=${"/" + kind.id}>${t(kind.title)}</a>`;
  if (id && !thing.value) {
    return html`<div class="page narrow"><${Title} above=${above} title="…" />${thing.error ? html`<${Trouble} error=${thing.error} retry=${thing.reload} />` : html`<${Loading} />`}</div>`;
  }
  const shaped = (/** @type {any} */ value) => value && (kind.edited?.(value) ?? value);
  const present = shaped(thing.value?.value);
  const isNewer = newer && (!newer.value || versionOf(newer.tag) > versionOf(thing.value?.tag));
  // Drivers return to the page from which they came. Others see the thing that they have saved.
  const isDriver = may("vehicles") === "own";
  const fields = kind.fields.filter(field => !field.isRead && !(id && field.isFixed) && !(isDriver && field.of === "driver"));
  const save = async (/** @type {Record<string, any>} */ values, /** @type {string[]} */ changed) => {
    if (id) {
      const { value, tag } = /** @type {any} */ (thing.value);
      const body = changeOf(values, changed);
      if ("quantity" in body && values.unit) body.unit = values.unit;
      if (changed.length > 0) {
        // The server accepts only files that have arrived.
        if (waiting().some(entry => entry.blob && !entry.reason)) await send();
        try {
          await request("PATCH", pathTo(kind, id), { body, headers: { "If-Match": tag } });
        } catch (error) {
          // The next attempt changes the present version of the thing. The form shows the changes of others.
          if (/** @type {any} */ (error).conflicts?.length) thing.set({ value, tag: (await request("GET", pathTo(kind, id))).tag });
          throw error;
        }
      }
      tell(t("saved"));
      go(back);
    } else {
      // The client chooses the id, so that a request that is sent twice creates only one thing.
      const body = withoutEmpty(nested(values));
      const name = kind.id === "vehicles" ? values.id : made;
      delete body.id;
      const path = pathOf(kind.path, name), headers = { "If-None-Match": "*" };
      // Neither a secret that was entered nor one that the server makes is stored in the browser.
      const isSecret = kind.secret || kind.fields.some(field => field.kind === "secret");
      const answer = isSecret ? await request("PUT", path, { body, headers }) : await submit({ method: "PUT", path, body, headers, label: t(/** @type {any} */ (kind.add)) });
      keepSecret(kind, name, answer?.value);
      if (answer) tell(t("saved"));
      go(!answer || (isDriver && !kind.secret) ? "/mine" : link({ ...answer.value, id: name }), { replace: true });
    }
  };
  return html`<div class="page narrow"><${Title} above=${above} title=${id ? kind.name(present) : t(/** @type {any} */ (kind.add))} />
    <section class="card padded"><${Form} fields=${fields} thing=${present} given=${start} draft=${draft} action=${t("action.save")}
      newer=${isNewer ? { thing: shaped(newer.value), adopt: () => thing.set(newer) } : null} onCancel=${() => go(back)} onSave=${save} /></section></div>`;
}
