/** unpacked returns the content of a gzipped file. @param {BufferSource} bytes @returns {Response} */
export const unpacked = bytes => new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")), { headers: { "Content-Type": "application/wasm" } });
