// Writes site/build/vendored: the npm packages of the live notebooks, each as one ES module with the licences of its
// contents. tools/echarts/build.sh runs it.
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const here = import.meta.dirname;
const modules = {
  codemirror: `
    export { EditorState, StateEffect, StateField } from "@codemirror/state";
    export { EditorView, keymap, lineNumbers, drawSelection, hoverTooltip, showTooltip } from "@codemirror/view";
    export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
    export { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting, syntaxTree } from "@codemirror/language";
    export { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completionStatus, startCompletion } from "@codemirror/autocomplete";
    export { lintGutter, setDiagnostics } from "@codemirror/lint";
    export { goLanguage } from "@codemirror/lang-go";
    export { tags } from "@lezer/highlight";`,
  "markdown-it": `export { default } from "markdown-it";`,
};

for (const [name, contents] of Object.entries(modules)) {
  const folder = `${here}/vendored/${name}`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: here }, absWorkingDir: here,
    bundle: true, minify: true, write: false, metafile: true, format: "esm", target: "es2022", legalComments: "none",
  });
  writeFileSync(`${folder}/${name}.js`, outputFiles[0].text);
  const parts = new Set(Object.keys(metafile.inputs).map(file => file.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1]).filter(Boolean));
  for (const part of [...parts].sort()) {
    const from = `${here}/node_modules/${part}`, file = readdirSync(from).find(f => /^licen[cs]e/i.test(f));
    if (!file) throw new Error(`${part} has no licence`);
    cpSync(`${from}/${file}`, `${folder}/LICENSE-${part.replace("@", "").replace("/", "-").replace(/\.js$/, "")}`);
  }
  console.log(name, outputFiles[0].text.length, "bytes:", [...parts].sort().join(", "));
}
