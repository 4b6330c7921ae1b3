/**
 * restore undoes in place what slim of site/build/archive.go does with the blocks of the object files in an archive.
 * @param {Uint8Array} archive @param {[number, number, number][]} blocks
 */
export function restore(archive, blocks) {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.length);
  const text = (/** @type {number} */ from, /** @type {number} */ to) => new TextDecoder("latin1").decode(archive.subarray(from, to));
  for (let at = 8; at < archive.length;) {
    const start = at + 60, size = Number(text(at + 48, at + 58)), found = text(start, start + Math.min(size, 300)).indexOf("\0go120ld");
    at = start + size + size % 2;
    if (found < 0) {
      continue; // no object file
    }
    const object = start + found, offset = (/** @type {number} */ i) => object + view.getUint32(object + 20 + 4 * i, true);
    for (const [block, length, number] of blocks) {
      const from = offset(block), columns = archive.slice(from, offset(block + 1)), n = columns.length / length;
      for (let c = 0, k = 0; c < length; c++) {
        for (let to = from + c; k < (c + 1) * n; to += length) {
          archive[to] = columns[k++];
        }
      }
      for (let i = 1, to = from + number; i < n; i++, to += length) {
        view.setUint32(to + length, view.getUint32(to + length, true) + view.getUint32(to, true), true);
      }
    }
  }
}
