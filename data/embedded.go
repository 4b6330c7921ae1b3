package data

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Causes of errors of Load, CSV, Path and Partitions, for use with errors.Is.
var (
	ErrUnknownSet   = errors.New("unknown data set")
	ErrNotEmbedded  = errors.New("data set is not embedded")
	errNoFile       = errors.New("data set is embedded or derived from others and does not need a file")
	errChecksum     = errors.New("unexpected content")
	errNoPartitions = errors.New("data set has no fixed partitions")
)

// Dir returns the folder of the sets that are not embedded: the value of the environment variable
// MPCVM_DATA, or "" if it is unset. Load searches it before CacheDir.
func Dir() string { return os.Getenv("MPCVM_DATA") }

// CacheDir returns the folder for downloaded sets: mpcvm in the user's cache folder
// (os.UserCacheDir). The folder may not exist yet.
func CacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("data: %w", err)
	}
	return filepath.Join(dir, "mpcvm"), nil
}

// Load returns the known set with the given name (see Sets), as a new copy each time. A set that is
// not embedded is read from Dir()/NAME.csv or, if that file does not exist, from
// CacheDir()/NAME.csv; if neither exists, the error is ErrNotEmbedded. The content must match the
// checksum of the set, because partitions depend on the rows and their order. Use ReadSet for other
// files.
func Load(name string) (*Set, error) {
	text, err := CSV(name)
	if err != nil {
		return nil, err
	}
	return ReadSet(bytes.NewReader(text), name)
}

// CSV returns the text of a set in the CSV format.
func CSV(name string) ([]byte, error) {
	info, err := Lookup(name)
	if err != nil {
		return nil, err
	}
	if info.From != nil {
		return derive(info)
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

// Partitions returns the training rows of each of the fifty fixed partitions of a set. They are drawn
// with a fixed seed; the folder partitions has some of them as files.
func Partitions(name string) ([][]int, error) {
	info, err := Lookup(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Partitioned:
		return nil, fmt.Errorf("data: %s: %w", name, errNoPartitions)
	case info.From != nil:
		return Partitions(info.From[0])
	}
	return draws[name].draw(info.Rows), nil
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

// Path returns the file from which Load reads a set that is not embedded: NAME.csv in Dir or else in
// CacheDir. If neither file exists, the error is ErrNotEmbedded. A set that is embedded or derived
// from others does not need a file, and Path returns an error.
func Path(name string) (string, error) {
	info, err := Lookup(name)
	if err != nil {
		return "", err
	}
	if info.Embedded || info.From != nil {
		return "", fmt.Errorf("data: %s: %w", name, errNoFile)
	}
	var folders []string
	if Dir() != "" {
		folders = append(folders, Dir())
	}
	if cache, err := CacheDir(); err == nil {
		folders = append(folders, cache)
	}
	for _, folder := range folders {
		path := filepath.Join(folder, name+".csv")
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("data: %s: %w: %w: no %s.csv in %s; fetch it (mpcvm data fetch %s), or set "+
		"MPCVM_DATA to the folder that holds it",
		name, ErrNotEmbedded, fs.ErrNotExist, name, strings.Join(folders, " or "), name)
}
