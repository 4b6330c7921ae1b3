// Notebooks stored in this browser, in IndexedDB. Each notebook has a revision number, so that a tab never silently
// overwrites the changes of another.

/** @typedef {"" | "a link" | "a file"} Origin of cells that the reader has not yet allowed to run */
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
 * work accesses the notebooks, or their files, in one transaction.
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

/** get returns the notebook stored under a key. @param {string} key @returns {Promise<Kept | undefined>} */
export const get = key => work("readonly", (notebooks, done) => {
  const request = notebooks.get(key);
  request.onsuccess = () => done(request.result);
});

/** all returns the reader's own notebooks, the newest first. @returns {Promise<Kept[]>} */
export const all = () => work("readonly", (notebooks, done) => {
  const request = notebooks.getAll(IDBKeyRange.bound("own:", "own:\uffff"));
  request.onsuccess = () => done(request.result.sort((a, b) => b.when - a.when));
});

/**
 * put stores a notebook, or removes it if it is null. revision must be the stored revision, or 0 if nothing is stored. It
 * returns the new revision, or 0 if another tab has changed the stored notebook, which is then left as it is.
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

/** remove removes a notebook of any revision. @param {string} key */
export const remove = async key => {
  await work("readwrite", notebooks => notebooks.delete(key));
  told.postMessage(key);
};

/** @typedef {{key: string, name: string, bytes: Uint8Array}} KeptFile a reader's file for the programs of a notebook */

/** files returns the files of the notebook stored under a key. @param {string} key @returns {Promise<KeptFile[]>} */
export const files = key => work("readonly", (files, done) => {
  const request = files.getAll(IDBKeyRange.bound([key], [key, []]));
  request.onsuccess = () => done(request.result);
}, "files");

/** putFile stores a file. @param {KeptFile} file @returns {Promise<void>} */
export const putFile = file => work("readwrite", files => files.put(file), "files");

/** removeFile removes a file. @param {string} key @param {string} name @returns {Promise<void>} */
export const removeFile = (key, name) => work("readwrite", files => files.delete([key, name]), "files");

/** sweep removes the files of notebooks that are no longer stored. @param {string[]} keys of the reader's stored notebooks */
export const sweep = keys => work("readwrite", files => {
  files.openKeyCursor(IDBKeyRange.bound(["own:"], ["own:\uffff"])).onsuccess = e => {
    const cursor = /** @type {IDBRequest<IDBCursor | null>} */ (e.target).result, key = /** @type {[string, string] | undefined} */ (cursor?.primaryKey);
    key && !keys.includes(key[0]) && files.delete(key);
    cursor?.continue();
  };
}, "files");

/** whenChanged calls f when another tab changes the notebook stored under a key. @param {string} key @param {() => void} f */
export const whenChanged = (key, f) => told.addEventListener("message", ({ data }) => data === key && f());
