package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// slack is the number of values by which a run may exceed its page: bit-packed runs are
// multiples of 8 values.
const slack = 512

// plainDictionary is what older files call a dictionary and the indexes of it.
const plainDictionary format.Encoding = 2

// expansion is the most bytes that one compressed byte can stand for, rounded up. Brotli
// has no such bound.
var expansion = map[format.CompressionCodec]int64{format.Snappy: 32, format.Lz4Raw: 255, format.Gzip: 1032, format.Zstd: 1 << 15}

// readHeader reads the header of the next page of the chunk and goes to the page.
func (f *Reader) readHeader(c *column) (h format.PageHeader, err error) {
	const (
		usual = 256
		most  = 16 << 20 // as other readers have it
	)
	for window := int64(usual); ; window *= 8 {
		n := min(window, most, c.end-c.at)
		if err := f.grow(&f.body, n); err != nil {
			return h, err
		}
		if err := readFull(f.in, f.body, c.at); err != nil {
			return h, err
		}
		before := f.held
		h = format.PageHeader{}
		used, err := unmarshal(f.body, &h, &f.budget)
		f.held = before // nothing of a header is kept
		switch {
		case err != nil && n == window && n < most:
			continue // it may be longer: there can be statistics in it
		case err != nil || h.CompressedPageSize < 0 || h.UncompressedPageSize < 0 || int64(h.CompressedPageSize) > c.end-c.at-int64(used):
			return h, fmt.Errorf("%w: the header of a page", errDamaged)
		}
		c.at += int64(used)
		return h, nil
	}
}

// load reads a page, checks its checksum if it has one, and decompresses all of it but
// the first bytes, which are levels. The page is valid until the next one is loaded.
func (f *Reader) load(h *format.PageHeader, c *column, levels int, compressed bool) ([]byte, error) {
	if levels < 0 || levels > int(min(h.CompressedPageSize, h.UncompressedPageSize)) {
		return nil, fmt.Errorf("%w: a page of %d bytes", errDamaged, h.CompressedPageSize)
	}
	if err := f.grow(&f.body, int64(h.CompressedPageSize)); err != nil {
		return nil, err
	}
	if err := readFull(f.in, f.body, c.at); err != nil {
		return nil, err
	}
	c.at += int64(h.CompressedPageSize)
	if h.CRC != 0 && uint32(h.CRC) != crc32.ChecksumIEEE(f.body) { // many writers have a zero for none
		return nil, fmt.Errorf("%w: the checksum of a page", errDamaged)
	}
	if !compressed || c.codec == format.Uncompressed {
		if h.UncompressedPageSize != h.CompressedPageSize {
			return nil, fmt.Errorf("%w: a page of %d bytes that are %d", errDamaged, h.CompressedPageSize, h.UncompressedPageSize)
		}
		return f.body, nil
	}
	if times, known := expansion[c.codec]; known && int64(h.UncompressedPageSize) > times*(int64(h.CompressedPageSize)+1) {
		return nil, fmt.Errorf("%w: %d bytes that %v made %d", errDamaged, h.UncompressedPageSize, c.codec, h.CompressedPageSize)
	}
	if err := f.grow(&f.page, int64(h.UncompressedPageSize)); err != nil {
		return nil, err
	}
	copy(f.page, f.body[:levels])
	if levels == len(f.page) {
		return f.page, nil // a page of nulls may have no values to decompress
	}
	switch err := f.decompress(f.page[levels:], f.body[levels:], c.codec); err {
	case nil:
		return f.page, nil
	case errCodec:
		return nil, fmt.Errorf("the compression %v is not read", c.codec)
	default:
		return nil, fmt.Errorf("%w: %v: %w", errDamaged, c.codec, err)
	}
}

var (
	errCodec = errors.New("unknown compression")
	errSize  = errors.New("a page does not decompress to the size that it claims")
)

// decompress fills dst. It is here because parquet-go's codecs do not stop at the size
// that a page claims: a damaged LZ4 block has its buffer doubled for ever.
func (f *Reader) decompress(dst, src []byte, codec format.CompressionCodec) (err error) {
	defer recoverAs(&err)
	var r io.Reader
	switch codec {
	case format.Snappy:
		if n, err := snappy.DecodedLen(src); err != nil || n != len(dst) {
			return errSize
		}
		_, err := snappy.Decode(dst, src)
		return err
	case format.Lz4Raw:
		if n, err := lz4.UncompressBlock(src, dst); err != nil || n != len(dst) {
			return errSize
		}
		return nil
	case format.Zstd:
		if f.zstd == nil {
			if f.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true)); err != nil {
				return err
			}
		}
		out, err := f.zstd.DecodeAll(src, dst[:0:len(dst)])
		if err == nil && len(out) != len(dst) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
			err = errSize
		}
		return err
	case format.Gzip:
		if r, err = gzip.NewReader(bytes.NewReader(src)); err != nil {
			return err
		}
	case format.Brotli:
		r = brotli.NewReader(bytes.NewReader(src))
	default:
		return errCodec
	}
	if n, err := io.ReadFull(r, dst); n < len(dst) {
		if err == io.ErrUnexpectedEOF || err == io.EOF {
			err = errSize
		}
		return err
	}
	if n, err := io.CopyN(io.Discard, r, 1); n > 0 {
		return errSize
	} else if err != io.EOF {
		return err
	}
	return nil
}

// readLevels decodes which of n values are there, as 1, and are no nulls.
func (c *column) readLevels(f *Reader, b []byte, n int) (err error) {
	defer recoverAs(&err)
	if b, err = cutRuns(b, 1, n); err != nil {
		return err
	}
	if err := f.grow(&c.levelBytes, int64(n)+slack); err != nil {
		return err
	}
	c.levels, err = (&rle.Encoding{BitWidth: 1}).DecodeLevels(c.levelBytes, b)
	if err != nil || len(c.levels) < n {
		return fmt.Errorf("%w: nulls", errDamaged)
	}
	c.levels = c.levels[:n]
	return nil
}

// decode decodes n values of a page. It counts their memory before.
func (c *column) decode(f *Reader, b []byte, e format.Encoding, n int) (err error) {
	defer recoverAs(&err)
	b = b[:len(b):len(b)] // the library looks beyond the end where it can
	c.indexes, c.page = nil, values{}
	if n == 0 {
		return nil
	}
	if e == format.RLEDictionary || e == plainDictionary {
		return c.decodeIndexes(f, b, n)
	}
	size := int64(len(b))
	if c.Type.V == format.ByteArray {
		size += 4 * int64(n) // offsets
	}
	switch {
	case e == format.RLE && len(b) >= 4: // booleans, after the length of their runs
		var runs []byte
		runs, err = cutRuns(b[4:][:min(len(b)-4, int(binary.LittleEndian.Uint32(b)))], 1, n)
		b = append(binary.LittleEndian.AppendUint32(nil, uint32(len(runs))), runs...)
		size += int64(n) / 8
	case e == format.DeltaBinaryPacked:
		size = 8 * int64(n)
		_, err = deltas(b, n)
	case e == format.DeltaLengthByteArray:
		size += 8 * int64(n) // lengths
		_, err = deltas(b, n)
	case e == format.DeltaByteArray:
		var prefixes int64
		prefixes, err = sumPrefixes(b, n)
		size += 16*int64(n) + prefixes
	}
	if err != nil {
		return err
	}
	if more := size - c.decoded; more > 0 {
		if err := f.take(more); err != nil {
			return err
		}
		c.decoded = size
	}
	if c.page, err = c.decodeValues(b, pq.LookupEncoding(e)); err != nil {
		return fmt.Errorf("%w: values of type %v in the encoding %v: %w", errDamaged, c.Type.V, e, err)
	}
	if c.page.n < n {
		return fmt.Errorf("%w: %d values, not %d", errDamaged, c.page.n, n)
	}
	return nil
}

// decodeIndexes decodes n indexes of the dictionary.
func (c *column) decodeIndexes(f *Reader, b []byte, n int) error {
	if len(b) == 0 || b[0] > 32 || !c.known {
		return fmt.Errorf("%w: the indexes of a dictionary", errDamaged)
	}
	width := uint(b[0])
	b, err := cutRuns(b[1:], width, n)
	if err != nil {
		return err
	}
	if most := n + slack; most > cap(c.indexBuffer) {
		if err := f.take(4 * int64(most-cap(c.indexBuffer))); err != nil {
			return err
		}
		c.indexBuffer = make([]int32, most)
	}
	c.indexes, err = (&rle.Encoding{BitWidth: int(width)}).DecodeInt32(c.indexBuffer, b)
	if err != nil || len(c.indexes) < n {
		return fmt.Errorf("%w: the indexes of a dictionary", errDamaged)
	}
	for _, k := range c.indexes[:n] {
		if int64(uint32(k)) >= int64(c.dictionary.n) {
			return fmt.Errorf("%w: no value %d in a dictionary of %d", errDamaged, uint32(k), c.dictionary.n)
		}
	}
	c.page = c.dictionary
	return nil
}

// cutRuns cuts off what follows n values in runs of a bit width. It refuses a run that is
// much longer, because the library would write it out.
func cutRuns(b []byte, width uint, n int) ([]byte, error) {
	at := 0
	for left := int64(n); left > 0 && at < len(b); {
		head, k := binary.Uvarint(b[at:])
		count, size := head>>1, uint64(width+7)/8
		if k <= 0 || count > uint64(n)+slack {
			return nil, fmt.Errorf("%w: runs longer than their page", errDamaged)
		}
		if at += k; count == 0 {
			continue // without a value, as the library reads it
		}
		if head&1 == 1 {
			size = count * uint64(width)
			count *= 8
		}
		if left -= int64(count); left < -slack {
			return nil, fmt.Errorf("%w: runs longer than their page", errDamaged)
		}
		at = int(min(uint64(at)+size, uint64(len(b))))
	}
	return b[:at], nil
}

// deltas returns what follows the numbers that b starts with, packed by differences. It
// refuses more than n of them, because the library would make room for any number.
func deltas(b []byte, n int) (rest []byte, err error) {
	err = fmt.Errorf("%w: the head of a page of differences", errDamaged)
	var head [3]uint64 // the numbers of a block, its parts, all numbers
	for i := range head {
		k := 0
		if head[i], k = binary.Uvarint(b); k <= 0 {
			return nil, err
		}
		b = b[k:]
	}
	_, k := binary.Varint(b)
	block, parts, left := head[0], head[1], int64(head[2])-1
	if k <= 0 || block == 0 || block > 1<<16 || parts == 0 || parts > block || head[2] > uint64(n) {
		return nil, err
	}
	for b = b[k:]; left > 0; {
		_, k := binary.Varint(b)
		if k <= 0 || uint64(len(b)-k) < parts {
			return nil, fmt.Errorf("%w: %d differences are missing", errDamaged, left)
		}
		widths := b[k:][:parts]
		b = b[k:][parts:]
		for _, w := range widths {
			if left <= 0 {
				break
			}
			part := int64(block / parts)
			if w > 64 || (min(part, left)*int64(w)+7)/8 > int64(len(b)) {
				return nil, fmt.Errorf("%w: %d differences of %d bits in %d bytes", errDamaged, left, w, len(b))
			}
			b = b[min(part*int64(w)/8, int64(len(b))):]
			left -= part
		}
	}
	return b, nil
}

// sumPrefixes returns how many bytes the values of a page of n share with the value
// before, in total. A small page can be large for them.
func sumPrefixes(b []byte, n int) (sum int64, err error) {
	rest, err := deltas(b, n)
	if err != nil {
		return 0, err
	}
	if _, err := deltas(rest, n); err != nil {
		return 0, err
	}
	prefixes, err := new(delta.BinaryPackedEncoding).DecodeInt32(nil, b)
	for _, p := range prefixes {
		sum += int64(max(p, 0))
	}
	return sum, err
}
