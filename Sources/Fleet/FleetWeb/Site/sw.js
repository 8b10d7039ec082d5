// The service worker. It keeps the app's own files, so that its pages open without a network. It keeps no answers of the API:
// a page shows data that the server has just sent, or says that there is no network.
// scripts/web.py writes the list of files and the version.
// It also shows push messages, and opens the page of their thing when a person clicks them.
const VERSION = "development";
/** @type {string[]} */
const FILES = [];
const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

worker.addEventListener("install", event => {
  event.waitUntil((async () => {
    const cache = await caches.open(VERSION);
    await cache.addAll(["/", ...FILES]);
    await worker.skipWaiting();
  })());
});

worker.addEventListener("activate", event => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name !== VERSION) await caches.delete(name);
    await worker.clients.claim();
  })());
});

worker.addEventListener("fetch", event => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin || url.pathname.startsWith("/api/")) return;
  if (request.mode === "navigate") {
    // Use the server's page if there is a network, otherwise the stored copy.
    event.respondWith(fetch(request).catch(async () => (await caches.match("/")) ?? Response.error()));
  } else if (url.pathname.startsWith("/assets/")) {
    // The name of a file contains the hash of its content, so a stored copy is never outdated.
    event.respondWith((async () => (await caches.match(request)) ?? fetch(request))());
  }
});

// The pages of the things that messages are about. Other things have no page of their own.
/** @type {Record<string, string>} */
const PAGES = {
  journey: "journeys", inspection: "inspections", document: "documents", driver: "drivers", defect: "defects",
  maintenanceRecord: "maintenance-records", serviceSchedule: "service-schedules", assignment: "assignments",
};

worker.addEventListener("push", event => {
  const message = event.data?.json() ?? {};
  const page = PAGES[message.kind];
  event.waitUntil(worker.registration.showNotification(message.title ?? "", {
    body: message.body ?? "", tag: message.thing,
    data: { url: page && message.thing ? `/${page}/${encodeURIComponent(message.thing)}` : "/notifications" },
  }));
});

worker.addEventListener("notificationclick", event => {
  event.notification.close();
  const { url } = event.notification.data;
  event.waitUntil((async () => {
    const [open] = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
    if (!open) return worker.clients.openWindow(url);
    await open.focus();
    // The page may be of an older version that this worker does not control; then it opens in a new window.
    return open.navigate(url).catch(() => worker.clients.openWindow(url));
  })());
});
