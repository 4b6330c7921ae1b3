//go:build linux

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// Models, reports and predictions contain rows of the data. With umask 077, other users cannot read any
// output, and a private file stays private when it is replaced.
func TestModes(t *testing.T) {
	_, csvFile, modelFile, _ := iris(t)
	for verb, args := range map[string][]string{
		"fit":  append([]string{"fit", csvFile, "--model", "m.json", "--report", "r.html"}, tiny...),
		"look": {"look", csvFile, "--report", "r.html"},
		"compare": {"compare", csvFile, "--systems", "majority", "--folds-k", "2", "--repeats", "1", "--report",
			"r.html"},
		"predict": {"predict", csvFile, "--model", modelFile, "--out", "p.csv"},
		"explain": {"explain", csvFile, "--model", modelFile, "--row", "1", "--report", "r.html"},
		"export":  {"export", "--model", modelFile, "--to", "javascript", "--out", "m.mjs"},
		"demo":    {"demo", "--out", "."},
		"fetch":   {"data", "fetch", "iris", "--to", "."},
	} {
		t.Run(verb, func(t *testing.T) {
			out := t.TempDir()
			run := func(umask string) []string {
				t.Helper()
				c, _, errOut := process(args)
				c.Args, c.Path, c.Dir = []string{"sh", "-c", "umask " + umask + `; exec "$0"`, os.Args[0]}, "/bin/sh", out
				if err := c.Run(); err != nil {
					t.Fatalf("%v: %s", err, errOut)
				}
				files, err := filepath.Glob(filepath.Join(out, "*"))
				if err != nil || len(files) == 0 {
					t.Fatalf("%v, %v", files, err)
				}
				return files
			}
			for _, umask := range []string{"077", "022"} { // the second run replaces the files
				for _, path := range run(umask) {
					if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
						t.Errorf("umask %s: %s has mode %v, %v", umask, filepath.Base(path), info.Mode(), err)
					}
				}
			}
		})
	}
}
