package tables

// SetMaxUnzipped sets the maximum size of a decompressed file, and returns a function that restores it.
func SetMaxUnzipped(n int64) (restore func()) {
	old := maxUnzipped
	maxUnzipped = n
	return func() { maxUnzipped = old }
}

// SetSample sets the number of bytes used to detect how a text is written, and returns a function that
// restores it.
func SetSample(n int) (restore func()) {
	old := sampleText
	sampleText = n
	return func() { sampleText = old }
}

// SetMaxPiped sets the maximum size of a file from a pipe that must be read into memory, and returns a
// function that restores it.
func SetMaxPiped(n int64) (restore func()) {
	old := maxPiped
	maxPiped = n
	return func() { maxPiped = old }
}
