package nbhelpers

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"regexp"
	"strings"
	"testing"
)

// unzipped is the way back from packed.
func unzipped(text string) []byte {
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
	if err != nil {
		panic(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		panic(err)
	}
	return b
}

// unfolded is HTML with the packed code in its scripts unpacked.
func unfolded(html string) string {
	return regexp.MustCompile(`\.push\("([^"]*)"\)`).ReplaceAllStringFunc(html, func(s string) string {
		return string(unzipped(s[len(`.push("`) : len(s)-len(`")`)]))
	})
}

// TestPacked: packed code comes back, and so does the embedded ECharts.
func TestPacked(t *testing.T) {
	for _, code := range []string{"", "a", strings.Repeat("show(\"é\");", 500)} {
		if got := string(unzipped(packed(code))); got != code {
			t.Errorf("%.20q comes back as %.20q", code, got)
		}
	}
	if b := unzipped(base64.StdEncoding.EncodeToString(echartsGzip)); !bytes.Contains(b, []byte("6.1.0")) {
		t.Error("the embedded ECharts is not of version 6.1.0")
	}
}
