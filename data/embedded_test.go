package data

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each set that can be read here matches its description.
func TestLoad(t *testing.T) {
	for _, info := range catalogue() {
		text, err := CSV(info.Name)
		if errors.Is(err, ErrNotEmbedded) && !info.Embedded {
			t.Logf("NOT CHECKED: %v", err)
			continue
		}
		if sum := checksum(text); err != nil || sum != info.SHA256 {
			t.Errorf("%s: SHA-256 is %s, want %s: %v", info.Name, sum, info.SHA256, err)
		}
		s, err := Load(info.Name)
		if err != nil {
			t.Fatal(err)
		}
		if s.Name != info.Name || s.N() != info.Rows || s.D() != info.Features || s.C() != info.Classes {
			t.Errorf("%s, %d×%d, %d classes, want %+v", s.Name, s.N(), s.D(), s.C(), info)
		}
		if err := s.CheckTrainable(); err != nil {
			t.Error(err)
		}
		if _, err := Path(info.Name); fetchable(info) == errors.Is(err, errNoFile) {
			t.Errorf("%s: %v", info.Name, err)
		}
		partitions, err := Partitions(info.Name)
		if info.Partitioned && (err != nil || len(partitions) != 50) || !info.Partitioned &&
			!errors.Is(err, errNoPartitions) {
			t.Errorf("%s: %d partitions, %v", info.Name, len(partitions), err)
		}
	}
}

// SOURCES.md lists every set of the catalogue with its checksum and DOI.
func TestSourcesAreComplete(t *testing.T) {
	text, err := os.ReadFile("SOURCES.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range catalogue() {
		if info.From == nil && (!strings.Contains(string(text), info.SHA256) || !strings.Contains(string(text),
			info.DOI)) {
			t.Errorf("SOURCES.md lacks the sum or the DOI of %s", info.Name)
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

	dir := t.TempDir()
	t.Setenv("MPCVM_DATA", dir)
	if _, err := Load("vowel"); !errors.Is(err, ErrNotEmbedded) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without the file: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "vowel.csv"), []byte("x,class\n1,a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load("vowel"); !errors.Is(err, errChecksum) {
		t.Errorf("with another file: %v", err)
	}
}

func fetchable(i Info) bool { return !i.Embedded && i.From == nil }
