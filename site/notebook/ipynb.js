// Reads and writes notebook files in Jupyter's nbformat 4. https://nbformat.readthedocs.io

/** @typedef {{output_type: string, name?: string, text?: any, data?: Record<string, any>, metadata?: any, [more: string]: any}} CellOutput */
/** @typedef {{id: string, type: "code" | "markdown" | "raw", source: string, metadata: any, outputs: CellOutput[] | null, ran?: string}} CellData with outputs null, the outputs are those in the site's file; ran is the source that the reader last ran */

/** whole joins a text that Jupyter writes as a list of lines. @param {any} text @returns {string} */
export const whole = text => (Array.isArray(text) ? text.join("") : String(text ?? ""));

/** @param {string} text @returns {string[]} */
const lines = text => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** newId returns an id for a cell. */
export const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(6)), b => b.toString(16).padStart(2, "0")).join("");

/**
 * read reads a notebook file. It throws an Error with a message for the reader if the file is not a notebook in Go.
 * @param {string} text @returns {{cells: CellData[], metadata: any}}
 */
export function read(text) {
  let nb;
  try {
    nb = JSON.parse(text);
  } catch (error) {
    throw new Error(`This file is not a notebook: ${error instanceof Error ? error.message : error}`);
  }
  if (!Array.isArray(nb?.cells)) {
    throw new Error(nb?.worksheets ? "This notebook has an old format. Open and save it in Jupyter first." : "This file is not a notebook: it has no cells.");
  }
  const language = nb.metadata?.kernelspec?.language ?? nb.metadata?.language_info?.name ?? "go";
  if (language !== "go") {
    throw new Error(`This notebook is written in ${language}. Only notebooks in Go can be opened here.`);
  }
  const ids = new Set();
  const cells = nb.cells.map((/** @type {any} */ c) => {
    const id = c.id && !ids.has(c.id) ? c.id : newId();
    ids.add(id);
    return {
      id, type: ["code", "raw"].includes(c.cell_type) ? c.cell_type : "markdown", source: whole(c.source), metadata: c.metadata ?? {},
      outputs: (c.outputs ?? []).map((/** @type {any} */ o) => ({
        ...o, ...(o.text === undefined ? {} : { text: whole(o.text) }),
        ...(o.data ? { data: Object.fromEntries(Object.entries(o.data).map(([k, v]) => [k, Array.isArray(v) ? whole(v) : v])) } : {}),
      })),
    };
  });
  return { cells, metadata: nb.metadata ?? {} };
}

/** The statements of a set-up cell. */
const setup = [/\/\/.*$/gm, /^import\s*\([^)]*\)/gm, /^import\s.*$/gm, /^!.*\bgo (work|mod|get)\b.*$/gm, /^%.*$/gm, /^\s*\w+\.Init\(\)\s*$/gm];

/**
 * setsUp reports whether a cell only prepares the others: it contains only imports, GoNB commands for the module and
 * nbhelpers.Init.
 * @param {Pick<CellData, "type" | "source">} cell
 */
export const setsUp = ({ type, source }) => type === "code" && /^(import\b|!|%)/m.test(source) && !setup.reduce((rest, part) => rest.replace(part, ""), source).trim();

/** The metadata with which Jupyter opens a notebook in GoNB. */
const go = { kernelspec: { display_name: "Go (gonb)", language: "go", name: "gonb" }, language_info: { file_extension: ".go", mimetype: "text/x-go", name: "go" } };

/**
 * write returns the content of a notebook file.
 * @param {CellData[]} cells @param {any} [metadata] @returns {{cells: object[], metadata: any, nbformat: number, nbformat_minor: number}}
 */
export const write = (cells, metadata = {}) => ({
  cells: cells.map(({ id, type, source, metadata, outputs }) => ({
    cell_type: type, ...(type === "code" ? { execution_count: null } : {}), id, metadata,
    ...(type === "code" ? { outputs: (outputs ?? []).map(o => ({
      ...o, ...(o.text === undefined ? {} : { text: lines(o.text) }),
      ...(o.data ? { data: Object.fromEntries(Object.entries(o.data).map(([k, v]) => [k, typeof v === "string" ? lines(v) : v])) } : {}),
    })) } : {}),
    source: lines(source),
  })),
  metadata: { ...go, ...metadata },
  nbformat: 4, nbformat_minor: 5,
});
