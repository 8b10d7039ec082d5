// The service worker. It keeps the app's own files, so that its pages open without a network. It keeps no answers of the API:
// a page shows data that the server has just sent, or says that there is no network.
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
    // Use the server's page if there is a network, otherwise the stored copy.
    event.respondWith(fetch(request).catch(async () => (await caches.match("/")) ?? Response.error()));
  } else if (url.pathname.startsWith("/assets/")) {
    // The name of a file contains the hash of its content, so a stored copy is never outdated.
    event.respondWith((async () => (await caches.match(request)) ?? fetch(request))());
  }
});
