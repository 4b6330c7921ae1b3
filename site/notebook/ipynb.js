// Notebooks as files: nbformat 4, as Jupyter reads and writes it. https://nbformat.readthedocs.io

/** @typedef {{output_type: string, name?: string, text?: any, data?: Record<string, any>, metadata?: any, [more: string]: any}} CellOutput */
/** @typedef {{id: string, type: "code" | "markdown" | "raw", source: string, metadata: any, outputs: CellOutput[] | null}} CellData outputs null are those of the site's file */

/** whole is a text that Jupyter writes as a list of lines. @param {any} text @returns {string} */
export const whole = text => (Array.isArray(text) ? text.join("") : String(text ?? ""));

/** @param {string} text @returns {string[]} */
const lines = text => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** newId is an id for a cell. */
export const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(6)), b => b.toString(16).padStart(2, "0")).join("");

/**
 * read reads a notebook's file. It throws a sentence if that is none.
 * @param {string} text @returns {{cells: CellData[], metadata: any}}
 */
export function read(text) {
  let nb;
  try {
    nb = JSON.parse(text);
  } catch (error) {
    throw new Error(`This is no notebook: ${error instanceof Error ? error.message : error}`);
  }
  if (!Array.isArray(nb?.cells)) {
    throw new Error(nb?.worksheets ? "This notebook has an old format. Open and save it in Jupyter first." : "This is no notebook: it has no cells.");
  }
  const language = nb.metadata?.kernelspec?.language ?? nb.metadata?.language_info?.name ?? "go";
  if (language !== "go") {
    throw new Error(`This notebook is written in ${language}. The page runs Go.`);
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

/** What may stand in a set-up cell. */
const setup = [/\/\/.*$/gm, /^import\s*\([^)]*\)/gm, /^import\s.*$/gm, /^!.*\bgo (work|mod|get)\b.*$/gm, /^%.*$/gm, /^\s*\w+\.Init\(\)\s*$/gm];

/**
 * setsUp reports whether a cell only prepares the others: it has nothing but imports, commands of GoNB for the module and
 * nbhelpers.Init.
 * @param {Pick<CellData, "type" | "source">} cell
 */
export const setsUp = ({ type, source }) => type === "code" && /^(import\b|!|%)/m.test(source) && !setup.reduce((rest, part) => rest.replace(part, ""), source).trim();

/** What Jupyter needs to open a notebook with GoNB. */
const go = { kernelspec: { display_name: "Go (gonb)", language: "go", name: "gonb" }, language_info: { file_extension: ".go", mimetype: "text/x-go", name: "go" } };

/**
 * write makes the content of a notebook's file.
 * @param {CellData[]} cells @param {any} [metadata] @returns {object}
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
