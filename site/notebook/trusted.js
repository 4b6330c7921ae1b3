// Shows HTML in a live notebook. Outputs of programs and of opened files are untrusted, so they pass through the browser's
// sanitizer. The page requires trusted types, so the HTML that the charts create takes the same way. Together with the
// page's policy, this prevents an output from loading, sending, opening or submitting anything. Browsers without a
// sanitizer show outputs in frames without scripts.
import { el } from "../playground/look.js";

const svg = "http://www.w3.org/2000/svg";

/** The elements allowed in outputs. Links, style sheets and form controls are excluded, except for sliders and buttons. */
const sanitizer = {
  elements: [
    ..."abbr b bdi bdo blockquote br button caption cite code col colgroup dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img input ins kbd label li mark meter ol output p picture pre progress q s samp section small source span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr".split(" "),
    ..."svg g path rect circle ellipse line polyline polygon text tspan defs clipPath linearGradient radialGradient stop pattern marker".split(" ").map(name => ({ name, namespace: svg })),
  ],
  replaceWithChildrenElements: ["a", "form", "center", "font"],
  // A picture with the name "body" would become document.body.
  removeAttributes: "name target ping formaction form popover popovertarget popovertargetaction command commandfor interestfor autofocus background usemap is slot accesskey".split(" "),
  comments: false,
};

const { trustedTypes } = /** @type {any} */ (globalThis);

/** Whether outputs can be shown in the page itself. */
export const modern = "setHTML" in Element.prototype && !!trustedTypes;

/** sanitized returns an element with the harmless content of HTML, in a document that loads nothing. @param {string} html @returns {HTMLElement} */
const sanitized = html => {
  const { body } = document.implementation.createHTMLDocument();
  /** @type {any} */ (body).setHTML(html, { sanitizer });
  return body;
};

/** The only script that the page can load by an address given as a string. */
const offline = new URL("../offline.js", import.meta.url).href;

trustedTypes?.createPolicy("default", {
  createHTML: (/** @type {string} */ html) => (modern ? sanitized(html).innerHTML : ""),
  createScriptURL: (/** @type {string} */ url) => (url === offline ? url : null),
});

/** The policy for HTML made by the page's own code. @type {{createHTML(html: string): any}} */
export const own = trustedTypes?.createPolicy("text", { createHTML: (/** @type {string} */ html) => html }) ?? { createHTML: html => html };

/** The beginning of a frame's document. It allows inline pictures and styles only. */
const rules = "<!DOCTYPE html><meta charset=utf-8><meta http-equiv=Content-Security-Policy content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">";

/** harmless removes all elements that the sanitizer does not list, because a policy does not stop preconnections. @param {string} html */
const harmless = html => {
  const { body } = new DOMParser().parseFromString(own.createHTML(html), "text/html"), names = new Set(sanitizer.elements.map(e => (typeof e === "string" ? e : e.name)));
  body.querySelectorAll("*").forEach(e => names.has(e.localName) || e.remove());
  return body.innerHTML;
};

/** show shows the HTML of an output in an element. @param {HTMLElement} box @param {string} html */
export function show(box, html) {
  if (modern) {
    box.replaceChildren(...sanitized(html).childNodes);
    return;
  }
  const frame = el("iframe", { sandbox: "allow-same-origin", title: "output" }); // no scripts; the page reads the height
  frame.srcdoc = own.createHTML(rules + harmless(html));
  frame.onload = () => (frame.style.height = `${(frame.contentDocument?.documentElement.scrollHeight ?? 300) + 2}px`);
  box.replaceChildren(frame);
}
