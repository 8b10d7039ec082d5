/** All pages that need no session: sign-in with password, second factor or passkey, recovery, set-up links, and the demo. */
import { html, useEffect, useRef, useState } from "../lib/preact.js";
import { RequestError, get, post } from "../api.js";
import { Icon } from "../parts/icons.js";
import { errorText } from "../parts/ui.js";
import { go } from "../router.js";
import { t } from "../texts.js";

/** @typedef {{ place: import("../router.js").Place, isEnded: boolean, onSignedIn: (session: any) => void }} Props */

/** @param {Props} props */
export default function SignIn({ place, isEnded, onSignedIn }) {
  switch (place.parts[0]) {
    case "recover": return html`<${Recover} />`;
    case "setup": case "reset": return html`<${SetUp} isReset=${place.parts[0] === "reset"} onSignedIn=${onSignedIn} />`;
    case "demo": return html`<${Demo} onSignedIn=${onSignedIn} />`;
    default: return html`<${Password} isEnded=${isEnded} onSignedIn=${onSignedIn} />`;
  }
}

/** @param {{ title: string, children?: any }} props */
function Alone({ title, children }) {
  return html`<main class="alone" id="main"><div class="brand"><svg width="26" height="26" viewBox="0 0 24 24" fill="none" stroke="var(--accent)" stroke-width="2.5" stroke-linecap="round" aria-hidden="true"><path d="M4 17a9 9 0 1 1 16 0"/><path d="m12 14 4-5"/></svg>Fleet</div>
    <section class="card padded"><h1>${title}</h1>${children}</section></main>`;
}

/** @param {{ text: string | null }} props */
function Fault({ text }) {
  const element = useRef(/** @type {any} */ (null));
  useEffect(() => { if (text) element.current?.focus(); }, [text]);
  return text && html`<p class="summary" role="alert" tabindex="-1" ref=${element}>${text}</p>`;
}

/**
 * @param {{ name: string, label: string, type?: string, complete: string, hint?: string, value: string, onInput: (value: string) => void,
 *   mode?: string, isFirst?: boolean }} props
 */
function Line({ name, label, type = "text", complete, hint, value, onInput, mode, isFirst }) {
  const element = useRef(/** @type {any} */ (null));
  useEffect(() => { if (isFirst) element.current?.focus(); }, []);
  return html`<div class="field"><label for=${name}>${label}</label>${hint && html`<p class="hint" id=${name + "-hint"}>${hint}</p>`}
    <input id=${name} name=${name} type=${type} autocomplete=${complete} inputmode=${mode} required value=${value} ref=${element} aria-describedby=${hint ? name + "-hint" : undefined}
      onInput=${(/** @type {any} */ event) => onInput(event.target.value)} /></div>`;
}

/** @param {{ isEnded: boolean, onSignedIn: (session: any) => void }} props */
function Password({ isEnded, onSignedIn }) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [step, setStep] = useState(/** @type {any} */ (null));
  const [fault, setFault] = useState(/** @type {string | null} */ (null));
  const [isBusy, setBusy] = useState(false);
  const [providers, setProviders] = useState(/** @type {any[]} */ ([]));
  useEffect(() => { get("/api/auth/oidc").then(list => setProviders(list.data), () => {}); }, []);
  const attempt = async (/** @type {() => Promise<void>} */ action, /** @type {(error: any) => string} */ say = errorText) => {
    setBusy(true);
    setFault(null);
    try { await action(); } catch (error) { setFault(say(error)); }
    setBusy(false);
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    attempt(async () => {
      const answer = await post("/api/auth/login", { email, password });
      if (answer.next === "factor") setStep(answer);
      // The account has lost its second factor, and the password is too short without one.
      else if (answer.next === "newPassword") go("/reset#" + answer.token);
      else onSignedIn(answer);
    }, error => error.status === 401 ? t("signIn.wrong") : error.code === "insecureTransport" ? t("signIn.insecure") : errorText(error));
  };
  const passkey = () => attempt(async () => {
    const { publicKey } = await post("/api/auth/passkeys/assertion", {});
    const credential = /** @type {any} */ (await navigator.credentials.get({
      publicKey: /** @type {any} */ (window).PublicKeyCredential.parseRequestOptionsFromJSON(publicKey),
    }));
    onSignedIn(await post("/api/auth/passkeys/login", { credential: credential.toJSON() }));
  });
  if (step) return html`<${Factor} step=${step} onSignedIn=${onSignedIn} onEnd=${() => { setStep(null); setFault(t("factor.ended")); }} />`;
  const returnTo = encodeURIComponent("/signed-in");
  return html`<${Alone} title=${t("signIn.title")}>${isEnded && !fault && html`<p class="soft" role="status">${t("signIn.ended")}</p>`}
    <form class="form" onSubmit=${submit}><${Fault} text=${fault} />
      <${Line} name="email" type="email" label=${t("signIn.email")} complete="username" value=${email} onInput=${setEmail} isFirst=${true} />
      <${Line} name="password" type="password" label=${t("signIn.password")} complete="current-password" value=${password} onInput=${setPassword} />
      <button class="button primary large" disabled=${isBusy}>${isBusy ? t("action.busy") : t("signIn.action")}</button></form>
    <p><a href="/recover">${t("signIn.forgot")}</a></p>
    <div class="others"><button type="button" class="button large" onClick=${passkey} disabled=${isBusy}><${Icon} name="key" />${t("signIn.passkey")}</button>
      ${providers.map(provider => html`<a class="button large" target="_self" href=${`/api/auth/oidc/${encodeURIComponent(provider.id)}?returnTo=${returnTo}`}>${t("signIn.with", { name: provider.name })}</a>`)}</div></${Alone}>`;
}

/** @param {{ step: any, onSignedIn: (session: any) => void, onEnd: () => void }} props */
function Factor({ step, onSignedIn, onEnd }) {
  const [code, setCode] = useState("");
  const [kind, setKind] = useState("totp");
  const [fault, setFault] = useState(/** @type {string | null} */ (null));
  const [note, setNote] = useState("");
  const hasMail = step.factors.some((/** @type {any} */ factor) => factor.kind === "emailCode");
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setFault(null);
    try {
      const plain = code.replace(/\s/g, "");
      const isRecovery = !/^\d{6,8}$/.test(plain);
      onSignedIn(await post("/api/auth/factor", { ticket: step.ticket, code: plain, ...(isRecovery ? { kind: "recoveryCodes" } : kind === "totp" ? {} : { kind }) }));
    } catch (error) {
      if (error instanceof RequestError && error.code === "unknownTicket") onEnd();
      else setFault(error instanceof RequestError && error.status === 401 ? t("factor.wrong") : errorText(/** @type {Error} */ (error)));
    }
  };
  const mail = async () => {
    try {
      await post("/api/auth/factor/code", { ticket: step.ticket });
      setKind("emailCode");
      setNote(t("factor.mailed"));
    } catch (error) { setFault(errorText(/** @type {Error} */ (error))); }
  };
  return html`<${Alone} title=${t("factor.title")}><form class="form" onSubmit=${submit}><${Fault} text=${fault} />
    ${note && html`<p role="status">${note}</p>`}
    <${Line} name="code" label=${t("factor.code")} hint=${t("factor.help")} complete="one-time-code" value=${code} onInput=${setCode} isFirst=${true} />
    <button class="button primary large">${t("action.continue")}</button></form>
    ${hasMail && html`<p><button type="button" class="button large" onClick=${mail}>${t("factor.mail")}</button></p>`}</${Alone}>`;
}

function Recover() {
  const [email, setEmail] = useState("");
  const [isSent, setSent] = useState(false);
  const [fault, setFault] = useState(/** @type {string | null} */ (null));
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setFault(null);
    try {
      await post("/api/auth/recover", { email });
      setSent(true);
    } catch (error) { setFault(errorText(/** @type {Error} */ (error))); }
  };
  return html`<${Alone} title=${t("recover.title")}>${isSent ? html`<p role="status">${t("recover.sent")}</p>`
    : html`<p class="soft">${t("recover.help")}</p><form class="form" onSubmit=${submit}><${Fault} text=${fault} />
      <${Line} name="email" type="email" label=${t("signIn.email")} complete="username" value=${email} onInput=${setEmail} isFirst=${true} />
      <button class="button primary large">${t("recover.action")}</button></form>`}
    <p><a href="/sign-in">${t("recover.back")}</a></p></${Alone}>`;
}

/** @param {{ isReset: boolean, onSignedIn: (session: any) => void }} props */
function SetUp({ isReset, onSignedIn }) {
  // The fragment of an address is never sent to a server.
  const [token] = useState(() => location.hash.slice(1));
  const [isFirst, setFirst] = useState(false);
  const [values, setValues] = useState({ password: "", email: "", firstName: "", lastName: "" });
  const [fault, setFault] = useState(/** @type {string | null} */ (null));
  const set = (/** @type {string} */ name) => (/** @type {string} */ value) => setValues((/** @type {any} */ old) => ({ ...old, [name]: value }));
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setFault(null);
    const { password, ...person } = values;
    try {
      const answer = await post(isReset ? "/api/auth/reset" : "/api/auth/setup", { token, password, ...(isFirst ? person : {}) });
      go(answer?.person ? "/" : "/sign-in", { replace: true });
      if (answer?.person) onSignedIn(answer);
    } catch (error) {
      if (error instanceof RequestError && error.fields.some(field => field.path === "email")) setFirst(true);
      setFault(errorText(/** @type {Error} */ (error)));
    }
  };
  if (!token) return html`<${Alone} title=${t("setup.title")}><p role="alert">${t("setup.noLink")}</p><p><a href="/sign-in">${t("recover.back")}</a></p></${Alone}>`;
  return html`<${Alone} title=${t(isReset ? "recover.title" : "setup.title")}><p class="soft">${t("setup.help")}</p>
    <form class="form" onSubmit=${submit}><${Fault} text=${fault} />
      ${isFirst && html`<${Line} name="email" type="email" label=${t("signIn.email")} complete="username" value=${values.email} onInput=${set("email")} />
        <${Line} name="firstName" label=${t("field.firstName")} complete="given-name" value=${values.firstName} onInput=${set("firstName")} />
        <${Line} name="lastName" label=${t("field.lastName")} complete="family-name" value=${values.lastName} onInput=${set("lastName")} />`}
      <${Line} name="password" type="password" label=${t("setup.password")} hint=${t("setup.passwordHint")} complete="new-password" value=${values.password} onInput=${set("password")} isFirst=${true} />
      ${!isReset && html`<label class="check"><input type="checkbox" checked=${isFirst} onChange=${(/** @type {any} */ event) => setFirst(event.target.checked)} /><span>${t("setup.first")}</span></label>`}
      <button class="button primary large">${t("setup.action")}</button></form></${Alone}>`;
}

/**
 * The demo of `make run`: its address contains the accounts that the program has just created. They are valid only while it
 * runs, and only on this machine.
 * @param {{ onSignedIn: (session: any) => void }} props
 */
function Demo({ onSignedIn }) {
  const [accounts] = useState(() => {
    try {
      return /** @type {Record<string, { email: string, password: string }>} */ (JSON.parse(atob(location.hash.slice(1))));
    } catch { return {}; }
  });
  const [fault, setFault] = useState(/** @type {string | null} */ (null));
  const roles = ["admin", "maintenance", "driver", "viewer"].filter(role => accounts[role]);
  const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(location.hostname);
  const enter = async (/** @type {string} */ role) => {
    setFault(null);
    try {
      const answer = await post("/api/auth/login", accounts[role]);
      go("/", { replace: true });
      onSignedIn(answer);
    } catch (error) { setFault(errorText(/** @type {Error} */ (error))); }
  };
  return html`<${Alone} title=${t("demo.title")}>${roles.length === 0 || !isHere ? html`<p role="alert">${t("demo.none")}</p>`
    : html`<p class="soft">${t("demo.help")}</p><${Fault} text=${fault} /><div class="choices">
      ${roles.map(role => html`<button type="button" class="choice" onClick=${() => enter(role)} data-role=${role}><${Icon} name=${{ admin: "live", maintenance: "service", driver: "vehicle", viewer: "report" }[role]} size=${22} />
        <span><b>${t("demo." + role)}</b><span class="soft small">${t(`demo.${role}Help`)}</span></span></button>`)}</div>`}</${Alone}>`;
}
