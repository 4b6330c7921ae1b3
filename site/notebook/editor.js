// The editor of a cell, CodeMirror, which is fetched when the first cell is edited. Its tokens have the classes of the
// site's style sheet, so that code in the editor looks like the other code of the page.

/** @type {Promise<any> | undefined} */
let loading;

// @ts-ignore the build adds this module
const codeMirror = () => (loading ??= import("./codemirror.js"));

/** @typedef {{line: number, column: number, text: string}} Fault */
/** @typedef {{text(): string, set(text: string): void, focus(line?: number, column?: number): void, faults(list: Fault[]): void, remove(): void}} Editor */

/**
 * editor creates an editor in an element.
 * @param {HTMLElement} parent @param {string} text
 * @param {{go: boolean, label: string, changed(text: string): void, keys: Record<string, () => void>}} options
 * @returns {Promise<Editor>}
 */
export async function editor(parent, text, { go, label, changed, keys }) {
  const { EditorState, EditorView, keymap, lineNumbers, drawSelection, defaultKeymap, history, historyKeymap, indentWithTab, bracketMatching,
    HighlightStyle, indentUnit, syntaxHighlighting, closeBrackets, closeBracketsKeymap, setDiagnostics, lintGutter, goLanguage, tags } = await codeMirror();
  const colours = HighlightStyle.define(Object.entries({
    k: tags.keyword, c1: tags.comment, s: [tags.string, tags.character], mi: tags.number, kt: [tags.typeName, tags.typeOperator],
    kc: [tags.bool, tags.null], nf: [tags.function(tags.variableName), tags.function(tags.propertyName)], o: tags.operator,
  }).map(([name, tag]) => ({ tag, class: name })));
  const own = Object.entries(keys).map(([key, f]) => ({ key, run: () => (f(), true) }));
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([...own, ...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
        history(), drawSelection(), bracketMatching(), EditorState.tabSize.of(4), EditorView.contentAttributes.of({ "aria-label": label }),
        EditorView.lineWrapping, go ? [goLanguage, indentUnit.of("\t"), closeBrackets(), lineNumbers(), lintGutter(), syntaxHighlighting(colours)] : [],
        EditorView.updateListener.of((/** @type {any} */ u) => u.docChanged && changed(u.state.doc.toString())),
      ],
    }),
  });
  /** at returns the offset of a line and a column, which count from 1, the column in bytes. @param {number} line @param {number} column */
  const at = (line, column) => {
    const { from, to, text } = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
    return Math.min(to, from + new TextDecoder().decode(new TextEncoder().encode(text).slice(0, Math.max(column - 1, 0))).length);
  };
  return {
    text: () => view.state.doc.toString(),
    set(next) { // only what differs, so that the cursor stays
      const now = view.state.doc.toString(), most = Math.min(now.length, next.length);
      let from = 0, same = 0;
      while (from < most && now[from] === next[from]) from++;
      while (same < most - from && now[now.length - 1 - same] === next[next.length - 1 - same]) same++;
      view.dispatch({ changes: { from, to: now.length - same, insert: next.slice(from, next.length - same) } });
    },
    focus(line, column = 1) {
      view.focus();
      line && view.dispatch({ selection: { anchor: at(line, column) }, scrollIntoView: true });
    },
    faults: list => view.dispatch(setDiagnostics(view.state, list.map(({ line, column, text }) => {
      const from = at(line, column), word = /^[\p{L}\p{N}_]+/u.exec(view.state.sliceDoc(from, from + 80));
      return { from, to: from + (word ? word[0].length : 0), severity: "error", message: text };
    }))),
    remove: () => view.destroy(),
  };
}
