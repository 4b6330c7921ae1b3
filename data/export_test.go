package data

// SetMaxUnzipped sets the number of bytes that any compressed file may have, and returns a
// function that sets it back.
func SetMaxUnzipped(n int64) (restore func()) {
	old := maxUnzipped
	maxUnzipped = n
	return func() { maxUnzipped = old }
}
