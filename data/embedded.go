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

// Causes of errors of Load, CSV, Path and Partitions, for errors.Is.
var (
	ErrUnknownSet   = errors.New("unknown data set")
	ErrNotEmbedded  = errors.New("data set is not embedded")
	errNoFile       = errors.New("data set is embedded, or made of others, and needs no file")
	errChecksum     = errors.New("not the expected content")
	errNoPartitions = errors.New("data set has no fixed partitions")
)

// Dir returns the folder of the sets that are not embedded: the environment variable
// MPCVM_DATA, "" if it is unset. Load looks there before it looks in CacheDir.
func Dir() string { return os.Getenv("MPCVM_DATA") }

// CacheDir returns the folder for fetched sets: mpcvm in the user's folder for caches
// (os.UserCacheDir). It need not exist.
func CacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("data: %w", err)
	}
	return filepath.Join(dir, "mpcvm"), nil
}

// Load returns a set of Sets by name, a new copy each time. A set that is not embedded is read from
// Dir()/NAME.csv or, if there is no such file, from CacheDir()/NAME.csv; without either the error is
// ErrNotEmbedded. A file with other content is an error, because partitions depend on the rows and their
// order. ReadSet reads any file.
func Load(name string) (*Set, error) {
	text, err := CSV(name)
	if err != nil {
		return nil, err
	}
	return ReadSet(bytes.NewReader(text), name)
}

// CSV returns the text that Load reads.
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

// Partitions returns the fifty fixed partitions of a set, the training rows of each. Those
// of a set that is not embedded are read from Dir()/../partitions/NAME.csv if there is such
// a file, and are otherwise drawn by the same generator.
func Partitions(name string) ([][]int, error) {
	info, err := Lookup(name)
	if err != nil {
		return nil, err
	}
	if !info.Partitioned {
		return nil, fmt.Errorf("data: %s: %w", name, errNoPartitions)
	}
	if info.Embedded {
		f, err := embedded.Open("partitions/" + name + ".csv")
		if err != nil {
			return nil, fmt.Errorf("data: %w", err)
		}
		defer f.Close()
		return readPartitions(f, name, info.Rows)
	}
	if info.From != nil {
		return Partitions(info.From[0])
	}
	if Dir() != "" {
		path := filepath.Join(Dir(), "..", "partitions", name+".csv")
		if _, err := os.Stat(path); err == nil {
			return ReadPartitionsFile(path, info.Rows)
		}
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

// Path returns the file from which Load reads a set that is not embedded: NAME.csv in Dir or, if it is not
// there, in CacheDir. If there is no such file, the error is ErrNotEmbedded. A set that needs no file,
// because it is embedded or derived from others, is also an error.
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
