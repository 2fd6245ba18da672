// The service worker of the site: what a reader opened and made live works without a network afterwards.
// The files of Python lie in a folder that is named after their content, so a stored one is never out of date;
// everything else is asked for first, and the stored one is for a reader without a network.
const CACHE = "tokenlab", PYTHON = "/_live/";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

// A page that becomes live names the files that it and its Python have loaded; the first one of Python is its worker.
self.addEventListener("message", (event) => {
  const { page, python } = event.data, [worker] = python;
  const ours = [...page, ...python].filter((address) => new URL(address).origin === location.origin);
  event.waitUntil(keep(new Set(ours), worker.slice(0, worker.lastIndexOf("/"))));
});

async function keep(addresses, folder) {
  const cache = await caches.open(CACHE);
  await Promise.allSettled([...addresses].map((address) => cache.add(address)));
  for (const { url } of await cache.keys()) {
    if (url.includes(PYTHON) && !url.startsWith(folder)) await cache.delete(url);
  }
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && new URL(request.url).origin === location.origin) event.respondWith(answer(request));
});

async function answer(request) {
  const cache = await caches.open(CACHE);
  const stored = await cache.match(request);
  if (stored && request.url.includes(PYTHON)) return stored;
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    if (stored) return stored;
    throw error;
  }
}
