/**
 * fetched fetches a file. It calls counted with the size of each chunk that arrives.
 * @param {URL | string} url @param {(bytes: number) => void} [counted] @returns {Promise<ArrayBuffer>}
 */
export async function fetched(url, counted = () => {}) {
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
  return new Response(response.body.pipeThrough(count)).arrayBuffer();
}
