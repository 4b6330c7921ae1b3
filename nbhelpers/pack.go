package nbhelpers

import (
	"bytes"
	"compress/gzip"
	"strings"
)

// Code travels packed: by gzip, which browsers unpack (ECharts by LZMA, an eighth
// shorter, which lzma.js unpacks), and as a text of the 91
// characters that need no escape in a script, nor in the JSON of a notebook. Two of
// them hold 13 bits, or 14 if those make a number below 91² − 2¹³ (Henke's basE91,
// with other characters); base 64 would be a twelfth longer.

// packed is the text of code.
func packed(code string) string { return text91(zipped([]byte(code))) }

func zipped(b []byte) []byte {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(b)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		panic("nbhelpers: " + err.Error())
	}
	return out.Bytes()
}

var digits91 = func() (digits []byte) {
	for c := byte(' '); c <= '~'; c++ {
		if strings.IndexByte(`"'<\`, c) < 0 {
			digits = append(digits, c)
		}
	}
	return digits
}()

func text91(b []byte) string {
	var out strings.Builder
	bits, n := 0, 0 // those that wait, the first of them lowest
	write := func(v int) {
		out.WriteByte(digits91[v%91])
		out.WriteByte(digits91[v/91])
	}
	for _, c := range b {
		bits |= int(c) << n
		if n += 8; n <= 13 {
			continue
		}
		size := 13
		if bits&(1<<13-1) <= 91*91-1-1<<13 {
			size = 14
		}
		write(bits & (1<<size - 1))
		bits >>= size
		n -= size
	}
	switch {
	case n > 7 || bits > 90:
		write(bits)
	case n > 0:
		out.WriteByte(digits91[bits])
	}
	return out.String()
}
