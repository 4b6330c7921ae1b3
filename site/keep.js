/**
 * keepOffline starts the service worker, which keeps what the page has fetched, so that the next visit needs no network. Its
 * promise resolves when the worker sees what the page fetches, or cannot.
 * @param {string[]} [more] addresses of this site to keep, too
 */
export const keepOffline = async (more = []) => {
  if (!("serviceWorker" in navigator)) {
    return;
  }
  try {
    await navigator.serviceWorker.register(new URL("./offline.js", import.meta.url));
    const { active } = await Promise.race([navigator.serviceWorker.ready, new Promise(done => setTimeout(done, 3000, {}))]);
    // A request that the page's policy blocked is an entry, too, without a status; the worker, which the policy does not bind,
    // must not make it.
    const entries = /** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByType("resource"));
    active?.postMessage([location.href, ...more, ...entries.filter(r => r.responseStatus !== 0).map(r => r.name)]);
  } catch (error) {
    console.info("This page will not be available offline:", error);
  }
};
