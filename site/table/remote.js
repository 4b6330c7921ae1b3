// A table at an address that a link names. The reader is asked first. The policy of this page forbids other servers, so a
// frame fetches it, with a page and a policy of its own.
import { button, el } from "../playground/look.js";
import { requested } from "./sent.js";

/** remote asks whether to fetch a table, and returns it, or null if the answer is no. @param {string} address @returns {Promise<File | null>} */
export const remote = async address => {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== "https:" || url.username || url.password) throw new Error("the link should contain an address that begins with https://");
  const name = decodeURIComponent(url.pathname.split("/").pop() || "table.csv");
  if (!await agreed(name, url)) return null;
  requested(url.href);
  return new File([await fetched(url)], name);
};

/** agreed asks the reader. @param {string} name @param {URL} url */
const agreed = (name, { host, href }) => new Promise(done => {
  const dialog = el("dialog", { class: "app", "aria-labelledby": "remote-question" }), answer = (/** @type {boolean} */ yes) => () => (done(yes), dialog.remove());
  dialog.append(el("h2", { id: "remote-question" }, `Fetch a table from ${host}?`), el("p", { class: "long" }, href),
    el("p", {}, `This link opens ${name} from another server. ${host} learns your network address and which file you ask for. It is not told anything else, and your own tables stay here.`),
    el("p", { class: "buttons" }, button(`Fetch it from ${host}`, answer(true), { class: "main" }), button("Do not fetch it", answer(false))));
  dialog.addEventListener("cancel", answer(false));
  document.body.append(dialog);
  dialog.showModal();
});

/** fetched fetches a file in a frame. @param {URL} url @returns {Promise<ArrayBuffer>} */
const fetched = url => new Promise((resolve, reject) => {
  const frame = el("iframe", { sandbox: "allow-scripts", hidden: true, src: new URL("fetch.html", import.meta.url).href });
  const hear = (/** @type {MessageEvent} */ { source, data }) => {
    if (source !== frame.contentWindow) return;
    removeEventListener("message", hear);
    frame.remove();
    data.bytes ? resolve(data.bytes) : reject(new Error(`${url.host} did not send it${data.error ? `: ${data.error}` : ": it does not let pages of other sites read the file, redirects to another address, or cannot be reached"}. Download the file and drop it here`));
  };
  addEventListener("message", hear);
  frame.addEventListener("load", () => frame.contentWindow?.postMessage(url.href, "*"));
  document.body.append(frame);
});
