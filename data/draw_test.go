//go:build !js

package data

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The generator reproduces the partitions in this folder and in the one next to MPCVM_DATA.
func TestDraw(t *testing.T) {
	for _, info := range catalogue() {
		d, ok := draws[info.Name]
		if ok != (info.Partitioned && info.From == nil) || ok && d.train >= info.Rows {
			t.Errorf("%s: %+v", info.Name, d)
		}
		path := filepath.Join("partitions", info.Name+".csv")
		if !info.Embedded {
			path = filepath.Join(Dir(), "..", path)
		}
		if _, err := os.Stat(path); !ok || errors.Is(err, fs.ErrNotExist) && !info.Embedded {
			continue
		}
		want, err := os.ReadFile(path)
		var got strings.Builder
		for _, rows := range d.draw(info.Rows) {
			got.WriteString(strings.Trim(strings.ReplaceAll(fmt.Sprint(rows), " ", ","), "[]") + "\n")
		}
		if err != nil || got.String() != string(want) {
			t.Errorf("%s: partitions differ, %v", info.Name, err)
		}
	}
}
