// A small notebook in the fragment of an address: its cells without outputs, as JSON, compressed and in base64url.

/** The longest fragment, in characters. What is longer goes as a file. */
const longest = 30_000;

/** @param {Blob} blob @param {CompressionStream | DecompressionStream} through */
const piped = (blob, through) => new Response(blob.stream().pipeThrough(through));

/**
 * pack makes the fragment of a notebook, "" if it is too long.
 * @param {string} name @param {import("./ipynb.js").CellData[]} cells
 */
export async function pack(name, cells) {
  const json = JSON.stringify({ name, cells: cells.map(({ type, source }) => [type, source]) });
  const bytes = new Uint8Array(await piped(new Blob([json]), new CompressionStream("gzip")).arrayBuffer());
  const text = "notebook=" + btoa(Array.from(bytes, b => String.fromCharCode(b)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return text.length > longest ? "" : text;
}

/**
 * unpack reads what pack has made; null if the fragment is of another kind. It throws a sentence if it is damaged.
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
    throw new Error("The notebook in this link cannot be read: the link is incomplete or damaged. Ask for it again, or for the notebook as a file.");
  }
}
