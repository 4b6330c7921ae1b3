// The notebooks that this browser keeps, in IndexedDB. A notebook has a revision: what another tab wrote meanwhile is
// never overwritten unseen.

/** @typedef {"" | "a link" | "a file"} Origin where cells come from that the reader has not let run yet */
/** @typedef {{key: string, name: string, revision: number, when: number, base?: string, from?: Origin, cells: import("./ipynb.js").CellData[]}} Kept */

/** @type {Promise<IDBDatabase> | undefined} */
let opened;

const database = () => (opened ??= new Promise((resolve, reject) => {
  const request = indexedDB.open("mpcvm-notebooks", 2);
  request.onupgradeneeded = ({ oldVersion }) => {
    oldVersion < 1 && request.result.createObjectStore("notebooks", { keyPath: "key" });
    request.result.createObjectStore("files", { keyPath: ["key", "name"] });
  };
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
}));

const told = new BroadcastChannel("mpcvm-notebooks");

/**
 * work does something with the notebooks, or their files, in one transaction.
 * @template T @param {IDBTransactionMode} mode @param {(kept: IDBObjectStore, done: (value: T) => void) => void} what @returns {Promise<T>}
 */
const work = async (mode, what, store = "notebooks") => {
  const transaction = (await database()).transaction(store, mode);
  return new Promise((resolve, reject) => {
    /** @type {any} */ let value;
    what(transaction.objectStore(store), v => (value = v));
    transaction.oncomplete = () => resolve(value);
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });
};

/** get gives what is kept under a key. @param {string} key @returns {Promise<Kept | undefined>} */
export const get = key => work("readonly", (notebooks, done) => {
  const request = notebooks.get(key);
  request.onsuccess = () => done(request.result);
});

/** all gives the reader's own notebooks, the newest first. @returns {Promise<Kept[]>} */
export const all = () => work("readonly", (notebooks, done) => {
  const request = notebooks.getAll(IDBKeyRange.bound("own:", "own:\uffff"));
  request.onsuccess = () => done(request.result.sort((a, b) => b.when - a.when));
});

/**
 * put keeps a notebook whose revision is the one that is kept now, or 0 if none is, and gives its new revision: 0 if
 * another tab has changed what is kept, which stays. With null it removes the notebook.
 * @param {string} key @param {number} revision @param {Omit<Kept, "key" | "revision"> | null} notebook @returns {Promise<number>}
 */
export async function put(key, revision, notebook) {
  const next = await work("readwrite", (notebooks, done) => {
    const request = notebooks.get(key);
    request.onsuccess = () => {
      if ((request.result?.revision ?? 0) !== revision) {
        return done(0);
      }
      notebook ? notebooks.put({ ...notebook, key, revision: revision + 1 }) : notebooks.delete(key);
      done(revision + 1);
    };
  });
  next && told.postMessage(key);
  return next;
}

/** remove removes a notebook, whatever its revision. @param {string} key */
export const remove = async key => {
  await work("readwrite", notebooks => notebooks.delete(key));
  told.postMessage(key);
};

/** @typedef {{key: string, name: string, bytes: Uint8Array}} KeptFile a reader's file for the programs of a notebook */

/** files gives the files of the notebook that is kept under a key. @param {string} key @returns {Promise<KeptFile[]>} */
export const files = key => work("readonly", (files, done) => {
  const request = files.getAll(IDBKeyRange.bound([key], [key, []]));
  request.onsuccess = () => done(request.result);
}, "files");

/** putFile keeps a file. @param {KeptFile} file @returns {Promise<void>} */
export const putFile = file => work("readwrite", files => files.put(file), "files");

/** removeFile removes a file. @param {string} key @param {string} name @returns {Promise<void>} */
export const removeFile = (key, name) => work("readwrite", files => files.delete([key, name]), "files");

/** sweep removes the files of notebooks that are no longer kept. @param {string[]} keys of the reader's own that are */
export const sweep = keys => work("readwrite", files => {
  files.openKeyCursor(IDBKeyRange.bound(["own:"], ["own:\uffff"])).onsuccess = e => {
    const cursor = /** @type {IDBRequest<IDBCursor | null>} */ (e.target).result, key = /** @type {[string, string] | undefined} */ (cursor?.primaryKey);
    key && !keys.includes(key[0]) && files.delete(key);
    cursor?.continue();
  };
}, "files");

/** whenChanged calls f if another tab has changed what is kept under a key. @param {string} key @param {() => void} f */
export const whenChanged = (key, f) => told.addEventListener("message", ({ data }) => data === key && f());
