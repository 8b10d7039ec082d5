// The service worker: keeps the app's own files, so that its pages open without a network. It never answers for the
// API: what a page shows of the fleet is as new as its request, or the page says that there is no network.
// scripts/web.py writes the list of files and the version.
const VERSION = "development";
const FILES = [];

self.addEventListener("install", event => {
  event.waitUntil((async () => {
    const cache = await caches.open(VERSION);
    await cache.addAll(["/", ...FILES]);
    await self.skipWaiting();
  })());
});

self.addEventListener("activate", event => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name !== VERSION) await caches.delete(name);
    await self.clients.claim();
  })());
});

self.addEventListener("fetch", event => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin || url.pathname.startsWith("/api/")) return;
  if (request.mode === "navigate") {
    // The newest page if there is a network; its own copy otherwise.
    event.respondWith(fetch(request).catch(async () => (await caches.match("/")) ?? Response.error()));
  } else if (url.pathname.startsWith("/assets/")) {
    // A name contains the hash of its content, so a copy is never old.
    event.respondWith((async () => (await caches.match(request)) ?? fetch(request))());
  }
});
