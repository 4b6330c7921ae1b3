//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"os"
	"syscall"
)

// hold locks a new file until release is called, also if it is closed before. It fails if another process has
// taken the file for an unused one. Without support for locks, no process removes files of others.
func hold(f *os.File) (release func(), ok bool) {
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return func() {}, true
	}
	syscall.CloseOnExec(fd)
	release = func() { _ = syscall.Close(fd) }
	if err := syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB); err == syscall.EWOULDBLOCK {
		release()
		return nil, false
	}
	info, err := f.Stat()
	now, errNow := os.Stat(f.Name())
	if err == nil && errNow == nil && !os.SameFile(info, now) || os.IsNotExist(errNow) {
		release()
		return nil, false
	}
	return release, true
}

// removeUnused removes a temporary file that no process holds.
func removeUnused(name string) {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		os.Remove(name)
	}
}
