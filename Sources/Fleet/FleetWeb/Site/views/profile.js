/** The person's own account: name, language, password, second factors, sessions, and signing out. */
import { html, useState } from "../lib/preact.js";
import { RequestError, get, pathOf, post, request } from "../api.js";
import { nearText } from "../format.js";
import { Form } from "../parts/form.js";
import { Icon } from "../parts/icons.js";
import { Sessions, browserName } from "../parts/sessions.js";
import { Dialog, Loading, Secret, Title, Trouble, useLoad, useQuestion } from "../parts/ui.js";
import { canReceivePush, currentSubscription, subscribe, unsubscribe } from "../push.js";
import { go } from "../router.js";
import { currentSession, setSession, tell } from "../state.js";
import { language, setLanguage, t } from "../texts.js";

/**
 * Runs an action that requires a recent sign-in. If the last sign-in was too long ago, asks for the password.
 * @returns {[any, (action: () => Promise<void>) => Promise<void>]}
 */
function useConfirmed() {
  const [waiting, setWaiting] = useState(/** @type {{ run: () => Promise<void> } | null} */ (null));
  const run = async (/** @type {() => Promise<void>} */ action) => {
    try {
      await action();
    } catch (error) {
      if (error instanceof RequestError && error.code === "signInAgain") setWaiting({ run: action });
      else throw error;
    }
  };
  const dialog = waiting && html`<${Dialog} title=${t("profile.confirm")} onClose=${() => setWaiting(null)}><${PasswordForm} onSave=${async (/** @type {string} */ password) => {
    await post("/api/auth/confirm", { password });
    await waiting.run();
    setWaiting(null);
  }} /></${Dialog}>`;
  return [dialog, run];
}

/** @param {{ onSave: (password: string) => Promise<void> }} props */
function PasswordForm({ onSave }) {
  const [password, setPassword] = useState("");
  const [error, setError] = useState(/** @type {any} */ (null));
  return html`<form class="form" onSubmit=${async (/** @type {Event} */ event) => {
    event.preventDefault();
    try { await onSave(password); } catch (failure) { setError(failure); }
  }}>${error && html`<${Trouble} error=${error} />`}<div class="field"><label for="confirm-password">${t("signIn.password")}</label>
    <input id="confirm-password" type="password" autocomplete="current-password" required value=${password} onInput=${(/** @type {any} */ event) => setPassword(event.target.value)} /></div>
    <div class="actions"><button class="button primary">${t("action.continue")}</button></div></form>`;
}

export default function Profile() {
  const session = currentSession();
  const person = useLoad(signal => request("GET", pathOf("/api/people", session?.person.id ?? ""), { signal }), []);
  const signOut = async () => {
    const answer = await post("/api/auth/logout").catch(() => null);
    setSession(null);
    if (answer?.url) location.assign(answer.url);
    else go("/", { replace: true });
  };
  const save = async (/** @type {Record<string, any>} */ values, /** @type {string[]} */ changed) => {
    const body = Object.fromEntries(changed.map(name => [name, values[name]]));
    if (changed.length > 0) {
      const answer = await request("PATCH", pathOf("/api/people", session?.person.id ?? ""), { body, headers: { "If-Match": person.value?.tag ?? "*" } });
      person.set(answer);
      if (session) setSession({ ...session, person: { ...session.person, ...answer.value } });
      if (values.locale) setLanguage(values.locale);
    }
    tell(t("saved"));
  };
  return html`<div class="page narrow"><${Title} title=${t("profile.title")} beside=${html`<span class="soft">${session?.person.email}</span>`}>
      <button type="button" class="button" onClick=${signOut}>${t("nav.signOut")}</button></${Title}>
    <section class="card"><header><h2>${t("profile.person")}</h2></header><div class="padded">
      ${person.error ? html`<${Trouble} error=${person.error} retry=${person.reload} />` : !person.value ? html`<${Loading} />`
        : html`<${Form} key=${person.value.tag + language()} thing=${person.value.value} draft="profile" action=${t("action.save")} onSave=${save} fields=${[
          { name: "firstName", label: "field.firstName", kind: "text", required: true },
          { name: "lastName", label: "field.lastName", kind: "text", required: true },
          { name: "locale", label: "field.locale", kind: "choice", texts: "locale", choices: ["en", "de"] },
          { name: "units", label: "field.units", kind: "choice", texts: "units", choices: ["metric", "imperial"], required: true },
          { name: "timeZone", label: "field.timeZone", kind: "text", hint: "field.timeZoneHint" },
        ]} />`}</div></section>
    <${PushMessages} /><${Password} /><${Factors} /><${Identities} /><${Sessions} personId=${currentSession()?.person.id} /></div>`;
}

/** Push messages to this browser, and the other browsers that get them. */
function PushMessages() {
  const subscriptions = useLoad(() => get("/api/push-subscriptions"), []);
  const here = useLoad(currentSubscription, []);
  const [error, setError] = useState(/** @type {any} */ (null));
  const [isBusy, setBusy] = useState(false);
  const session = currentSession();
  const list = subscriptions.value?.data ?? [];
  const isOn = Boolean(here.value) && list.some((/** @type {any} */ entry) => entry.sessionId === session?.sessionId);
  const change = async (/** @type {() => Promise<void>} */ action) => {
    setError(null);
    setBusy(true);
    try {
      await action();
    } catch (failure) { setError(failure); }
    setBusy(false);
    subscriptions.reload();
    here.reload();
  };
  const turnOn = () => change(async () => {
    // The browser asks the person only after a click.
    if (await Notification.requestPermission() !== "granted") throw new RequestError(403, { message: t("push.denied") });
    await subscribe();
    tell(t("push.isOn"));
  });
  const turnOff = (/** @type {any} */ entry) => change(async () => {
    await request("DELETE", pathOf("/api/push-subscriptions", entry.id));
    if (entry.sessionId === session?.sessionId) await unsubscribe();
  });
  return html`<section class="card"><header><h2>${t("push.title")}</h2>${canReceivePush() && !isOn && html`<div class="end controls">
      <button type="button" class="button" disabled=${isBusy} onClick=${turnOn}><${Icon} name="notice" size=${16} />${t("push.turnOn")}</button></div>`}</header>
    ${error && html`<${Trouble} error=${error} />`}
    ${subscriptions.error ? html`<${Trouble} error=${subscriptions.error} retry=${subscriptions.reload} />`
      : list.length === 0 ? html`<p class="quiet soft">${t(canReceivePush() ? "push.none" : "push.impossible")}</p>`
      : html`<ul class="links">${list.map((/** @type {any} */ entry) => html`<li key=${entry.id}><span><b>${browserName(entry.client)}</b> <span class="soft small">${[entry.sessionId === session?.sessionId ? t("push.here") : "", entry.lastSentAt ? t("push.lastSent", { time: nearText(entry.lastSentAt) }) : ""].filter(Boolean).join(" · ")}</span></span>
        <button type="button" class="button" disabled=${isBusy} aria-label=${`${t("push.turnOff")}: ${browserName(entry.client)}`} onClick=${() => turnOff(entry)}>${t("push.turnOff")}</button></li>`)}</ul>`}</section>`;
}

/** The accounts at providers with which the person signs in. */
function Identities() {
  const providers = useLoad(() => get("/api/auth/oidc"), []);
  const identities = useLoad(async () => (providers.value?.data.length ? get("/api/identities") : { data: [] }), [providers.value]);
  const [error, setError] = useState(/** @type {any} */ (null));
  const [confirmation, confirmed] = useConfirmed();
  const [dialog, ask] = useQuestion();
  if (!providers.value?.data.length) return null;
  const list = identities.value?.data ?? [];
  const nameOfProvider = (/** @type {any} */ identity) => providers.value?.data.find((/** @type {any} */ provider) => provider.id === identity.provider)?.name ?? identity.provider ?? identity.issuer;
  const link = async (/** @type {any} */ provider) => {
    setError(null);
    try {
      await confirmed(async () => { location.assign((await post(pathOf("/api/auth/oidc", provider.id, "link"), { returnTo: "/profile" })).url); });
    } catch (failure) { setError(failure); }
  };
  const unlink = (/** @type {any} */ identity) => ask({
    title: t("profile.unlink"), text: t("profile.unlinkQuestion", { name: nameOfProvider(identity) }), action: t("profile.unlink"), isBad: true,
    run: () => confirmed(async () => { await request("DELETE", pathOf("/api/identities", identity.id)); identities.reload(); }),
  });
  return html`<section class="card"><header><h2>${t("profile.identities")}</h2><div class="end controls">${providers.value.data.map((/** @type {any} */ provider) => html`<button type="button" class="button" onClick=${() => link(provider)}>${t("profile.link", { name: provider.name })}</button>`)}</div></header>
    ${dialog}${confirmation}${error && html`<${Trouble} error=${error} />`}
    ${list.length === 0 ? html`<p class="quiet soft">${t("profile.noIdentities")}</p>` : html`<ul class="links">${list.map((/** @type {any} */ identity) => html`<li key=${identity.id}><span><b>${nameOfProvider(identity)}</b> <span class="soft small">${identity.email ?? ""}</span></span>
      <button type="button" class="button" aria-label=${`${t("profile.unlink")}: ${nameOfProvider(identity)}`} onClick=${() => unlink(identity)}>${t("profile.unlink")}</button></li>`)}</ul>`}</section>`;
}

function Password() {
  const [old, setOld] = useState("");
  const [next, setNext] = useState("");
  const [error, setError] = useState(/** @type {any} */ (null));
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setError(null);
    try {
      await post("/api/auth/password", { password: old, newPassword: next });
      setOld("");
      setNext("");
      tell(t("profile.passwordChanged"));
    } catch (failure) { setError(failure); }
  };
  return html`<section class="card"><header><h2>${t("profile.password")}</h2></header><form class="form padded" onSubmit=${submit}>${error && html`<${Trouble} error=${error} />`}
    <input type="text" class="hidden" autocomplete="username" value=${currentSession()?.person.email ?? ""} tabindex="-1" aria-hidden="true" readonly />
    <div class="fields"><div class="field"><label for="old-password">${t("profile.oldPassword")}</label><input id="old-password" type="password" autocomplete="current-password" value=${old} onInput=${(/** @type {any} */ event) => setOld(event.target.value)} /></div>
    <div class="field"><label for="new-password">${t("profile.newPassword")}</label><input id="new-password" type="password" autocomplete="new-password" value=${next} onInput=${(/** @type {any} */ event) => setNext(event.target.value)} /></div></div>
    <div class="actions"><button type="submit" class="button" disabled=${!old || !next}>${t("profile.password")}</button></div></form></section>`;
}

function Factors() {
  const factors = useLoad(() => get("/api/factors"), []);
  const [adding, setAdding] = useState(/** @type {any} */ (null));
  const [codes, setCodes] = useState(/** @type {string[] | null} */ (null));
  const [code, setCode] = useState("");
  const [error, setError] = useState(/** @type {any} */ (null));
  const [confirmation, confirmed] = useConfirmed();
  const [dialog, ask] = useQuestion();
  const list = (factors.value?.data ?? []).filter((/** @type {any} */ factor) => factor.isConfirmed);
  const add = async () => {
    setError(null);
    try {
      await confirmed(async () => setAdding(await post("/api/factors", { kind: "totp", name: t("factorKind.totp") })));
    } catch (failure) { setError(failure); }
  };
  const addPasskey = async () => {
    setError(null);
    try {
      await confirmed(async () => {
        const { publicKey } = await post("/api/auth/passkeys/registration");
        const credential = /** @type {any} */ (await navigator.credentials.create({
          publicKey: /** @type {any} */ (window).PublicKeyCredential.parseCreationOptionsFromJSON(publicKey),
        }));
        await post("/api/auth/passkeys", { credential: credential.toJSON(), name: browserName(navigator.userAgent) });
        tell(t("profile.passkeyAdded"));
        factors.reload();
      });
    } catch (failure) {
      // The person has closed the browser's dialog, or the device has this account's passkey already.
      const { name } = /** @type {Error} */ (failure);
      if (name === "InvalidStateError") setError(new RequestError(409, { message: t("profile.passkeyThere") }));
      else if (name !== "NotAllowedError") setError(failure);
    }
  };
  const confirm = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      const answer = await post(pathOf("/api/factors", adding.factor.id, "confirm"), { code: code.replace(/\s/g, "") });
      setAdding(null);
      setCode("");
      setCodes(answer.recoveryCodes ?? null);
      factors.reload();
    } catch (failure) { setError(failure); }
  };
  const remove = (/** @type {any} */ factor) => ask({
    title: t("action.remove"), text: t("profile.removeFactor", { name: factor.name }), action: t("action.remove"), isBad: true,
    run: () => confirmed(async () => { await request("DELETE", pathOf("/api/factors", factor.id)); factors.reload(); }),
  });
  return html`<section class="card"><header><h2>${t("profile.factors")}</h2><div class="end controls">${"PublicKeyCredential" in window && html`<button type="button" class="button" onClick=${addPasskey}><${Icon} name="key" size=${16} />${t("profile.addPasskey")}</button>`}
      <button type="button" class="button" onClick=${add}><${Icon} name="plus" size=${16} />${t("profile.addTotp")}</button></div></header>
    ${dialog}${confirmation}
    ${adding && html`<${Dialog} title=${t("profile.addTotp")} onClose=${() => setAdding(null)}><form class="form" onSubmit=${confirm}>${error && html`<${Trouble} error=${error} />`}<p>${t("profile.totpHelp")}</p>
      <${Secret} text=${adding.secret} label=${t("profile.secret")} /><p><a href=${adding.uri} target="_self">${t("factorKind.totp")}</a></p>
      <div class="field"><label for="totp-code">${t("factor.code")}</label><input id="totp-code" inputmode="numeric" autocomplete="one-time-code" required value=${code} onInput=${(/** @type {any} */ event) => setCode(event.target.value)} /></div>
      <div class="actions"><button class="button primary">${t("action.continue")}</button></div></form></${Dialog}>`}
    ${codes && html`<${Dialog} title=${t("factorKind.recoveryCodes")} onClose=${() => setCodes(null)}><p>${t("profile.recoveryCodes")}</p><${Secret} text=${codes.join("\n")} label=${t("factorKind.recoveryCodes")} /></${Dialog}>`}
    ${error && !adding && html`<${Trouble} error=${error} />`}
    ${factors.error ? html`<${Trouble} error=${factors.error} retry=${factors.reload} />` : list.length === 0 ? html`<p class="quiet soft">${t("profile.noFactors")}</p>`
      : html`<ul class="links">${list.map((/** @type {any} */ factor) => html`<li><span><b>${factor.name}</b> <span class="soft small">${[t("factorKind." + factor.kind), factor.lastUsedAt ? t("profile.lastUsed", { time: nearText(factor.lastUsedAt) }) : ""].filter(Boolean).join(" · ")}</span></span>
        <button type="button" class="button" aria-label=${`${t("action.remove")}: ${factor.name}`} onClick=${() => remove(factor)}>${t("action.remove")}</button></li>`)}</ul>`}</section>`;
}
