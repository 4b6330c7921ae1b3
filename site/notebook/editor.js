// The editor of a cell, CodeMirror, which is fetched when the first cell is edited. Its tokens have the classes of the
// site's style sheet, so that code in the editor looks like the other code of the page.

import { el } from "../playground/look.js";

/** @type {Promise<any> | undefined} */
let loading;

// @ts-ignore the build adds this module
const codeMirror = () => (loading ??= import("./codemirror.js"));

/** @typedef {{line: number, column: number, text: string}} Fault */
/**
 * A name of a program, see site/internal/complete, and how it is described.
 * @typedef {{name: string, kind: string, text: string, path: string, key: string}} Item
 * @typedef {{items(source: string, from: number, to: number): Promise<Item[]>, about(item: Item): Promise<string>}} Names
 */
/** @typedef {{text(): string, set(text: string): void, focus(line?: number, column?: number): void, faults(list: Fault[]): void, remove(): void}} Editor */

/**
 * editor creates an editor in an element.
 * @param {HTMLElement} parent @param {string} text
 * @param {{go: boolean, label: string, changed(text: string): void, keys: Record<string, () => void>, names?: Names}} options
 * @returns {Promise<Editor>}
 */
export async function editor(parent, text, { go, label, changed, keys, names }) {
  const { EditorState, EditorView, keymap, lineNumbers, drawSelection, defaultKeymap, history, historyKeymap, indentWithTab, bracketMatching,
    HighlightStyle, indentUnit, syntaxHighlighting, closeBrackets, closeBracketsKeymap, setDiagnostics, lintGutter, goLanguage, tags,
    syntaxTree, autocompletion, acceptCompletion, completionStatus, startCompletion, hoverTooltip, showTooltip, StateEffect, StateField } = await codeMirror();
  const colours = HighlightStyle.define(Object.entries({
    k: tags.keyword, c1: tags.comment, s: [tags.string, tags.character], mi: tags.number, kt: [tags.typeName, tags.typeOperator],
    kc: [tags.bool, tags.null], nf: [tags.function(tags.variableName), tags.function(tags.propertyName)], o: tags.operator,
  }).map(([name, tag]) => ({ tag, class: name })));
  const own = Object.entries(keys).map(([key, f]) => ({ key, run: () => (f(), true) }));
  /** described is the description of a name: its declaration, and what its documentation begins with. @param {Names} names @param {Item} item */
  const described = async (names, item) => {
    const about = await names.about(item);
    return el("div", { class: "described" }, el("code", {}, item.text), about && el("p", {}, about));
  };
  /** coded reports whether a position is in neither a comment nor a text. @param {any} state @param {number} pos */
  const coded = (state, pos) => !/Comment|String|Rune/.test(syntaxTree(state).resolveInner(pos, -1).name);
  /** tooltip describes a name of the program, if there is one between two positions. @param {Names} names @param {any} state @param {number} from @param {number} to */
  const tooltip = async (names, state, from, to) => {
    const text = state.sliceDoc(from, to), item = (await names.items(state.doc.toString(), from, to)).find(i => i.name === text);
    if (!item) return null;
    const dom = await described(names, item);
    return { pos: from, end: to, above: true, create: () => ({ dom }) };
  };
  /** called returns the end of the function's name if the cursor is between the brackets of a call. @param {any} state */
  const called = state => {
    const { head } = state.selection.main;
    for (let node = syntaxTree(state).resolveInner(head, -1); node; node = node.parent) {
      if (node.name === "Arguments" && node.from < head && (node.to > head || node.lastChild?.name !== ")")) return node.prevSibling?.to ?? node.from;
    }
    return -1;
  };
  /** Shows the parameters of the function that is called, or null. */
  const parameters = StateEffect.define(), shown = StateField.define({
    create: () => null,
    update(/** @type {any} */ value, /** @type {any} */ { effects, state, docChanged, selection }) {
      for (const e of effects) if (e.is(parameters)) return e.value;
      return value && (docChanged || selection) && called(state) !== value.end ? null : value;
    },
    provide: (/** @type {any} */ field) => showTooltip.from(field),
  });
  /** helping returns completion, after a point or on demand, descriptions of names under the pointer, and parameters in a call. @param {Names} names */
  const helping = names => [
    autocompletion({
      icons: false,
      override: [async (/** @type {any} */ context) => {
        const { from } = context.matchBefore(/[\p{L}\p{N}_]*/u), { state, pos, explicit } = context;
        if (!coded(state, from) || !explicit && state.sliceDoc(from - 1, from) !== ".") return null;
        const options = (await names.items(state.doc.toString(), from, pos)).map(i => ({ label: i.name, type: i.kind, detail: i.kind, info: () => described(names, i) }));
        return options.length ? { from, options, validFor: /^[\p{L}\p{N}_]*$/u } : null;
      }],
    }),
    keymap.of([{ key: "Tab", run: (/** @type {any} */ view) => {
      const { state } = view, { head, empty } = state.selection.main;
      return acceptCompletion(view) || empty && coded(state, head) && /[\p{L}\p{N}_.]/u.test(state.sliceDoc(head - 1, head)) && startCompletion(view);
    } }, { key: "Escape", run: (/** @type {any} */ view) => {
      if (completionStatus(view.state) || !view.state.field(shown)) return false;
      view.dispatch({ effects: parameters.of(null) });
      return true;
    } }]),
    hoverTooltip(async (/** @type {any} */ { state }, /** @type {number} */ pos) => {
      const word = state.wordAt(pos);
      return word && coded(state, word.to) ? tooltip(names, state, word.from, word.to) : null;
    }),
    shown,
    EditorView.updateListener.of(async (/** @type {any} */ { view, state, transactions }) => {
      if (!transactions.some((/** @type {any} */ t) => t.isUserEvent("input.type")) || !/[(,]\s?$/.test(state.sliceDoc(0, state.selection.main.head))) return;
      const end = called(state), word = end > 0 && state.wordAt(end);
      if (!word || state.field(shown)?.end === end) return;
      const value = await tooltip(names, state, word.from, word.to);
      value && called(view.state) === end && view.dispatch({ effects: parameters.of(value) });
    }),
  ];
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        names ? helping(names) : [],
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
