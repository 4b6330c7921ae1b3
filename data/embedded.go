package data

import (
	"bytes"
	"compress/gzip"
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
	ErrNoFile       = errors.New("data set is embedded, or made of others, and needs no file")
	ErrChecksum     = errors.New("not the expected content")
	ErrNoPartitions = errors.New("data set has no fixed partitions")
)

// Dir returns the folder of the sets that are not embedded, from the
// environment variable MPCVM_DATA; "" if that is unset. What is not there is looked for
// in CacheDir.
func Dir() string { return os.Getenv("MPCVM_DATA") }

// Names lists the embedded sets: Load needs nothing else for them.
func Names() []string { return names(true) }

// Others lists the sets that are known but not embedded: Load reads them from
// Dir or CacheDir, where a Fetcher puts them.
func Others() []string { return names(false) }

// Load returns a set by name, a fresh copy each time. A set may be made of others
// (Derived). One that is not embedded
// is read from Dir()/NAME.csv, or else from CacheDir()/NAME.csv; without such a file
// the error is ErrNotEmbedded. A file of other content is refused (ErrChecksum),
// because partitions count on its rows and their order; ReadFile reads any file.
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

// Partitions returns the fixed partitions of a set: the training rows of each of
// the fifty. Those of a set that is not embedded are read from
// Dir()/../partitions/NAME.csv if there is such a file, and else drawn anew by the
// same generator.
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

// readOther reads a set that is not embedded and checks its content.
func readOther(info Info) ([]byte, error) {
	path, err := Path(info.Name)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	if sum := checksum(text); sum != info.SHA256 {
		return nil, fmt.Errorf("data: %s: %w: SHA-256 is %s, want %s", path, ErrChecksum, sum, info.SHA256)
	}
	return text, nil
}

// Path returns the file that Load reads a set from that is not embedded: NAME.csv in
// Dir or else in CacheDir. The error is ErrNotEmbedded if there is none, and for a set
// that is embedded or derived, which needs no file, ErrNoFile.
func Path(name string) (string, error) {
	info, err := GetInfo(name)
	if err != nil {
		return "", err
	}
	if info.Embedded || info.From != nil {
		return "", fmt.Errorf("data: %s: %w", name, ErrNoFile)
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
	return "", fmt.Errorf("data: %s: %w: %w: no %s.csv in %s; fetch it (mpcvm data fetch %s), or set MPCVM_DATA to the folder that holds it",
		name, ErrNotEmbedded, fs.ErrNotExist, name, strings.Join(folders, " or "), name)
}

func unknownSet(name string) error {
	return fmt.Errorf("data: %w %q; known are %s, outside the package %s, and made of those %s",
		ErrUnknownSet, name, strings.Join(Names(), ", "), strings.Join(Others(), ", "), strings.Join(Derived(), ", "))
}
