// Package files reads and writes files on the file systems of Beam: local paths, and gs:// and s3://
// if their packages are imported.
package files

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // paths without a scheme
)

func init() {
	beam.RegisterFunction(readText)
	beam.RegisterFunction(nameOf)
}

// Text returns a PCollection with the content of a file as a string, for a side input.
func Text(s beam.Scope, name string) beam.PCollection {
	files := fileio.MatchFiles(s, name, fileio.MatchEmptyDisallow())
	return beam.ParDo(s.Scope("Read "+path.Base(name)), readText, fileio.ReadMatches(s, files))
}

func readText(ctx context.Context, f fileio.ReadableFile) (string, error) { return f.ReadString(ctx) }

// Cache parses each text once per process. It is safe for concurrent use.
type Cache[T any] struct {
	Parse  func(text string) (T, error)
	values sync.Map // keyed by the hash of the text
}

// Get returns the value of a text. The value must not be changed.
func (c *Cache[T]) Get(text string) (T, error) {
	hash := sha256.Sum256([]byte(text))
	if v, ok := c.values.Load(hash); ok {
		return v.(T), nil
	}
	v, err := c.Parse(text)
	if err == nil {
		c.values.Store(hash, v)
	}
	return v, err
}

// Match returns a PCollection of the names of the files that match a pattern. It fails if no file
// matches.
func Match(s beam.Scope, pattern string) beam.PCollection {
	return beam.ParDo(s, nameOf, fileio.MatchFiles(s, pattern, fileio.MatchEmptyDisallow()))
}

func nameOf(f fileio.FileMetadata) string { return f.Path }

// File is a file that supports random access.
type File interface {
	io.Reader
	io.ReaderAt
	io.Seeker
	io.Closer
}

// Open opens a file. A remote file is copied to a temporary file, not to memory.
func Open(ctx context.Context, name string) (File, error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	in, err := fs.OpenRead(ctx, name)
	if err != nil {
		return nil, err
	}
	if local, ok := in.(*os.File); ok {
		return local, nil
	}
	defer in.Close()
	spool, err := os.CreateTemp("", "mpcvm")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(spool.Name()); err != nil { // it remains accessible while it is open
		return nil, errors.Join(err, spool.Close())
	}
	_, err = io.Copy(spool, in)
	if err == nil {
		_, err = spool.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), spool.Close())
	}
	return spool, nil
}

// Write writes a file atomically and replaces an existing one. Local files are renamed; a bucket
// only shows complete objects.
func Write(ctx context.Context, name string, text []byte) error {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer fs.Close()
	renamer, renames := fs.(filesystem.Renamer)
	to := name
	if renames = renames && !strings.Contains(name, "://"); renames {
		to = name + ".part-" + rand.Text() // another worker may write the same file
	}
	out, err := fs.OpenWrite(ctx, to)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	if err = errors.Join(err, out.Close()); err == nil && renames {
		err = renamer.Rename(ctx, to, name)
	}
	if remover, ok := fs.(filesystem.Remover); err != nil && renames && ok {
		_ = remover.Remove(ctx, to)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
