/** Push messages to this browser. */
import { get, post } from "./api.js";

/** Whether this browser can receive push messages. Some browsers can do so only for an installed app. */
export function canReceivePush() {
  return "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
}

/** The subscription of this browser; `null` if there is none. */
export async function currentSubscription() {
  if (!canReceivePush()) return null;
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** Subscribes this browser, and sends its address and keys to the server. The person must have allowed notifications. */
export async function subscribe() {
  const { key } = await get("/api/push-key");
  const { pushManager } = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: key };
  let subscription;
  try {
    subscription = await pushManager.subscribe(options);
  } catch (error) {
    // The browser has a subscription with the key of another server.
    if (/** @type {Error} */ (error).name !== "InvalidStateError") throw error;
    await unsubscribe();
    subscription = await pushManager.subscribe(options);
  }
  await post("/api/push-subscriptions", subscription.toJSON());
}

/** Ends the subscription of this browser. */
export async function unsubscribe() {
  await (await currentSubscription())?.unsubscribe();
}
