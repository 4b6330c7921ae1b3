//go:build !unix

package main

import "os"

// isReadWriteNull always returns false, because the mode of a file is not available on this system.
func isReadWriteNull(*os.File) bool { return false }
