//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/sets"
)

func writeData(args []string) (any, error) {
	if len(args) < 2 {
		return nil, errors.New("usage: bench data DIR SET")
	}
	for _, name := range args[1:] {
		p, err := sets.Load(name)
		if err != nil {
			return nil, err
		}
		if err := writeCSV(filepath.Join(args[0], name+".train.csv"), p.X, p.T); err != nil {
			return nil, err
		}
		if err := writeCSV(filepath.Join(args[0], name+".test.csv"), p.XTest, p.TTest); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// writeCSV writes the features to the last bit and, at the end of a row, the label.
func writeCSV(path string, x *mat.Dense, t []int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for n, label := range t {
		for _, v := range x.RawRowView(n) {
			fmt.Fprintf(w, "%s,", strconv.FormatFloat(v, 'g', -1, 64))
		}
		fmt.Fprintln(w, label)
	}
	return errors.Join(w.Flush(), f.Close())
}
