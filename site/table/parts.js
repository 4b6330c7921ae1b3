// Elements that several steps of "Your table" use.
import { button, el } from "../playground/look.js";

/** chooser makes a label that opens a file. @param {string} text @param {string} id @param {(file: File) => void} chosen */
export const chooser = (text, id, chosen) => {
  const input = el("input", { type: "file", id, class: "unseen" });
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    input.value = "";
    file && chosen(file);
  });
  return el("span", { class: "chooser" }, input, el("label", { for: id, class: "button" }, text));
};

/**
 * frame makes a frame as high as its page, which has the policy of this page. contents gets the page's list of contents and further links.
 * @param {string} html @param {string} title @param {HTMLElement} [contents] @param {HTMLElement[]} [further]
 */
export const frame = (html, title, contents, further = []) => {
  const f = el("iframe", { title, class: "page" });
  f.srcdoc = html;
  f.addEventListener("load", () => {
    const page = f.contentDocument;
    if (!page) return;
    const fit = () => f.style.height = Math.ceil(page.documentElement.getBoundingClientRect().height) + 2 + "px";
    new ResizeObserver(fit).observe(page.documentElement);
    fit();
    const go = (/** @type {string} */ id) => {
      const at = page.getElementById(id), fold = at?.closest("details");
      if (fold) fold.open = true;
      fit();
      (fold ?? at)?.scrollIntoView();
    };
    if (contents) {
      contents.replaceChildren(...[...page.querySelectorAll(".mpcvm-contents a")].map(a => button(a.textContent ?? "", () => go(/** @type {HTMLAnchorElement} */ (a).hash.slice(1)), { class: "link" })), ...further);
      page.querySelectorAll("h1, .mpcvm-contents").forEach(e => e.remove()); // the page has them
      /** @type {HTMLElement} */ (page.querySelector("main")).style.padding = "0";
    }
    // a link leads to a place in the frame's page, or to another window
    page.addEventListener("click", e => {
      const a = e.target instanceof /** @type {any} */ (f.contentWindow).Element ? /** @type {Element} */ (e.target).closest("a[href]") : null, to = a?.getAttribute("href") ?? "";
      if (to.startsWith("#")) {
        e.preventDefault();
        go(to.slice(1));
      } else if (/^https?:/.test(to)) a?.setAttribute("target", "_blank");
    });
  });
  return f;
};
