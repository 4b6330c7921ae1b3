// Command export writes a data set and its random partitions, as `mpcvm study run
// --classes K --per-class N --split SHARE` makes them, for scripts/peers/study.py:
//
//	go run ./scripts/peers/export -data letter -classes 10 -per-class 600 -split .333333 -out out/peers
//
// OUT/NAME.csv is the set, OUT/partitions/NAME.csv has a line a partition.
package main

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm/study"
)

func main() {
	log.SetFlags(0)
	name := flag.String("data", "letter", "an embedded data `SET`")
	classes := flag.Int("classes", 10, "the first `K` classes")
	perClass := flag.Int("per-class", 0, "the first `N` samples of each class, 0 for all")
	share := flag.Float64("split", 1./3, "the `SHARE` for training")
	count := flag.Int("repeats", 50, "number of partitions")
	seed := flag.Uint64("seed", 1, "the study's seed")
	out := flag.String("out", "out/peers", "the folder `DIR` for the files")
	flag.Parse()

	set, err := data.Load(*name)
	if err != nil {
		log.Fatal(err)
	}
	set = study.FirstClasses(set, *classes, *perClass)
	var table, partitions bytes.Buffer
	w := csv.NewWriter(&table)
	_ = w.Write(append(append([]string{}, set.Features...), "class"))
	for n, t := range set.T {
		row := make([]string, 0, set.D()+1)
		for _, v := range set.X.RawRowView(n) {
			row = append(row, strconv.FormatFloat(v, 'g', -1, 64))
		}
		_ = w.Write(append(row, set.Classes[t]))
	}
	w.Flush()
	for _, rows := range study.RandomPartitions(set, *share, *count, *seed) {
		fmt.Fprintln(&partitions, strings.Trim(strings.ReplaceAll(fmt.Sprint(rows), " ", ","), "[]"))
	}
	if err := os.MkdirAll(filepath.Join(*out, "partitions"), 0o755); err != nil {
		log.Fatal(err)
	}
	for path, b := range map[string]*bytes.Buffer{set.Name: &table, "partitions/" + set.Name: &partitions} {
		if err := os.WriteFile(filepath.Join(*out, path+".csv"), b.Bytes(), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
