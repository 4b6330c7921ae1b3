// Unpacks data, a file as `xz --format=lzma` writes it, by the LZMA specification of Igor Pavlov. The body of a
// function, which boot.js calls; its names are those of the specification.
const lc = data[0] % 9, lp = (data[0] / 9 | 0) % 5, pb = data[0] / 45 | 0;
const probs = n => new Uint16Array(n).fill(1024);

// The range decoder. The bytes before it are the head of the file and a zero.
let range = 0xffffffff, code = 0, at = 14;
const normalize = () => {
  if (range >= 1 << 24) return;
  range *= 256;
  code = code * 256 + data[at++];
};
for (let i = 0; i < 4; i++) code = code * 256 + data[at++];
const bit = (p, i) => {
  const bound = (range >>> 11) * p[i], one = +(code >= bound);
  if (one) {
    range -= bound;
    code -= bound;
    p[i] -= p[i] >> 5;
  } else {
    range = bound;
    p[i] += 2048 - p[i] >> 5;
  }
  normalize();
  return one;
};
const direct = n => {
  let v = 0;
  for (; n--; normalize()) {
    range >>>= 1;
    const one = +(code >= range);
    if (one) code -= range;
    v = v * 2 + one;
  }
  return v;
};
const tree = (p, from, n) => {
  let m = 1;
  for (let i = 0; i < n; i++) m = m << 1 | bit(p, from + m);
  return m - (1 << n);
};
const reverse = (p, from, n) => {
  let m = 1, v = 0;
  for (let i = 0; i < n; i++) {
    const one = bit(p, from + m);
    m = m << 1 | one;
    v |= one << i;
  }
  return v;
};

const lengths = () => {
  const choice = probs(2), low = probs(128), mid = probs(128), high = probs(256);
  return posState => !bit(choice, 0) ? tree(low, posState << 3, 3)
    : !bit(choice, 1) ? 8 + tree(mid, posState << 3, 3) : 16 + tree(high, 0, 8);
};
const literals = probs(0x300 << lc + lp), isMatch = probs(192), isRep = probs(12), isRepG0 = probs(12), isRepG1 = probs(12),
  isRepG2 = probs(12), isRep0Long = probs(192), posSlots = probs(256), posDecoders = probs(115), align = probs(16);
const matchLength = lengths(), repLength = lengths();

let out = new Uint8Array(1 << 20), pos = 0, state = 0, rep0 = 0, rep1 = 0, rep2 = 0, rep3 = 0;
const put = byte => {
  if (pos === out.length) {
    const longer = new Uint8Array(2 * pos);
    longer.set(out);
    out = longer;
  }
  out[pos++] = byte;
};
for (;;) {
  const posState = pos & (1 << pb) - 1;
  if (!bit(isMatch, (state << 4) + posState)) {
    const from = 0x300 * (((pos & (1 << lp) - 1) << lc) + ((pos && out[pos - 1]) >> 8 - lc));
    let symbol = 1;
    if (state >= 7) {
      let match = out[pos - rep0 - 1];
      for (let same = true; same && symbol < 256; match <<= 1) {
        const expected = match >> 7 & 1, one = bit(literals, from + (1 + expected << 8) + symbol);
        symbol = symbol << 1 | one;
        same = one === expected;
      }
    }
    while (symbol < 256) symbol = symbol << 1 | bit(literals, from + symbol);
    put(symbol);
    state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
    continue;
  }
  let length;
  if (bit(isRep, state)) {
    if (!bit(isRepG0, state)) {
      if (!bit(isRep0Long, (state << 4) + posState)) {
        state = state < 7 ? 9 : 11;
        put(out[pos - rep0 - 1]);
        continue;
      }
    } else if (!bit(isRepG1, state)) [rep0, rep1] = [rep1, rep0];
    else if (!bit(isRepG2, state)) [rep0, rep1, rep2] = [rep2, rep0, rep1];
    else [rep0, rep1, rep2, rep3] = [rep3, rep0, rep1, rep2];
    length = repLength(posState);
    state = state < 7 ? 8 : 11;
  } else {
    [rep1, rep2, rep3] = [rep0, rep1, rep2];
    length = matchLength(posState);
    state = state < 7 ? 7 : 10;
    rep0 = tree(posSlots, Math.min(length, 3) << 6, 6);
    if (rep0 > 3) {
      const slot = rep0, n = (slot >> 1) - 1;
      rep0 = (2 | slot & 1) * 2 ** n;
      rep0 += slot < 14 ? reverse(posDecoders, rep0 - slot, n) : direct(n - 4) * 16 + reverse(align, 0, 4);
    }
    if (rep0 === 0xffffffff) return out.subarray(0, pos);
  }
  for (length += 2; length--;) put(out[pos - rep0 - 1]);
}
