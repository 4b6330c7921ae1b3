// Shows the text of a Markdown cell that the reader wrote, as site/build/markdown.go shows those of the site.
// @ts-ignore the build puts this module beside
import MarkdownIt from "./markdown-it.js";
// @ts-ignore the build makes this module
import katex from "./katex.js";

const md = new MarkdownIt({ html: false });

/** $…$ is a formula, and $$…$$ one that stands alone. */
md.inline.ruler.before("escape", "formula", (/** @type {any} */ state, /** @type {boolean} */ silent) => {
  const m = /^(\$\$?)([^$]+?)\1/s.exec(state.src.slice(state.pos));
  if (!m) {
    return false;
  }
  if (!silent) {
    Object.assign(state.push("formula", "", 0), { content: m[2], block: m[1] === "$$" });
  }
  state.pos += m[0].length;
  return true;
});
md.renderer.rules.formula = (/** @type {any[]} */ tokens, /** @type {number} */ i) => katex.renderToString(tokens[i].content, { displayMode: tokens[i].block, throwOnError: false });
md.renderer.rules.table_open = () => '<div class="wide" tabindex="0"><table>';
md.renderer.rules.table_close = () => "</table></div>";

const { normalizeLink } = md;
/** A link to a notebook leads to its page. @param {string} to */
md.normalizeLink = to => normalizeLink(/^[\w./-]+\.ipynb(#|$)/.test(to) ? to.replace(".ipynb", ".html") : to);

/** A text that is folded under a summary. Other HTML in texts is shown as it is written. */
const folded = /^<details><summary>([^<]*)<\/summary>\n(.*)\n<\/details>\s*$/s;

/** markdown gives the HTML of a text. @param {string} text @returns {string} */
export const markdown = text => {
  const [, summary, body] = folded.exec(text) ?? [];
  return body === undefined ? md.render(text) : `<details><summary>${md.utils.escapeHtml(summary ?? "")}</summary>${md.render(body)}</details>`;
};
