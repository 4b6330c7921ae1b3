// How many bytes this page has sent since it was opened, and the button that ends all requests.
import { button, el } from "../playground/look.js";

/** What the browser has blocked. @type {Set<string>} */
const blocked = new Set();
/** The files of this site, and the requests that could carry something: to another server, or with a query. @type {Set<string>} */
const files = new Set(), sending = new Set();
const text = el("span");

/** A policy that also refuses the files of this site. It cannot be lifted; a reload starts without it. */
const alone = "default-src data: blob: 'unsafe-inline' 'wasm-unsafe-eval'";
const off = button("Disconnect", async () => {
  await Promise.all([import("../notebook/ipynb.js"), import("../notebook/store.js")]); // for "Open in a notebook"
  document.head.append(el("meta", { "http-equiv": "Content-Security-Policy", content: alone }));
  off.replaceWith(" The browser refuses every request of this page until you reload it.");
});

const show = () => {
  const bytes = [...sending].filter(url => !blocked.has(url)).reduce((n, url) => n + new TextEncoder().encode(url).length, 0);
  text.textContent = `${bytes} bytes sent since you opened this page, apart from the names of ${files.size} of its own files${blocked.size ? `; the browser blocked ${blocked.size} ${blocked.size === 1 ? "request" : "requests"}` : ""}.`;
};

const line = el("p", { class: "sent" }, text, " ", off);

/** counter returns the element that shows both. */
export const counter = () => line;

/** requested counts an address that another page of this site requests. @param {string} url */
export const requested = url => {
  sending.add(url);
  show();
};

document.addEventListener("securitypolicyviolation", ({ blockedURI }) => {
  if (/^(https?|wss?):/.test(blockedURI)) blocked.add(blockedURI);
  show();
});
new PerformanceObserver(list => {
  for (const { name } of list.getEntries()) {
    const { protocol, origin, search } = new URL(name);
    if (origin === location.origin && !search) files.add(name);
    else if (/^(https?|wss?):/.test(protocol)) sending.add(name);
  }
  show();
}).observe({ type: "resource", buffered: true });
show();
