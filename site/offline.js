// The service worker of the site: what a page has fetched is there without a network, too. Files whose name has a digest of
// their content come from what is kept; all others come from the network if it answers.
const worker = /** @type {any} a ServiceWorkerGlobalScope */ (self);
const digest = /\.[0-9a-f]{12}(\.wasm|\.a)?\.gz$/;
const opened = () => caches.open(cacheName);

/** The cache, which only this file writes: programs of cells have no way to it. Another one is of an older site. */
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

/** keep keeps an answer. @param {Cache} cache @param {Request} request @param {Response} response */
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

/** answer gives a file. @param {any} e @param {Request} request @param {boolean} lasts its content never changes */
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

// A page tells what it fetched before this worker was there.
worker.addEventListener("message", (/** @type {any} */ e) => e.waitUntil((async () => {
  const cache = await opened();
  for (const url of e.data) {
    if (new URL(url).origin === location.origin && !(await cache.match(url))) {
      const request = new Request(url, { cache: "force-cache" });
      await fetch(request).then(response => keep(cache, request, response), () => {});
    }
  }
})()));
