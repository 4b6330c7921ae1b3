package parquet

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"strconv"

	pq "github.com/parquet-go/parquet-go"
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

// kindOf tells the kind of a column, and the scale of a decimal.
func kindOf(node pq.Node) (k kind, scale int) {
	t := node.Type()
	var logical any
	if l := t.LogicalType(); l != nil {
		logical = l.Value
	}
	converted := deprecated.ConvertedType(-1)
	if c := t.ConvertedType(); c != nil {
		converted = *c
	}
	switch l := logical.(type) {
	case *format.DecimalType:
		return decimal, int(l.Scale)
	case *format.StringType, *format.EnumType:
		return text, 0
	case *format.Float16Type:
		return float16, 0
	case *format.IntType:
		return integer(t.Kind(), l.IsSigned), 0
	case nil:
	default:
		return other, 0
	}
	switch converted {
	case deprecated.UTF8, deprecated.Enum:
		return text, 0
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		return integer(t.Kind(), false), 0
	case -1, deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
	default:
		return other, 0
	}
	switch t.Kind() {
	case pq.Boolean:
		return boolean, 0
	case pq.Int32, pq.Int64:
		return integer(t.Kind(), true), 0
	case pq.Float:
		return float32s, 0
	case pq.Double:
		return float64s, 0
	case pq.ByteArray:
		return text, 0
	}
	return other, 0
}

func integer(k pq.Kind, signed bool) kind {
	switch {
	case k == pq.Int32 && signed:
		return integer32
	case k == pq.Int64 && signed:
		return integer64
	case k == pq.Int32:
		return unsigned32
	case k == pq.Int64:
		return unsigned64
	}
	return other
}

// numbers returns what reads the numbers of a column, nil if it has none.
func numbers(node pq.Node) func(pq.Value) (float64, error) {
	k, scale := kindOf(node)
	if k == float64s { // the most frequent, by itself
		return func(v pq.Value) (float64, error) {
			x := v.Double()
			if v.IsNull() || math.IsNaN(x) || math.IsInf(x, 0) {
				return notFinite(v, x)
			}
			return x, nil
		}
	}
	var number func(pq.Value) float64
	switch k {
	case boolean:
		number = func(v pq.Value) float64 {
			if v.Boolean() {
				return 1
			}
			return 0
		}
	case integer32:
		number = func(v pq.Value) float64 { return float64(v.Int32()) }
	case integer64:
		number = func(v pq.Value) float64 { return float64(v.Int64()) }
	case unsigned32:
		number = func(v pq.Value) float64 { return float64(v.Uint32()) }
	case unsigned64:
		number = func(v pq.Value) float64 { return float64(v.Uint64()) }
	case float32s:
		number = func(v pq.Value) float64 { return float64(v.Float()) }
	case float16:
		number = func(v pq.Value) float64 { return half(v.ByteArray()) }
	case decimal:
		switch node.Type().Kind() {
		case pq.Int32:
			number = func(v pq.Value) float64 { return scaled(big.NewInt(int64(v.Int32())), scale) }
		case pq.Int64:
			number = func(v pq.Value) float64 { return scaled(big.NewInt(v.Int64()), scale) }
		case pq.ByteArray, pq.FixedLenByteArray:
			number = func(v pq.Value) float64 { return scaled(twosComplement(v.ByteArray()), scale) }
		default:
			return nil
		}
	default:
		return nil
	}
	return func(v pq.Value) (float64, error) {
		if v.IsNull() {
			return notFinite(v, 0)
		}
		x := number(v)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return notFinite(v, x)
		}
		return x, nil
	}
}

func notFinite(v pq.Value, x float64) (float64, error) {
	if v.IsNull() {
		return 0, valueError{data.ErrMissing, ""}
	}
	return 0, valueError{data.ErrNotFinite, strconv.FormatFloat(x, 'g', -1, 64)}
}

// texts returns what appends the text of a class, nil if the column has none.
func texts(node pq.Node) func([]byte, pq.Value) []byte {
	switch k, _ := kindOf(node); k {
	case text:
		return func(b []byte, v pq.Value) []byte { return append(b, v.ByteArray()...) }
	case boolean:
		return func(b []byte, v pq.Value) []byte { return strconv.AppendBool(b, v.Boolean()) }
	case integer32:
		return func(b []byte, v pq.Value) []byte { return strconv.AppendInt(b, int64(v.Int32()), 10) }
	case integer64:
		return func(b []byte, v pq.Value) []byte { return strconv.AppendInt(b, v.Int64(), 10) }
	case unsigned32:
		return func(b []byte, v pq.Value) []byte { return strconv.AppendUint(b, uint64(v.Uint32()), 10) }
	case unsigned64:
		return func(b []byte, v pq.Value) []byte { return strconv.AppendUint(b, v.Uint64(), 10) }
	}
	return nil
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
