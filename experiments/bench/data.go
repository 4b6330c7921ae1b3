//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/experiments/study"
	"github.com/mpcvm/mpcvm/internal/testkit/sets"
)

func writeData(args []string) (any, error) {
	if len(args) < 2 {
		return nil, errors.New("usage: bench data DIR SET")
	}
	for _, name := range args[1:] {
		p, err := load(name)
		if err != nil {
			return nil, err
		}
		path := filepath.Join(args[0], name)
		if err := errors.Join(writeCSV(path+".train.csv", p.X, p.T),
			writeCSV(path+".test.csv", p.XTest, p.TTest)); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// load returns a set of internal/testkit/sets, or
//   - letter-10: the letters A to J of docs/reproduction.md, partition 5
//   - letter-16000: all letters, with the last 4000 rows as the test
//   - mixture: a million samples of the mixture of docs/performance.md, with 100,000 others as the test
func load(name string) (*sets.Problem, error) {
	switch name {
	case "letter-10":
		set, partitions, err := letters()
		if err != nil {
			return nil, err
		}
		train := partitions[5]
		return sets.Of(name, set.Subset(train), set.Subset(set.Complement(train))), nil
	case "letter-16000":
		set, err := data.Load("letter")
		if err != nil {
			return nil, err
		}
		rows := set.Complement(nil)
		return sets.Of(name, set.Subset(rows[:16000]), set.Subset(rows[16000:])), nil
	case "mixture":
		m := data.NewMixture(10, 4, 16, 1, 1)
		return sets.Of(name, m.Set(1000000, 1), m.Set(100000, 2)), nil
	}
	return sets.Load(name)
}

// letters returns letter-10 and its partitions.
func letters() (*data.Set, [][]int, error) {
	set, err := data.Load("letter")
	if err != nil {
		return nil, nil, err
	}
	set = study.FirstClasses(set, 10, 600)
	return set, study.RandomPartitions(set, 1./3, 50, 1), nil
}

// writeCSV writes the features exactly and, at the end of each row, the label.
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

// export writes letter-10 to DIR/letter-10.csv and its partitions to DIR/partitions/letter-10.csv.
func export(args []string) (any, error) {
	if len(args) != 1 {
		return nil, errors.New("usage: bench export DIR")
	}
	set, all, err := letters()
	if err != nil {
		return nil, err
	}
	var table, partitions bytes.Buffer
	if err := data.WriteCSV(&table, set); err != nil {
		return nil, err
	}
	for _, rows := range all {
		fmt.Fprintln(&partitions, strings.Trim(strings.ReplaceAll(fmt.Sprint(rows), " ", ","), "[]"))
	}
	dir := filepath.Join(args[0], "partitions")
	return nil, errors.Join(os.MkdirAll(dir, 0o755),
		os.WriteFile(filepath.Join(args[0], set.Name+".csv"), table.Bytes(), 0o644),
		os.WriteFile(filepath.Join(dir, set.Name+".csv"), partitions.Bytes(), 0o644))
}
