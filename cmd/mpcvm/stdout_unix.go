//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// isReadWriteNull reports whether f is /dev/null, opened for reading and writing.
func isReadWriteNull(f *os.File) bool {
	info, err := f.Stat()
	null, errNull := os.Stat(os.DevNull)
	if err != nil || errNull != nil || !os.SameFile(info, null) {
		return false
	}
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}
