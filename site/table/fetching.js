// The script of the page that fetches a table from another server for remote.js. It runs in a frame with an opaque origin,
// so it has access to neither the tables that are open nor the storage of this site. It never gets anything but an address, and
// only from a page that is not in a frame, so that nothing in the frame of a report can send data with it.
addEventListener("message", async ({ source, data }) => {
  if (source !== parent || parent !== top) return;
  try {
    const response = await fetch(data, { credentials: "omit", referrerPolicy: "no-referrer", redirect: "error" });
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`.trim());
    const bytes = await response.arrayBuffer();
    parent.postMessage({ bytes }, "*", [bytes]);
  } catch (error) {
    parent.postMessage({ error: error instanceof TypeError ? "" : String(error instanceof Error ? error.message : error) }, "*");
  }
});
