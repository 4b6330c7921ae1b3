// Renders the Markdown cells that the reader writes, like site/build/markdown.go renders the cells of the site.
// @ts-ignore the build adds this module
import MarkdownIt from "./markdown-it.js";
// @ts-ignore the build makes this module
import katex from "./katex.js";

const md = new MarkdownIt({ html: false });

/** $…$ is an inline formula, $$…$$ a displayed one. */
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
/** Links to notebooks lead to their pages. @param {string} to */
md.normalizeLink = to => normalizeLink(/^[\w./-]+\.ipynb(#|$)/.test(to) ? to.replace(".ipynb", ".html") : to);

/** Matches a text folded under a summary. All other HTML in texts is escaped. */
const folded = /^<details><summary>([^<]*)<\/summary>\n(.*)\n<\/details>\s*$/s;

/** markdown returns the HTML of a text. @param {string} text @returns {string} */
export const markdown = text => {
  const [, summary, body] = folded.exec(text) ?? [];
  return body === undefined ? md.render(text) : `<details><summary>${md.utils.escapeHtml(summary ?? "")}</summary>${md.render(body)}</details>`;
};
