// Runs Go programs that were built with the tag simd128: their vector instructions are in simd128.wasm, which computes in
// the memory of the program.

/**
 * instantiate is WebAssembly.instantiate for a Go program. Without vector instructions, the program is told so by present.
 * @param {WebAssembly.Module} program @param {WebAssembly.Imports} imports @param {BufferSource} vectors simd128.wasm
 */
export async function instantiate(program, imports, vectors) {
  const module = WebAssembly.validate(vectors) ? new WebAssembly.Module(vectors) : null;
  /** @type {Record<string, any>} */
  let found = {};
  /** @type {Record<string, (...values: number[]) => number>} */
  const simd128 = {};
  for (const { module: from, name } of WebAssembly.Module.imports(program)) {
    if (from === "simd128") simd128[name] = (...values) => found[name](...values);
  }
  simd128.present = () => module ? 1 : 0;
  const instance = await WebAssembly.instantiate(program, { ...imports, simd128 });
  if (module) found = (await WebAssembly.instantiate(module, { go: instance.exports })).exports;
  return instance;
}
