// The last table with its model, kept in this browser until the reader forgets it.
import { files, putFile, removeFile } from "../notebook/store.js";

/** @typedef {import("./engine.js").Answer} Answer */
/** @typedef {{key: string, name: string, bytes: Uint8Array, options: Answer, target: string, fitted: Answer | null, model: Uint8Array | null}} Last */

const key = "table:last", largest = 50e6; // bytes of a file

/** last returns what is kept. @returns {Promise<Last | undefined>} */
export const last = async () => /** @type {Last[]} */ (await files(key))[0];

/** forget removes it. */
export const forget = async () => {
  for (const f of await files(key)) await removeFile(key, f.name);
};

/** keep replaces it. @param {Omit<Last, "key">} now @returns {Promise<boolean>} whether it is kept */
export const keep = async now => {
  try {
    await forget();
    if (now.bytes.length > largest) return false;
    await putFile({ key, ...now });
    return true;
  } catch { // no storage, or no space
    return false;
  }
};
