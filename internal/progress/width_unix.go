//go:build unix

package progress

import (
	"os"

	"golang.org/x/sys/unix"
)

// columns returns the width of the terminal f, or 0 if not known.
func columns(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
