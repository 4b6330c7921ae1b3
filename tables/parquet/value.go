package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/tables/table"
)

// kind is the kind of the values of a column.
type kind int

const (
	other kind = iota
	boolean
	signed
	unsigned
	float16
	real
	decimal
	text
	date // or timestamp
)

// kindOf returns the kind of a column according to its annotation or, without one, its physical type. of is
// the type in the library, which translates the annotations of older files. perSecond is the number of units
// of a timestamp per second, or 0 for dates, and scale is the scale of decimals.
func kindOf(e *format.SchemaElement, of pq.Type) (k kind, perSecond float64, scale int) {
	whole := e.Type.V == format.Int32 || e.Type.V == format.Int64
	fixed := e.Type.V == format.FixedLenByteArray
	bytes := e.Type.V == format.ByteArray || fixed
	annotation := e.LogicalType.Value
	if older := of.LogicalType(); annotation == nil && older != nil {
		annotation = older.Value
	}
	switch t := annotation.(type) {
	case nil:
		switch {
		case e.Type.V == format.Int96:
			return date, 1e9, 0
		case !e.ConvertedType.Valid:
			k = map[format.Type]kind{format.Boolean: boolean, format.Int32: signed, format.Int64: signed,
				format.Float: real, format.Double: real, format.ByteArray: text}[e.Type.V]
		case e.ConvertedType.V == deprecated.Decimal: // without a precision
			k, scale = decimal, int(e.Scale.V)
		}
	case *format.DateType:
		if e.Type.V == format.Int32 {
			return date, 0, 0
		}
	case *format.TimestampType:
		if e.Type.V == format.Int64 && t.Unit.Value != nil {
			return date, float64(time.Second / t.Unit.Value.Duration()), 0
		}
	case *format.DecimalType:
		k, scale = decimal, int(t.Scale)
	case *format.StringType, *format.EnumType:
		k = text
	case *format.Float16Type:
		k = float16
	case *format.IntType:
		if k = unsigned; t.IsSigned {
			k = signed
		}
	}
	switch {
	case fixed && e.TypeLength.V <= 0,
		k == text && !bytes,
		k == decimal && !bytes && !whole,
		(k == signed || k == unsigned) && !whole,
		k == float16 && !(fixed && e.TypeLength.V == 2):
		return other, 0, 0
	}
	return k, 0, scale
}

func typeName(e *format.SchemaElement) string {
	switch {
	case e.LogicalType.Value != nil:
		return e.LogicalType.String()
	case e.ConvertedType.Valid:
		return fmt.Sprintf("%v, converted type %d", e.Type.V, e.ConvertedType.V)
	}
	return e.Type.V.String()
}

// number returns a value as a float64, which is NaN for texts.
func (c *column) number(v pq.Value) (float64, error) {
	switch c.kind {
	case boolean:
		if v.Boolean() {
			return 1, nil
		}
		return 0, nil
	case signed:
		return float64(integer(v)), nil
	case unsigned:
		return float64(natural(v)), nil
	case float16:
		return half(v.ByteArray()), nil
	case real:
		if v.Kind() == pq.Float {
			return float64(v.Float()), nil
		}
		return v.Double(), nil
	case date:
		if v.Kind() == pq.Int96 {
			return int96(v.Int96()), nil
		}
		if c.perSecond == 0 {
			return float64(integer(v)) * 86400, nil
		}
		return float64(integer(v)) / c.perSecond, nil
	case decimal:
		if v.Kind() == pq.Int32 || v.Kind() == pq.Int64 {
			return scaled(big.NewInt(integer(v)), c.scale), nil
		}
		const most = 512 // bytes; 128 bytes already exceed the range of float64
		if n := len(v.ByteArray()); n > most {
			return 0, fmt.Errorf("%w: decimal of %d bytes, the limit is %d", cell.ErrNotNumber, n, most)
		}
		return scaled(twosComplement(v.ByteArray()), c.scale), nil
	}
	return math.NaN(), nil
}

func (c *column) text(dst []byte, v pq.Value) ([]byte, error) {
	switch c.kind {
	case text:
		return append(dst, bytes.TrimFunc(v.ByteArray(), cell.Blank)...), nil
	case boolean:
		return strconv.AppendBool(dst, v.Boolean()), nil
	case signed:
		return strconv.AppendInt(dst, integer(v), 10), nil
	case unsigned:
		return strconv.AppendUint(dst, natural(v), 10), nil
	}
	x, err := c.number(v)
	if c.kind == date {
		return append(dst, table.FormatDate(x)...), err
	}
	return strconv.AppendFloat(dst, x, 'g', -1, 64), err
}

func integer(v pq.Value) int64 {
	if v.Kind() == pq.Int32 {
		return int64(v.Int32())
	}
	return v.Int64()
}

func natural(v pq.Value) uint64 {
	if v.Kind() == pq.Int32 {
		return uint64(v.Uint32())
	}
	return v.Uint64()
}

// int96 returns the time of a timestamp of the nanoseconds of the day and the Julian day.
func int96(v deprecated.Int96) float64 {
	const epoch = 2440588 // Julian day of 1970-01-01
	return (float64(v[2])-epoch)*86400 + float64(int64(v[1])<<32|int64(v[0]))/1e9
}

// half returns the value of a little-endian IEEE 754 binary16 number.
func half(b []byte) float64 {
	bits := uint32(binary.LittleEndian.Uint16(b))
	// Interpreted as a float32, the shifted bits are too small by a factor of 2¹¹².
	x := float64(math.Float32frombits(bits&0x7fff<<13|bits>>15<<31)) * 0x1p112
	switch {
	case math.Abs(x) < 1<<16:
		return x
	case bits&0x3ff != 0:
		return math.NaN()
	}
	return math.Inf(int(x))
}

// twosComplement returns the integer with the big-endian bytes b.
func twosComplement(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 1<<7 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// scaled returns the float64 nearest to n/10^scale.
func scaled(n *big.Int, scale int) float64 {
	const exact = 1 << 53 // integers up to 2⁵³ and powers of ten up to 10²² are exact
	if v := n.Int64(); n.IsInt64() && -exact <= v && v <= exact && 0 <= scale && scale <= 22 {
		return float64(v) / math.Pow10(scale)
	}
	if scale < 0 || scale > 1<<10 {
		return math.NaN() // not a valid scale
	}
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	x, _ := new(big.Rat).SetFrac(n, power).Float64()
	return x
}
