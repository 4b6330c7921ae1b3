package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/mpcvm/mpcvm/data"
)

// kind is what the values of a column are.
type kind int

const (
	other kind = iota
	boolean
	integer32
	integer64
	unsigned32
	unsigned64
	float16
	float32s
	float64s
	decimal
	text
)

// kindOf tells the kind of a column.
func kindOf(e element) kind {
	switch e.logical {
	case logicalDecimal:
		return decimal
	case logicalString, logicalEnum:
		return textOf(e.physical)
	case logicalFloat16:
		if e.physical == format.FixedLenByteArray && e.length == 2 {
			return float16
		}
		return other
	case logicalInteger:
		return integer(e.physical, e.signed)
	case noLogical:
	default:
		return other
	}
	switch e.converted {
	case deprecated.UTF8, deprecated.Enum:
		return textOf(e.physical)
	case deprecated.Decimal:
		return decimal
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		return integer(e.physical, false)
	case -1, deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
	default:
		return other
	}
	switch e.physical {
	case format.Boolean:
		return boolean
	case format.Int32, format.Int64:
		return integer(e.physical, true)
	case format.Float:
		return float32s
	case format.Double:
		return float64s
	case format.ByteArray:
		return text
	}
	return other
}

func textOf(t format.Type) kind {
	if t == format.ByteArray || t == format.FixedLenByteArray {
		return text
	}
	return other
}

func integer(t format.Type, signed bool) kind {
	switch {
	case t == format.Int32 && signed:
		return integer32
	case t == format.Int64 && signed:
		return integer64
	case t == format.Int32:
		return unsigned32
	case t == format.Int64:
		return unsigned64
	}
	return other
}

// numberOfWord returns what turns the words of a column into numbers, nil if they are
// none.
func numberOfWord(e element) func(uint64) float64 {
	switch kindOf(e) {
	case boolean:
		return func(w uint64) float64 { return float64(w) }
	case integer32:
		return func(w uint64) float64 { return float64(int32(uint32(w))) }
	case integer64:
		return func(w uint64) float64 { return float64(int64(w)) }
	case unsigned32, unsigned64:
		return func(w uint64) float64 { return float64(w) }
	case float32s:
		return func(w uint64) float64 { return float64(math.Float32frombits(uint32(w))) }
	case float64s:
		return math.Float64frombits
	case decimal:
		switch e.physical {
		case format.Int32:
			return func(w uint64) float64 { return scaled(big.NewInt(int64(int32(uint32(w)))), e.scale) }
		case format.Int64:
			return func(w uint64) float64 { return scaled(big.NewInt(int64(w)), e.scale) }
		}
	}
	return nil
}

// numberOfPiece is numberOfWord for pieces.
func numberOfPiece(e element) func([]byte) (float64, error) {
	switch kindOf(e) {
	case float16:
		return func(b []byte) (float64, error) { return half(b), nil }
	case decimal:
		if e.physical == format.ByteArray || e.physical == format.FixedLenByteArray {
			return func(b []byte) (float64, error) {
				const most = 512 // bytes; a float64 has no room for what 128 can say
				if len(b) > most {
					return 0, valueError{fmt.Errorf("%w: a decimal of %d bytes, it may have %d", data.ErrNotNumber, len(b), most), ""}
				}
				return scaled(twosComplement(b), e.scale), nil
			}
		}
	}
	return nil
}

// textOfWord returns what writes the words of a column of classes, nil if they are none.
func textOfWord(e element) func(uint64) string {
	switch kindOf(e) {
	case boolean:
		return func(w uint64) string { return strconv.FormatBool(w != 0) }
	case integer32:
		return func(w uint64) string { return strconv.FormatInt(int64(int32(uint32(w))), 10) }
	case integer64:
		return func(w uint64) string { return strconv.FormatInt(int64(w), 10) }
	case unsigned32, unsigned64:
		return func(w uint64) string { return strconv.FormatUint(w, 10) }
	}
	return nil
}

// maxText is the number of bytes that a class name may have, as in a model.
const maxText = 1 << 16

func textError(size int) error {
	return valueError{fmt.Errorf("a class name of %d bytes, it may have %d", size, maxText), ""}
}

func cleanBytes(b []byte) []byte { return bytes.TrimFunc(b, isSpace) }

// half is the value of an IEEE 754 binary16 number, little-endian.
func half(b []byte) float64 {
	if len(b) != 2 {
		return math.NaN()
	}
	bits := binary.LittleEndian.Uint16(b)
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	var x float64
	switch exponent {
	case 0:
		x = math.Ldexp(fraction, -24)
	case 31:
		x = math.Inf(1)
		if fraction != 0 {
			x = math.NaN()
		}
	default:
		x = math.Ldexp(1024+fraction, exponent-25)
	}
	if bits>>15 == 1 {
		return -x
	}
	return x
}

// twosComplement is the integer whose bytes, the highest first, are b.
func twosComplement(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 1<<7 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// scaled is the float64 nearest to n/10^scale.
func scaled(n *big.Int, scale int) float64 {
	const exact = 1 << 53 // integers up to here, and powers of ten up to 22, are float64s
	if v := n.Int64(); n.IsInt64() && -exact <= v && v <= exact && 0 <= scale && scale <= 22 {
		return float64(v) / math.Pow10(scale)
	}
	if scale < 0 || scale > 1<<10 {
		return math.NaN() // no Parquet file says that
	}
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	x, _ := new(big.Rat).SetFrac(n, power).Float64()
	return x
}
