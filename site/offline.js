// The service worker of the site: files that a page has fetched remain available offline. Files with a digest of their
// content in the name are served from the cache; all others come from the network, or from the cache if it fails.
const worker = /** @type {any} a ServiceWorkerGlobalScope */ (self);
const digest = /\.[0-9a-f]{12}(\.wasm|\.a)?\.gz$/;
const opened = () => caches.open(cacheName);

/** The cache, which only this file writes; programs of cells cannot reach it. Other caches belong to older versions of the site. */
const cacheName = "mpcvm-2";

worker.addEventListener("install", () => void worker.skipWaiting());
worker.addEventListener("activate", (/** @type {any} */ e) => e.waitUntil((async () => {
  for (const name of await caches.keys()) {
    if (name.startsWith("mpcvm") && name !== cacheName) {
      await caches.delete(name);
    }
  }
  await worker.clients.claim();
})()));

/** keep stores a response. @param {Cache} cache @param {Request} request @param {Response} response */
const keep = async (cache, request, response) => {
  if (response.ok && response.type === "basic") {
    await cache.put(request, response);
  }
};

worker.addEventListener("fetch", (/** @type {any} */ e) => {
  const { request } = e, url = new URL(request.url);
  if (request.method === "GET" && url.origin === location.origin) {
    e.respondWith(answer(e, request, digest.test(url.pathname)));
  }
});

/** answer returns a file. @param {any} e @param {Request} request @param {boolean} lasts whether its content never changes */
const answer = async (e, request, lasts) => {
  const cache = await opened();
  const there = () => cache.match(request, { ignoreSearch: request.mode === "navigate" });
  const kept = lasts && (await there());
  if (kept) {
    return kept;
  }
  try {
    const response = await fetch(request);
    e.waitUntil(keep(cache, request, response.clone()));
    return response;
  } catch (error) {
    const kept = await there();
    if (kept) {
      return kept;
    }
    throw error;
  }
};

// A page sends the addresses that it fetched before this worker was active.
worker.addEventListener("message", (/** @type {any} */ e) => e.waitUntil((async () => {
  const cache = await opened();
  for (const url of e.data) {
    if (new URL(url).origin === location.origin && !(await cache.match(url))) {
      const request = new Request(url, { cache: "force-cache" });
      await fetch(request).then(response => keep(cache, request, response), () => {});
    }
  }
})()));
