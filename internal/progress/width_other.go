//go:build !unix && !windows

package progress

import "os"

// columns returns 0: the width of a terminal is not known on this system.
func columns(*os.File) int { return 0 }
