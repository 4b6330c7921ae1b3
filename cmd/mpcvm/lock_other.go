//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package main

import "os"

// openLocked opens a file, which it makes if need be. There is no lock here that a
// killed process gives back by itself, so there is none.
func openLocked(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
}
