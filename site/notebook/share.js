// Stores a small notebook in the fragment of an address: the cells without outputs, as gzipped JSON in base64url.

/** The longest fragment, in characters. Longer notebooks are shared as files. */
const longest = 30_000;

/** @param {Blob} blob @param {CompressionStream | DecompressionStream} through */
const piped = (blob, through) => new Response(blob.stream().pipeThrough(through));

/**
 * pack returns the fragment for a notebook, or "" if it is too long.
 * @param {string} name @param {import("./ipynb.js").CellData[]} cells
 */
export async function pack(name, cells) {
  const json = JSON.stringify({ name, cells: cells.map(({ type, source }) => [type, source]) });
  const bytes = new Uint8Array(await piped(new Blob([json]), new CompressionStream("gzip")).arrayBuffer());
  const text = "notebook=" + btoa(Array.from(bytes, b => String.fromCharCode(b)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return text.length > longest ? "" : text;
}

/**
 * unpack reads a fragment made by pack. It returns null for other fragments, and throws an Error with a message for the
 * reader if the fragment is damaged.
 * @param {string} fragment @returns {Promise<{name: string, cells: ["code" | "markdown" | "raw", string][]} | null>}
 */
export async function unpack(fragment) {
  const text = /^#?notebook=(.*)$/.exec(fragment)?.[1];
  if (text === undefined) {
    return null;
  }
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), c => c.charCodeAt(0));
    const { name, cells } = await piped(new Blob([bytes]), new DecompressionStream("gzip")).json();
    return { name: String(name), cells: cells.map((/** @type {[any, any]} */ [type, source]) => [["code", "raw"].includes(type) ? type : "markdown", String(source)]) };
  } catch {
    throw new Error("The notebook in this link cannot be read because the link is incomplete or damaged. Ask for a new link, or for the notebook as a file.");
  }
}
