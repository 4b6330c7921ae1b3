package chart

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"strings"
)

// Code is embedded in compressed form: gzip, which browsers can decompress (boot.js), in base64,
// which needs no escapes in a script or in the JSON of a notebook.

// Packed returns compressed code as text.
func Packed(code string) string { return base64.StdEncoding.EncodeToString(zipped([]byte(code))) }

// zipped compresses b with gzip.
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

// unzipped is the inverse of zipped.
func unzipped(b []byte) string {
	var out strings.Builder
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err == nil {
		_, err = io.Copy(&out, z) //nolint:gosec // embedded in the program
	}
	if err != nil {
		panic("nbhelpers: " + err.Error())
	}
	return out.String()
}
