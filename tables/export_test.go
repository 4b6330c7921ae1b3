package tables

// SetMaxUnzipped sets the number of bytes that any compressed file may have, and returns a
// function that sets it back.
func SetMaxUnzipped(n int64) (restore func()) {
	old := maxUnzipped
	maxUnzipped = n
	return func() { maxUnzipped = old }
}

// SetSample sets the number of bytes that tell how a text is written, and returns a function that sets
// it back.
func SetSample(n int) (restore func()) {
	old := sampleText
	sampleText = n
	return func() { sampleText = old }
}

// SetMaxPiped sets the number of bytes of a file from a pipe that is not read in parts, and returns a
// function that sets it back.
func SetMaxPiped(n int64) (restore func()) {
	old := maxPiped
	maxPiped = n
	return func() { maxPiped = old }
}
