//go:build !js

package data

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The generator reproduces the embedded partitions and the ones in the folder next to MPCVM_DATA.
func TestDraw(t *testing.T) {
	for name, d := range map[string]drawn{"breast": {1001, 546}, "glass": {1002, 171}, "iris": {1004, 120},
		"wine": {1006, 142}} {
		want, err := Partitions(name)
		if err != nil {
			t.Fatal(err)
		}
		info, _ := Lookup(name)
		if got := d.draw(info.Rows); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: partitions differ", name)
		}
	}
	for _, name := range names(fetchable) {
		info, _ := Lookup(name)
		if d, ok := draws[name]; ok != info.Partitioned || ok && d.train >= info.Rows {
			t.Errorf("%s: %+v", name, d)
		}
		path := filepath.Join(Dir(), "..", "partitions", name+".csv")
		if _, err := os.Stat(path); Dir() == "" || !info.Partitioned || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		want, err := ReadPartitionsFile(path, info.Rows)
		if err != nil || !slices.EqualFunc(draws[name].draw(info.Rows), want, slices.Equal) {
			t.Errorf("%s: partitions differ, %v", name, err)
		}
	}
}
