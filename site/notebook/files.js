// An in-memory file system for Go's wasm_exec.js. It implements the functions of Node's `fs`, `process` and `path` that Go's
// package syscall calls. Each program of the page has its own.

/**
 * The content of a file is the first `size` bytes of `bytes`, or `load` fetches it when the file is opened.
 * @typedef {{bytes: Uint8Array, size: number, time: number, fixed?: boolean, load?: () => Promise<Uint8Array>}} File
 * @typedef {Map<string, File | Folder>} Folder
 * @typedef {{path: string, node: File | Folder, at: number, append: boolean, wrote: boolean}} Open
 * @typedef {(error: Error | null, value?: any) => void} Callback
 */

const constants = { O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536 };

/** The modes of a folder and of a file. */
const folderMode = 0o40755, fileMode = 0o100644;

/** failure returns an error with a code that Go recognises. @param {string} code */
const failure = (code) => Object.assign(new Error(code), { code });

/** @param {File | Folder | undefined} node @returns {node is Folder} */
const isFolder = (node) => node instanceof Map;

export class Files {
  /**
   * @param {(stream: "stdout" | "stderr", bytes: Uint8Array) => void} text receives the output to the standard streams
   * @param {(path: string, bytes: Uint8Array | null) => void} [changed] is called for each file that was written (when it
   * is closed), renamed or removed (with null)
   */
  constructor(text, changed = () => {}) {
    this.text = text;
    this.changed = changed;
    /** @type {Folder} */
    this.root = new Map();
    this.cwd = "/";
    /** @type {Map<number, Open>} */
    this.open = new Map();
    this.next = 3;
    /** The clock for the times of files. */
    this.now = () => Date.now();
  }

  /** resolve makes a path absolute and clean. @param {string} path */
  resolve(path) {
    /** @type {string[]} */
    const parts = [];
    for (const part of (path.startsWith("/") ? path : this.cwd + "/" + path).split("/")) {
      if (part === "..") {
        parts.pop();
      } else if (part && part !== ".") {
        parts.push(part);
      }
    }
    return "/" + parts.join("/");
  }

  /** split returns the folder of a path and its last element. @param {string} path @returns {[Folder, string]} */
  split(path) {
    const parts = this.resolve(path).split("/"), name = /** @type {string} */ (parts.pop());
    const folder = this.find(parts.join("/") || "/");
    if (!isFolder(folder)) {
      throw failure(folder ? "ENOTDIR" : "ENOENT");
    }
    return [folder, name];
  }

  /** find returns the file or folder at a path, if any. @param {string} path @returns {File | Folder | undefined} */
  find(path) {
    /** @type {File | Folder | undefined} */
    let node = this.root;
    for (const part of this.resolve(path).split("/")) {
      if (part) {
        node = isFolder(node) ? node.get(part) : undefined;
      }
    }
    return node;
  }

  /** get returns the file or folder at a path, or throws ENOENT. @param {string} path @returns {File | Folder} */
  get(path) {
    const node = this.find(path);
    if (!node) {
      throw failure("ENOENT");
    }
    return node;
  }

  /** folder creates a folder and its parents. @param {string} path @returns {Folder} */
  folder(path) {
    let folder = this.root;
    for (const part of this.resolve(path).split("/")) {
      let next = part ? folder.get(part) : folder;
      if (!isFolder(next)) {
        next = new Map();
        folder.set(part, next);
      }
      folder = next;
    }
    return folder;
  }

  /**
   * put adds a file. The bytes of a fixed file are copied before they are written to.
   * @param {string} path @param {Uint8Array} bytes
   */
  put(path, bytes, fixed = false) {
    const at = path.lastIndexOf("/");
    this.folder(path.slice(0, at) || "/").set(path.slice(at + 1), { bytes, size: bytes.length, time: this.now(), fixed });
  }

  /**
   * lazy adds a file that is fetched when it is opened.
   * @param {string} path @param {number} size @param {() => Promise<Uint8Array>} load
   */
  lazy(path, size, load) {
    this.put(path, new Uint8Array(), true);
    Object.assign(this.get(path), { size, load });
  }

  /** content copies the bytes of a file. @param {string} path */
  content(path) {
    const node = this.get(path);
    if (isFolder(node)) {
      throw failure("EISDIR");
    }
    return node.bytes.slice(0, node.size);
  }

  /** handle returns an open file. @param {number} fd */
  handle(fd) {
    const open = this.open.get(fd);
    if (!open) {
      throw failure("EBADF");
    }
    return open;
  }

  /** file returns the file of a descriptor. @param {number} fd @returns {File} */
  file(fd) {
    const { node } = this.handle(fd);
    if (isFolder(node)) {
      throw failure("EISDIR");
    }
    return node;
  }

  /** resize changes the size of a file; new bytes are 0. @param {File} file @param {number} size */
  resize(file, size) {
    if (file.fixed || size > file.bytes.length) {
      const bytes = new Uint8Array(Math.max(size, size > file.size ? 2 * file.bytes.length : 0));
      bytes.set(file.bytes.subarray(0, Math.min(size, file.size)));
      file.bytes = bytes;
      file.fixed = false;
    } else if (size < file.size) {
      file.bytes.fill(0, size, file.size);
    }
    file.size = size;
  }

  /** stat returns the file information that Go uses. @param {File | Folder} node */
  stat(node) {
    const directory = isFolder(node), size = directory ? 0 : node.size, ms = directory ? 0 : node.time;
    return {
      dev: 0, ino: 0, mode: directory ? folderMode : fileMode, nlink: 1, uid: 0, gid: 0, rdev: 0, size, blksize: 4096,
      blocks: Math.ceil(size / 512), atimeMs: ms, mtimeMs: ms, ctimeMs: ms, isDirectory: () => directory,
    };
  }

  /** openFile opens a file or folder and returns its descriptor. @param {string} path @param {number} flags */
  async openFile(path, flags) {
    const writes = (flags & 3) !== 0;
    let node = this.find(path);
    if (!node) {
      if (!(flags & constants.O_CREAT)) {
        throw failure("ENOENT");
      }
      const [folder, name] = this.split(path);
      folder.set(name, node = { bytes: new Uint8Array(), size: 0, time: this.now() });
    } else if (flags & constants.O_CREAT && flags & constants.O_EXCL) {
      throw failure("EEXIST");
    } else if (isFolder(node) ? writes : flags & constants.O_DIRECTORY) {
      throw failure(isFolder(node) ? "EISDIR" : "ENOTDIR");
    }
    if (!isFolder(node)) {
      if (node.load) {
        node.bytes = await node.load();
        delete node.load;
      }
      if (flags & constants.O_TRUNC) {
        this.resize(node, 0);
      }
    }
    const fd = this.next++;
    this.open.set(fd, { path: this.resolve(path), node, at: 0, append: !!(flags & constants.O_APPEND), wrote: writes });
    return fd;
  }

  /**
   * read copies from a file into buffer and returns the number of bytes.
   * @param {number} fd @param {Uint8Array} buffer @param {number} offset @param {number} length @param {number | null} position
   */
  read(fd, buffer, offset, length, position) {
    if (fd === 0) {
      return 0; // the standard input is empty
    }
    const open = this.handle(fd), file = this.file(fd), at = position ?? open.at;
    const part = file.bytes.subarray(at, Math.min(at + length, file.size));
    buffer.set(part, offset);
    if (position === null) {
      open.at += part.length;
    }
    return part.length;
  }

  /**
   * write copies from buffer into a file.
   * @param {number} fd @param {Uint8Array} buffer @param {number} offset @param {number} length @param {number | null} position
   */
  write(fd, buffer, offset, length, position) {
    const part = buffer.subarray(offset, offset + length);
    if (fd === 1 || fd === 2) {
      this.text(fd === 1 ? "stdout" : "stderr", part);
      return length;
    }
    const open = this.handle(fd), file = this.file(fd), at = open.append ? file.size : position ?? open.at;
    if (file.fixed || at + length > file.size) {
      this.resize(file, Math.max(file.size, at + length));
    }
    file.bytes.set(part, at);
    file.time = this.now();
    if (position === null) {
      open.at = at + length;
    }
    return length;
  }

  /** close closes an open file. @param {number} fd */
  close(fd) {
    const { path, node, wrote } = this.handle(fd);
    this.open.delete(fd);
    if (wrote && !isFolder(node) && this.find(path) === node) {
      this.changed(path, node.bytes.slice(0, node.size));
    }
  }

  /** remove removes a file, or an empty folder. @param {string} path @param {boolean} folder */
  remove(path, folder) {
    const node = this.get(path), [above, name] = this.split(path);
    if (isFolder(node) !== folder) {
      throw failure(folder ? "ENOTDIR" : "EISDIR");
    }
    if (isFolder(node) && node.size > 0) {
      throw failure("ENOTEMPTY");
    }
    above.delete(name);
    if (!folder) {
      this.changed(this.resolve(path), null);
    }
  }

  /** rename moves a file or folder. @param {string} from @param {string} to */
  rename(from, to) {
    const node = this.get(from), [above, name] = this.split(from), [below, other] = this.split(to);
    above.delete(name);
    below.set(other, node);
    if (!isFolder(node)) {
      this.changed(this.resolve(from), null);
      this.changed(this.resolve(to), node.bytes.slice(0, node.size));
    }
  }

  /** mkdir makes a folder. @param {string} path */
  mkdir(path) {
    const [folder, name] = this.split(path);
    if (folder.has(name)) {
      throw failure("EEXIST");
    }
    folder.set(name, new Map());
  }

  /** install makes this the file system of the Go programs that start from now on. */
  install() {
    /** @param {(...args: any[]) => any} f */
    const calls = (f) => (/** @type {any[]} */ ...args) => {
      const callback = /** @type {Callback} */ (args.pop());
      let value;
      try {
        value = f(...args);
      } catch (error) {
        return callback(/** @type {Error} */ (error));
      }
      if (value instanceof Promise) {
        value.then((v) => callback(null, v), callback);
      } else {
        callback(null, value);
      }
    };
    const no = calls(() => {
      throw failure("ENOSYS");
    });
    const done = calls(() => {});
    const stat = calls((path) => this.stat(this.get(path)));
    const fs = {
      constants, stat, lstat: stat, chmod: done, fchmod: done, chown: done, fchown: done, lchown: done, fsync: done, utimes: done,
      link: no, symlink: no, readlink: no,
      writeSync: (/** @type {number} */ fd, /** @type {Uint8Array} */ buffer) => this.write(fd, buffer, 0, buffer.length, null),
      write: calls((fd, buffer, offset, length, position) => this.write(fd, buffer, offset, length, position)),
      read: calls((fd, buffer, offset, length, position) => this.read(fd, buffer, offset, length, position)),
      open: calls((path, flags) => this.openFile(path, flags)),
      close: calls((fd) => this.close(fd)),
      fstat: calls((fd) => this.stat(fd < 3 ? { bytes: new Uint8Array(), size: 0, time: 0 } : this.handle(fd).node)),
      ftruncate: calls((fd, size) => this.resize(this.file(fd), size)),
      truncate: calls((path, size) => this.resize(/** @type {File} */ (this.get(path)), size)),
      readdir: calls((path) => [.../** @type {Folder} */ (this.get(path)).keys()].sort()),
      mkdir: calls((path) => this.mkdir(path)),
      unlink: calls((path) => this.remove(path, false)),
      rmdir: calls((path) => this.remove(path, true)),
      rename: calls((from, to) => this.rename(from, to)),
    };
    const process = {
      pid: 1, ppid: 0, getuid: () => 0, getgid: () => 0, geteuid: () => 0, getegid: () => 0, getgroups: () => [], umask: () => 0o22,
      cwd: () => this.cwd,
      chdir: (/** @type {string} */ path) => {
        if (!isFolder(this.get(path))) {
          throw failure("ENOTDIR");
        }
        this.cwd = this.resolve(path);
      },
    };
    Object.assign(globalThis, { fs, process, path: { resolve: (/** @type {string[]} */ ...parts) => this.resolve(parts.join("/")) } });
  }
}
