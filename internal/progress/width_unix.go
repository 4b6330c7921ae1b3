//go:build unix

package progress

import (
	"os"

	"golang.org/x/sys/unix"
)

// columns is the width of the terminal f, 0 if it is not known.
func columns(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
