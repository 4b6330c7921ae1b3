/** Takes the place of the name that is completed, see site/internal/complete. */
const cursor = "mpcvmCursor";

/** Texts and comments of Go. */
const quoted = /"(?:\\.|[^"\\\n])*"|`[^`]*`|'(?:\\.|[^'\\\n])*'|\/\/[^\n]*|\/\*[^]*?\*\//g;

/** blank replaces texts and comments, which can contain brackets, by names of the same length. @param {string} source */
const blank = source => source.replace(quoted, text => text.replace(/[^\n]/g, "q"));

/** closing returns what closes the brackets that a source leaves open. @param {string} source */
function closing(source) {
  let open = "";
  for (const [bracket] of blank(source).matchAll(/[()[\]{}]/g)) {
    open = /[([{]/.test(bracket) ? { "(": ")", "[": "]", "{": "\n}" }[bracket] + open : open.replace(/^\n?./, "");
  }
  return open;
}

/** operand returns the operand that a line ends with, such as f(x)[0]., if it ends with a point. @param {string} line */
function operand(line) {
  const text = blank(line);
  let at = text.length;
  for (let deep = 0; text.endsWith(".") && at > 0 && (deep > 0 || /[\w.)\]}]/.test(text[at - 1])); at--) {
    deep += /[)\]}]/.test(text[at - 1]) ? 1 : /[([{]/.test(text[at - 1]) ? -1 : 0;
  }
  return line.slice(at);
}

/**
 * programs returns what a cell with a name between two texts can mean, the most likely first. Where the cell cannot be parsed,
 * perhaps it can with only the name in its line, or without what follows.
 * @param {string} before @param {string} after @returns {string[]}
 */
export function programs(before, after) {
  const line = before.lastIndexOf("\n") + 1, above = before.slice(0, line), only = `${above}_ = ${operand(before.slice(line))}${cursor}`;
  return [before + cursor + after, only + (/\n[^]*/.exec(after)?.[0] ?? ""), before + cursor + closing(before), only + closing(above)];
}
