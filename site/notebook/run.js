// Runs a Go program in a worker, with wasm_exec.js and the file system of files.js.
import "./wasm_exec.js";
import { instantiate } from "../../mpcvm/internal/cpu/simd128.mjs";
// @ts-ignore the build adds the bytes of this file
import vectors from "../../mpcvm/internal/cpu/simd128.wasm";

/**
 * run runs a program until it ends and returns its exit status.
 * @param {WebAssembly.Module} module @param {import("./files.js").Files} files @param {string[]} argv
 * @param {Record<string, string>} [env] @returns {Promise<number>}
 */
export async function run(module, files, argv, env = {}) {
  files.install();
  const go = new /** @type {any} */ (globalThis).Go();
  let status = 0;
  go.argv = argv;
  go.env = env;
  go.exit = (/** @type {number} */ code) => {
    status = code;
  };
  // An exception of a browser that reaches Go in a callback ends the program, but not the promise of go.run.
  const failed = new Promise((_, reject) => {
    const { _resume } = go;
    go._resume = () => {
      try {
        _resume.call(go);
      } catch (error) {
        reject(error);
        throw error;
      }
    };
  });
  await Promise.race([go.run(await instantiate(module, go.importObject, vectors)), failed]);
  // Timers that outlive the program would resume it, and wasm_exec.js would throw.
  for (const timer of go._scheduledTimeouts.values()) clearTimeout(timer);
  go._scheduledTimeouts.clear();
  go._resume = () => {};
  return status;
}
