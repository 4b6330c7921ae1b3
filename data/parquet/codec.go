package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// codecs are the decoders of a reader, each made when it is first needed.
type codecs struct {
	in     bytes.Reader
	gzip   *gzip.Reader
	brotli *brotli.Reader
	zstd   *zstd.Decoder
}

// errMore says that there is more in a compressed page than there is room for.
var errMore = errors.New("more to come")

// expansion is the most bytes that one compressed byte can stand for. Gzip and Brotli
// are not here: their decoders tell how far they came.
var expansion = map[format.CompressionCodec]int{
	format.Snappy: 32,      // 64 in 3, rounded up
	format.Lz4Raw: 255,     // a length has bytes of 255
	format.Zstd:   1 << 15, // a block of 128 KiB in 4
}

// decompress makes b the n bytes that start with head, as it is, and go on with what
// in holds compressed. It sets memory aside as there are data to come, not because of
// n, which a damaged file may have wrong.
func (f *Reader) decompress(b *[]byte, n int, head, in []byte, c *column) error {
	size := n - len(head)
	if times, known := expansion[c.codec]; known && size/times > len(in)+1 {
		return fmt.Errorf("%w: %d bytes that %v made %d", errDamaged, size, c.codec, len(in))
	}
	for room := min(size, 32*len(in)+256); ; room = min(size, 8*room) {
		if err := f.room(b, int64(len(head)+room)); err != nil {
			return err
		}
		k, err := 0, error(nil)
		if size > 0 { // a page of nulls may have no values to compress
			k, err = f.codecs.decode((*b)[len(head):], in, c.codec)
		}
		if err == errMore && room < size {
			continue
		}
		switch {
		case err == errMore || err == nil && k != size:
			return fmt.Errorf("%w: a page that does not decompress to %d bytes", errDamaged, size)
		case err != nil:
			return fmt.Errorf("%w: %v: %w", errDamaged, c.codec, err)
		}
		copy(*b, head)
		return nil
	}
}

// decode decompresses in to dst and returns how many bytes it is.
func (d *codecs) decode(dst, in []byte, codec format.CompressionCodec) (n int, err error) {
	switch codec {
	case format.Snappy:
		n, err := snappy.DecodedLen(in)
		if err != nil {
			return 0, err
		}
		if n != len(dst) {
			return n, errMore
		}
		_, err = snappy.Decode(dst, in)
		return n, err
	case format.Lz4Raw:
		n, err := lz4.UncompressBlock(in, dst)
		if err != nil { // of a damaged block too
			return 0, errMore
		}
		return n, nil
	case format.Zstd:
		if d.zstd == nil {
			if d.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true)); err != nil {
				return 0, err
			}
		}
		out, err := d.zstd.DecodeAll(in, dst[:0:len(dst)])
		if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
			err = errMore
		}
		return len(out), err
	case format.Gzip:
		d.in.Reset(in)
		if d.gzip == nil {
			d.gzip = new(gzip.Reader)
		}
		if err := d.gzip.Reset(&d.in); err != nil {
			return 0, err
		}
		return fill(d.gzip, dst)
	case format.Brotli:
		d.in.Reset(in)
		if d.brotli == nil {
			d.brotli = new(brotli.Reader)
		}
		if err := d.brotli.Reset(&d.in); err != nil {
			return 0, err
		}
		return fill(d.brotli, dst)
	}
	return 0, fmt.Errorf("the compression %v is not read", codec)
}

// fill reads all of r into dst.
func fill(r io.Reader, dst []byte) (n int, err error) {
	n, err = io.ReadFull(r, dst)
	if err == io.ErrUnexpectedEOF || err == io.EOF {
		return n, nil // fewer
	}
	if err != nil {
		return n, err
	}
	var one [1]byte
	if k, err := io.ReadFull(r, one[:]); k > 0 {
		return n, errMore
	} else if err != io.EOF {
		return n, err
	}
	return n, nil
}
