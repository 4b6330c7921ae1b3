package data

import (
	"io"
	"os"
)

// textSize is the number of bytes that r has yet to give, or −1 where that is not known.
func textSize(r io.Reader) int64 {
	switch r := r.(type) {
	case *os.File:
		info, err := r.Stat()
		if err != nil || !info.Mode().IsRegular() {
			return -1
		}
		at, err := r.Seek(0, io.SeekCurrent)
		if err != nil {
			return -1
		}
		return info.Size() - at
	case interface{ Len() int }: // strings.Reader, bytes.Reader, bytes.Buffer
		return int64(r.Len())
	}
	return -1
}

// grow makes room for n more elements, after read of size bytes of a text, so that what
// remains will fit if it is like what was read: what append would do copies a large slice
// many times, and in the end takes twice its memory and more.
func grow[T any](s []T, n int, read, size int64) []T {
	const early = 1 << 12 // elements that tell too little
	if len(s)+n <= cap(s) || len(s) < early || read <= 0 || size < read {
		return s
	}
	room := int(float64(len(s))*1.01*float64(size)/float64(read)) + n
	return append(make([]T, 0, room), s...)
}
