//go:build unix

package atomicfile

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// A new file has the mode that the umask allows, and a replaced file keeps its mode. The temporary
// file is not readable by others either.
func TestMode(t *testing.T) {
	for _, c := range []struct {
		umask     int
		old, want fs.FileMode // old is 0 without an existing file
	}{
		{0o022, 0, 0o644}, {0o077, 0, 0o600}, {0o002, 0, 0o664}, {0o027, 0, 0o640},
		{0o022, 0o600, 0o600}, {0o022, 0o640, 0o640}, {0o077, 0o644, 0o644}, {0o022, 0o666, 0o666},
		{0o077, 0o755, 0o755},
	} {
		path := filepath.Join(t.TempDir(), "x")
		if c.old != 0 {
			must.OK(t, os.WriteFile(path, nil, 0o600))
			must.OK(t, os.Chmod(path, c.old))
		}
		before := syscall.Umask(c.umask)
		err := Write(path, func(w io.Writer) error {
			files, err := os.ReadDir(filepath.Dir(path))
			for _, f := range files {
				info, err := f.Info()
				if err != nil {
					return err
				}
				if wide := info.Mode().Perm() &^ c.want; wide != 0 {
					t.Errorf("umask %03o, mode %03o: %s has mode %v while it is written", c.umask, c.old, f.Name(),
						info.Mode())
				}
			}
			return err
		})
		syscall.Umask(before)
		must.OK(t, err)
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != c.want {
			t.Errorf("umask %03o, mode %03o: %v, %v, want %v", c.umask, c.old, info.Mode().Perm(), err, c.want)
		}
	}
}
