package parquet

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/table"
)

// million is a file of a million rows of 16 numbers and a class, in row groups of 32768.
func million(t testing.TB) []byte {
	const rows, most = 1000000, 1 << 15
	l := Layout{Text: "class", Last: true}
	for j := range 16 {
		l.Numbers = append(l.Numbers, fmt.Sprint("x", j))
	}
	var b bytes.Buffer
	w, err := NewWriter(&b, l)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	x, texts := mat.NewDense(most, 16, nil), make([]string, most)
	for i := range most {
		texts[i] = fmt.Sprint("class ", r.IntN(10))
		for j := range 16 {
			x.Set(i, j, r.NormFloat64())
		}
	}
	var g Group
	for left := rows; left > 0; left -= g.Rows {
		n := min(left, most)
		if g, err = l.Encode(g, x.Slice(0, n, 0, 16).(*mat.Dense), texts[:n]); err != nil {
			t.Fatal(err)
		}
		if err := w.Append(g); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// BenchmarkRead reads a million rows of 17 columns, batch by batch.
func BenchmarkRead(b *testing.B) {
	file := million(b)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		f, err := Open(bytes.NewReader(file), int64(len(file)), "s", nil)
		if err != nil {
			b.Fatal(err)
		}
		var batch table.Batch
		for err == nil {
			err = f.Read(&batch)
		}
		if err != io.EOF || f.Rows() != 1000000 {
			b.Fatal(err)
		}
	}
}
