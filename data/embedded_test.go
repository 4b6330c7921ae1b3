package data

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestEmbedded(t *testing.T) {
	for _, name := range names(func(i Info) bool { return i.Embedded }) {
		info, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := CSV(name)
		if err != nil {
			t.Fatal(err)
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256(text)); sum != info.SHA256 {
			t.Errorf("%s: SHA-256 is %s, want %s", name, sum, info.SHA256)
		}
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if s.Name != name || s.N() != info.Rows || s.D() != info.Features || s.C() != info.Classes {
			t.Errorf("%s: %s, %d×%d, %d classes, want %+v", name, s.Name, s.N(), s.D(), s.C(), info)
		}
		if err := s.CheckTrainable(); err != nil {
			t.Error(err)
		}
	}
}

// SOURCES.md lists every set of the catalogue with its checksum and DOI.
func TestSourcesAreComplete(t *testing.T) {
	text, err := os.ReadFile("SOURCES.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range catalogue {
		if info.From == nil && (!strings.Contains(string(text), info.SHA256) || !strings.Contains(string(text),
			info.DOI)) {
			t.Errorf("SOURCES.md lacks the sum or the DOI of %s", info.Name)
		}
	}
}

func TestEmbeddedCounts(t *testing.T) {
	for name, want := range map[string][]int{
		"iris":   {50, 50, 50},
		"wine":   {59, 71, 48},
		"glass":  {70, 76, 17, 13, 9, 29},
		"breast": {444, 239},
	} {
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Counts(); !slices.Equal(got, want) {
			t.Errorf("%s: counts %v, want %v", name, got, want)
		}
	}
}

func TestLoadIsFresh(t *testing.T) {
	a, _ := Load("iris")
	b, _ := Load("iris")
	a.X.Set(0, 0, -1)
	if b.X.At(0, 0) != 5.1 {
		t.Error("two loads share memory")
	}
}

func TestPartitionsEmbedded(t *testing.T) {
	for name, train := range map[string]int{"iris": 120, "wine": 142, "glass": 171, "breast": 546} {
		partitions, err := Partitions(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(partitions) != 50 {
			t.Errorf("%s: %d partitions", name, len(partitions))
		}
		for p, rows := range partitions {
			if len(rows) != train || !slices.IsSorted(rows) {
				t.Errorf("%s: partition %d has %d rows", name, p, len(rows))
			}
		}
	}
	if _, err := Partitions("overlap"); !errors.Is(err, errNoPartitions) {
		t.Errorf("overlap: error %v", err)
	}
}

func TestUnknownSet(t *testing.T) {
	_, err := Load("irish")
	if !errors.Is(err, ErrUnknownSet) || !strings.Contains(err.Error(), "iris, wine") ||
		!strings.Contains(err.Error(), "wine-red") {
		t.Errorf("Load: %v", err)
	}
	for _, name := range []string{"", "../iris", "letter.csv"} {
		if _, err := Partitions(name); !errors.Is(err, ErrUnknownSet) {
			t.Errorf("Partitions: %v", err)
		}
	}
}

func TestNotEmbedded(t *testing.T) {
	t.Setenv("MPCVM_DATA", "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // an empty cache
	t.Setenv("HOME", t.TempDir())
	if _, err := Load("vowel"); !errors.Is(err, ErrNotEmbedded) || !strings.Contains(err.Error(), "MPCVM_DATA") {
		t.Errorf("without a folder: %v", err)
	}
	if p, err := Partitions("vowel"); err != nil || len(p) != 50 || len(p[0]) != 792 {
		t.Errorf("without a folder: %d partitions, %v", len(p), err)
	}

	root := t.TempDir()
	dir := filepath.Join(root, "data")
	write(t, filepath.Join(root, "partitions", "vowel.csv"), "0,1,989\n")
	t.Setenv("MPCVM_DATA", dir)
	if _, err := Load("vowel"); !errors.Is(err, ErrNotEmbedded) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without the file: %v", err)
	}
	write(t, filepath.Join(dir, "vowel.csv"), "x,class\n1,a\n")
	if _, err := Load("vowel"); !errors.Is(err, errChecksum) {
		t.Errorf("with another file: %v", err)
	}
	partitions, err := Partitions("vowel")
	if err != nil || len(partitions) != 1 || len(partitions[0]) != 3 {
		t.Errorf("partitions %v, %v", partitions, err)
	}
}

// If MPCVM_DATA is set, the sets outside the package are also tested.
func TestOthers(t *testing.T) {
	if Dir() == "" {
		t.Skip("MPCVM_DATA is not set")
	}
	for _, name := range names(fetchable) {
		s, err := Load(name)
		if errors.Is(err, ErrNotEmbedded) {
			t.Logf("skipped: %v", err)
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		info, _ := Lookup(name)
		if s.N() != info.Rows || s.D() != info.Features || s.C() != info.Classes {
			t.Errorf("%s: %d×%d, %d classes, want %+v", name, s.N(), s.D(), s.C(), info)
		}
		if !info.Partitioned {
			continue
		}
		if partitions, err := Partitions(name); err != nil || len(partitions) != 50 {
			t.Errorf("%s: %d partitions, %v", name, len(partitions), err)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func fetchable(i Info) bool { return !i.Embedded && i.From == nil }

// names returns the names of the sets of a kind.
func names(kind func(Info) bool) []string {
	var list []string
	for _, info := range Sets() {
		if kind(info) {
			list = append(list, info.Name)
		}
	}
	return list
}
