package data

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed iris.csv wine.csv glass.csv breast.csv letter.csv.gz overlap.csv overclass.csv partitions
var embedded embed.FS

// Causes of failure of Load and its kin, for errors.Is.
var (
	ErrUnknownSet   = errors.New("unknown data set")
	ErrNotEmbedded  = errors.New("data set is not embedded")
	ErrChecksum     = errors.New("not the expected content")
	ErrNoPartitions = errors.New("data set has no fixed partitions")
)

// Dir returns the folder of the sets that are not embedded, from the
// environment variable MPCVM_DATA; "" if that is unset.
func Dir() string { return os.Getenv("MPCVM_DATA") }

// Names lists the embedded sets: Load needs nothing else for them.
func Names() []string { return names(true) }

// Others lists the sets that are known but not embedded: Load reads them from
// Dir.
func Others() []string { return names(false) }

// Load returns a set by name, a fresh copy each time. A set that is not embedded
// is read from Dir()/NAME.csv; without Dir or the file the error is
// ErrNotEmbedded. A file of other content is refused (ErrChecksum), because
// partitions count on its rows and their order; ReadFile reads any file.
func Load(name string) (*Set, error) {
	text, err := CSV(name)
	if err != nil {
		return nil, err
	}
	return ReadCSV(bytes.NewReader(text), name)
}

// CSV returns the text that Load reads.
func CSV(name string) ([]byte, error) {
	info, err := GetInfo(name)
	if err != nil {
		return nil, err
	}
	if !info.Embedded {
		return readOther(info)
	}
	text, err := embedded.ReadFile(name + ".csv")
	if errors.Is(err, fs.ErrNotExist) {
		return readCompressed(name + ".csv.gz")
	}
	return text, err
}

// Partitions returns the fixed partitions of a set: the training rows of each of
// the fifty. Those of a set that is not embedded are read from
// Dir()/../partitions/NAME.csv.
func Partitions(name string) ([][]int, error) {
	info, err := GetInfo(name)
	if err != nil {
		return nil, err
	}
	if !info.Partitioned {
		return nil, fmt.Errorf("data: %s: %w", name, ErrNoPartitions)
	}
	if info.Embedded {
		f, err := embedded.Open("partitions/" + name + ".csv")
		if err != nil {
			return nil, fmt.Errorf("data: %w", err)
		}
		defer f.Close()
		return readPartitions(f, name, info.Rows)
	}
	path, err := otherPath(name, "..", "partitions")
	if err != nil {
		return nil, err
	}
	return ReadPartitionsFile(path, info.Rows)
}

func readCompressed(path string) ([]byte, error) {
	f, err := embedded.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("data: %s: %w", path, err)
	}
	return io.ReadAll(unzipped)
}

// readOther reads a set that is not embedded and checks its content.
func readOther(info Info) ([]byte, error) {
	path, err := otherPath(info.Name)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(text)); sum != info.SHA256 {
		return nil, fmt.Errorf("data: %s: %w: SHA-256 is %s, want %s", path, ErrChecksum, sum, info.SHA256)
	}
	return text, nil
}

// otherPath returns the path of NAME.csv in a folder relative to Dir, if there
// is such a file.
func otherPath(name string, folder ...string) (string, error) {
	if Dir() == "" {
		return "", fmt.Errorf("data: %s: %w: set MPCVM_DATA to the folder that holds %s.csv", name, ErrNotEmbedded, name)
	}
	path := filepath.Join(append(append([]string{Dir()}, folder...), name+".csv")...)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("data: %s: %w, and MPCVM_DATA does not help: %w", name, ErrNotEmbedded, err)
	}
	return path, nil
}

func unknownSet(name string) error {
	return fmt.Errorf("data: %w %q; known are %s, and outside the package %s",
		ErrUnknownSet, name, strings.Join(Names(), ", "), strings.Join(Others(), ", "))
}
