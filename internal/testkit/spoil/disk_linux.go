package spoil

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Disk mounts a file system of the given size in bytes until the test ends. It returns its folder,
// and a function that fills it up to a number of bytes. The test is skipped if mounting is not
// allowed.
func Disk(t *testing.T, size int) (dir string, fill func(but int)) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		t.Skipf("NOT TESTED: mounting a file system requires root: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir, func(but int) {
		path := filepath.Join(dir, "full")
		_ = os.Remove(path)
		var s syscall.Statfs_t
		if err := syscall.Statfs(dir, &s); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, int(s.Bavail)*int(s.Bsize)-but), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
