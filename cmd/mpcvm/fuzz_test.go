package main

import (
	"bytes"
	"context"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// tree lists all files and folders below the folder with their sizes.
func tree(t testing.TB, dir string) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			all[path] = info.Size()
		}
		if d.IsDir() {
			all[path] = -1
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// For any arguments, the command ends with one of its statuses and a message, and writes nothing if the
// arguments are wrong. Long work is cancelled.
func FuzzCommand(f *testing.F) {
	set := data.Overlap(1).Subset([]int{0, 1, 2, 3, 70, 71, 72, 73, 140, 141, 142, 143})
	var text bytes.Buffer
	if err := data.WriteCSV(&text, set); err != nil {
		f.Fatal(err)
	}
	model := filepath.Join(f.TempDir(), "m.json")
	source := filepath.Join(f.TempDir(), "d.csv")
	if err := os.WriteFile(source, text.Bytes(), 0o600); err != nil {
		f.Fatal(err)
	}
	var said bytes.Buffer
	if code := run(context.Background(), []string{"fit", "--data", source, "--model", model, "--theta", "1"},
		&said, &said); code != 0 {
		f.Fatal(said.String())
	}
	trained, err := os.ReadFile(model)
	if err != nil {
		f.Fatal(err)
	}
	for _, line := range []string{
		"", "help", "--version", "completion bash", "fit d.csv --candidates all --likelihood-power=2 " +
			"--algorithm mpcvm2", "fit -data d.csv", "predict d.csv --model m.json --out p",
		"explain d.csv --model m.json --row 3", "demo --seed 3 --out o", "data list --json", "data show iris",
		"data fetch heart iris --to o",
		"fit --data d.csv --model n.json --theta .5 --report r.html --test d.csv", "fit --data d.csv --model " +
			"n.json --kernel polynomial --degree 3 --offset -1 --calibrate",
		"fit --data d.csv --model n.json --budget 1s --prefer sparsity --seed 18446744073709551615",
		"predict --model m.json --data d.csv --proba --json --out p",
		"predict --data m.json --model d.csv",
		"explain --model m.json --data d.csv --row 11 --report r.html --json",
		"explain --row=-1 --model m.json --data d.csv",
	} {
		f.Add(line)
	}
	fetchClient = &http.Client{Transport: nowhere{}}
	f.Cleanup(func() { fetchClient = nil })
	f.Setenv("XDG_CACHE_HOME", f.TempDir())
	f.Setenv("HOME", f.TempDir())
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	f.Fuzz(func(t *testing.T, line string) {
		dir := t.TempDir()
		t.Chdir(dir)
		for name, text := range map[string][]byte{"d.csv": text.Bytes(), "m.json": trained,
			"p.csv": []byte("0,1,2,4,5,8\n3,4,5,9,10\n")} {
			must.OK(t, os.WriteFile(name, text, 0o600))
		}
		var args []string
		for arg := range strings.FieldsFuncSeq(line, func(r rune) bool { return r == ' ' || r == '\n' }) {
			arg = strings.ReplaceAll(arg, "..", "") // keep all files in the folder
			if flag, value, both := strings.Cut(arg, "=/"); both {
				arg = flag + "=" + value
			}
			args = append(args, strings.TrimLeft(arg, "/"))
		}
		ctx := cancelled
		if len(args) > 0 && (slices.Contains([]string{"predict", "explain", "data"}, args[0]) ||
			slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, "dry-run") })) {
			ctx = context.Background()
		}
		before := tree(t, dir)
		var out, errOut bytes.Buffer
		code := run(ctx, args, &out, &errOut)
		after := tree(t, dir)
		switch code {
		case 0:
		case failed, misused, interrupted:
			if said := strings.TrimPrefix(errOut.String(), "Usage: "); !strings.HasPrefix(said, "mpcvm") {
				t.Fatalf("%q: status %d without a message: %q", args, code, errOut.String())
			}
		default:
			t.Fatalf("%q: status %d", args, code)
		}
		for path, size := range after {
			was, old := before[path]
			name := filepath.Base(path)
			if code == misused && (!old || was != size) || strings.HasPrefix(name, ".") &&
				!strings.HasPrefix(name, ".lock") {
				t.Fatalf("%q: status %d, but %s was written\n%s", args, code, path, errOut.String())
			}
		}
		for _, name := range []string{"d.csv", "m.json", "p.csv"} {
			if path := filepath.Join(dir, name); after[path] != before[path] {
				t.Fatalf("%q: %s was changed", args, path)
			}
		}
	})
}
