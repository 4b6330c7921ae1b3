//go:build unix

package atomicfile

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

const killAt = "MPCVM_TEST_KILL_AT"

// TestMain writes the file x in the working folder if killAt is set, and is killed before the call of that number.
func TestMain(m *testing.M) {
	if at, err := strconv.Atoi(os.Getenv(killAt)); err == nil {
		Inject(func(string) error {
			if at--; at < 0 {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
			return nil
		})
		if Write("x", write(long)) != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var (
	long      = strings.Repeat("new", 1<<16) // more than the buffer
	errBroken = errors.New("broken")
)

// fails writes the file x of a folder in which call n fails, and reports whether the write failed.
func fails(t *testing.T, dir string, n int) bool {
	defer Inject(func(string) error {
		if n--; n == -1 {
			return errBroken
		}
		return nil
	})()
	err := Write(filepath.Join(dir, "x"), write(long))
	if err != nil && !errors.Is(err, errBroken) {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	return err != nil
}

// killed writes the file x of a folder in a process that is killed at call n, and reports whether it was killed.
func killed(_ *testing.T, dir string, n int) bool {
	c := exec.Command(os.Args[0])
	c.Dir, c.Env = dir, append(os.Environ(), killAt+"="+strconv.Itoa(n))
	return c.Run() != nil
}

// Whichever call fails, and wherever the process is killed, the file has its old or its new content. The next
// run removes the temporary file.
func TestFaults(t *testing.T) {
	for _, old := range []string{"", "old"} {
		for how, write := range map[string]func(*testing.T, string, int) bool{"fails": fails, "killed": killed} {
			n := 0
			for failed := true; failed; n++ {
				dir := t.TempDir()
				path := filepath.Join(dir, "x")
				if old != "" {
					must.OK(t, os.WriteFile(path, []byte(old), 0o600))
				}
				failed = write(t, dir, n)
				text, _ := os.ReadFile(path)
				if got := string(text); got != long && (got != old || !failed) {
					t.Errorf("%s at call %d: %d bytes instead of %q", how, n, len(got), old)
				}
				if err := Check(path); err != nil {
					t.Error(err)
				}
				if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
					t.Errorf("%s at call %d: left %q", how, n, left)
				}
			}
			if n < 9 { // create, two writes, flush, chmod, sync, close, rename, sync folder
				t.Errorf("%s: only %d calls", how, n)
			}
		}
	}
}

// The temporary file of a process that still writes stays, as do files that only look like one.
func TestInUse(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "x"), filepath.Join(dir, ".x.mine.tmp")
	must.OK(t, os.WriteFile(other, nil, 0o600))
	err := Write(path, func(w io.Writer) error {
		if err := Write(path, write("inner")); err != nil {
			return err
		}
		return write("outer")(w)
	})
	if text, _ := os.ReadFile(path); err != nil || string(text) != "outer" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
}

// The target of a link is written, also if it does not exist yet or is in another folder. A read-only file is not
// replaced. A name may have as many bytes as the file system allows.
func TestDestination(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	must.OK(t, errors.Join(os.Mkdir(in("sub"), 0o755), os.Symlink("sub/file", in("link")),
		os.Symlink(in("link"), in("second")), os.Symlink("round", in("round"))))
	for _, text := range []string{"new", "replaced"} {
		err := Write(in("second"), write(text))
		got, _ := os.ReadFile(in("sub/file"))
		if to, _ := os.Readlink(in("link")); err != nil || string(got) != text || to != "sub/file" {
			t.Errorf("%q, %q, %v", got, to, err)
		}
	}
	must.OK(t, os.Chmod(in("sub/file"), 0o444))
	for _, path := range []string{in("sub/file"), in("link"), in("round"), in(strings.Repeat("a", 256))} {
		if err, check := Write(path, write("lost")), Check(path); err == nil || check == nil {
			t.Errorf("%.20s: %v, %v", path, err, check)
		}
	}
	if got, _ := os.ReadFile(in("sub/file")); string(got) != "replaced" {
		t.Errorf("%q", got)
	}
	if err := Write(in(strings.Repeat("ü", 127)), write("")); err != nil {
		t.Error(err)
	}
}
