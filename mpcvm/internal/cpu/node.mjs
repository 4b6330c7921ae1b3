// Makes node run programs with the tag simd128, if it is imported before Go's wasm_exec_node.js.
import { readFileSync } from "node:fs";
import { instantiate } from "./simd128.mjs";

const vectors = readFileSync(new URL("simd128.wasm", import.meta.url));
const plain = WebAssembly.instantiate;
WebAssembly.instantiate = async (program, imports) => {
  if (program instanceof WebAssembly.Module) return plain(program, imports);
  const module = await WebAssembly.compile(program);
  return { module, instance: await instantiate(module, imports, vectors) };
};
