//go:build unix

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/parquet"
	"github.com/mpcvm/mpcvm/tables/table"
)

// The data are normal clouds, several a class, so that a model needs many vectors.
const (
	features = 16
	classes  = 10
	clouds   = 4 // of each class
	spread   = 1.3
)

// block is how many rows are made at a time; row n is the same in every file.
const block = 1 << 14

// layout is the layout of a file of samples: features and class.
func layout() parquet.Layout {
	l := parquet.Layout{Text: "class", Last: true}
	for d := range features {
		l.Numbers = append(l.Numbers, fmt.Sprintf("x%02d", d))
	}
	return l
}

// sample makes the rows of block k, of which the first n.
func sample(k, n int) (*mat.Dense, []int) {
	places := rand.New(rand.NewPCG(1, 0))
	var centre [classes * clouds][features]float64
	for i := range centre {
		for d := range features {
			centre[i][d] = places.NormFloat64()
		}
	}
	random := rand.New(rand.NewPCG(2, uint64(k)))
	x, t := mat.NewDense(n, features, nil), make([]int, n)
	for i := range n {
		cloud := random.IntN(len(centre))
		t[i] = cloud % classes
		for d, row := 0, x.RawRowView(i); d < features; d++ {
			row[d] = centre[cloud][d] + spread*random.NormFloat64()
		}
	}
	return x, t
}

func className(t int) string { return "class " + string(rune('A'+t)) }

// classNames are the names of labels.
func classNames(t []int) []string {
	names := make([]string, len(t))
	for i, c := range t {
		names[i] = className(c)
	}
	return names
}

// writeData writes rows to a CSV or, by its name, a Parquet file.
func writeData(path string, rows int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	write := writeCSV
	if filepath.Ext(path) == ".parquet" {
		write = writeParquet
	}
	return errors.Join(write(w, rows), w.Flush(), f.Close())
}

func writeParquet(w io.Writer, rows int) error {
	l := layout()
	out := parquet.NewWriter(w, l)
	for k := 0; k*block < rows; k++ {
		x, t := sample(k, min(rows-k*block, block))
		if err := out.Write(x, classNames(t)); err != nil {
			return err
		}
	}
	return out.Close()
}

func writeCSV(w io.Writer, rows int) error {
	l := layout()
	fmt.Fprintf(w, "%s,%s\n", strings.Join(l.Numbers, ","), l.Text)
	var line []byte
	for k := 0; k*block < rows; k++ {
		x, t := sample(k, min(rows-k*block, block))
		for i, label := range t {
			line = line[:0]
			for _, v := range x.RawRowView(i) {
				line = append(strconv.AppendFloat(line, v, 'g', -1, 64), ',')
			}
			if _, err := fmt.Fprintf(w, "%s%s\n", line, className(label)); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeModel fits mPCVM₂ to rows of the same kind, which no file has, and saves it.
func writeModel(path string, rows int, theta float64) (*mpcvm.Model, error) {
	x, t := sample(-1, rows)
	scale := data.FitStandardizer(x)
	m, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: theta}}.Fit(context.Background(), mpcvm.Samples{X: scale.Apply(nil, x), T: t})
	if m == nil {
		return nil, err
	}
	names := make([]string, classes)
	for c := range names {
		names[c] = className(c)
	}
	m = m.WithNames(names, layout().Numbers).WithScaling(scale.Mean, scale.Scale)
	return m, m.SaveFile(path)
}

// read reads a file without doing anything with it, and returns its rows.
func read(path string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var like []table.Column
	for _, name := range layout().Numbers {
		like = append(like, table.Column{Name: name, Kind: table.Number})
	}
	ctx := context.Background()
	r, err := tables.NewReader(ctx, f, path, tables.Options{Like: like})
	rows := int64(0)
	for err == nil {
		var t *table.Table
		if t, err = r.Next(ctx); err == nil {
			rows += int64(t.Rows)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return rows, err
}
