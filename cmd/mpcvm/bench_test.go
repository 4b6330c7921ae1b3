package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkPredict predicts 100,000 rows of 16 features of a CSV file, with probabilities.
func BenchmarkPredict(b *testing.B) {
	const rows, features = 100_000, 16
	rng := rand.New(rand.NewPCG(1, 1))
	table := func(rows int) string {
		var text strings.Builder
		for j := range features {
			fmt.Fprintf(&text, "x%d,", j)
		}
		text.WriteString("class\n")
		for i := range rows {
			for range features {
				fmt.Fprintf(&text, "%.4f,", float64(i%10)/3+rng.NormFloat64())
			}
			fmt.Fprintf(&text, "c%d\n", i%10)
		}
		return text.String()
	}
	dir := b.TempDir()
	train, file, model := filepath.Join(dir, "train.csv"), filepath.Join(dir, "rows.csv"),
		filepath.Join(dir, "m.json")
	for path, n := range map[string]int{train: 1000, file: rows} {
		if err := writeFile(path, func(w io.Writer) error {
			_, err := io.WriteString(w, table(n))
			return err
		}); err != nil {
			b.Fatal(err)
		}
	}
	command := func(args ...string) {
		var errOut bytes.Buffer
		if code := run(b.Context(), args, io.Discard, &errOut); code != 0 {
			b.Fatalf("status %d: %s", code, &errOut)
		}
	}
	command("fit", train, "--algorithm", "mpcvm2", "--theta", "0.05", "--cv", "none", "--model", model)
	for b.Loop() {
		command("predict", file, "--model", model, "--proba", "--out", filepath.Join(dir, "out.csv"))
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/rows, "µs/row")
}
