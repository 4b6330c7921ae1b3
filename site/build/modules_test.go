package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// TestModules: no module of "Your table" imports itself by way of others, not even for a type.
func TestModules(t *testing.T) {
	imports := map[string][]string{}
	for _, path := range must.Get(filepath.Glob("site/table/*.js"))(t) {
		text := must.Get(os.ReadFile(path))(t)
		for _, m := range regexp.MustCompile(`(?:from|import\() ?"\./(\w+\.js)"`).FindAllSubmatch(text, -1) {
			imports[filepath.Base(path)] = append(imports[filepath.Base(path)], string(m[1]))
		}
	}
	if len(imports) < 6 {
		t.Fatalf("imports of only %d modules", len(imports))
	}
	var walk func(way []string)
	walk = func(way []string) {
		for _, next := range imports[way[len(way)-1]] {
			if slices.Contains(way, next) {
				t.Fatalf("%s imports %s", way, next)
			}
			walk(append(slices.Clone(way), next))
		}
	}
	for name := range imports {
		walk([]string{name})
	}
}
