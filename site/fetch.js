/**
 * unpacked fetches a gzipped file and gives its content. It tells counted the size of each part that comes.
 * @param {URL | string} url @param {(bytes: number) => void} [counted] @returns {Promise<Response>}
 */
export async function unpacked(url, counted = () => {}) {
  const response = await fetch(url);
  if (!response.ok || !response.body) {
    throw new Error(`${url}: ${response.status} ${response.statusText}`);
  }
  const count = new TransformStream({
    transform(chunk, controller) {
      counted(chunk.length);
      controller.enqueue(chunk);
    },
  });
  const body = response.body.pipeThrough(count).pipeThrough(new DecompressionStream("gzip"));
  return new Response(body, { headers: { "Content-Type": "application/wasm" } });
}
