package nbhelpers

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// bytes91 is the way back from text91.
func bytes91(text string) (out []byte) {
	digit := func(i int) int { return bytes.IndexByte(digits91, text[i]) }
	bits, n := 0, 0
	for i := 0; i < len(text); i += 2 {
		if i+1 == len(text) {
			return append(out, byte(bits|digit(i)<<n))
		}
		v := digit(i) + 91*digit(i+1)
		bits |= v << n
		if n += 13; v&(1<<13-1) <= 88 {
			n++
		}
		for ; n > 7; n -= 8 {
			out = append(out, byte(bits))
			bits >>= 8
		}
	}
	return out
}

func unzipped(text string) []byte {
	z, err := gzip.NewReader(bytes.NewReader(bytes91(text)))
	if err != nil {
		panic(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		panic(err)
	}
	return b
}

// unfolded is HTML with its packed code as it was, in the scripts.
func unfolded(html string) string {
	return regexp.MustCompile(`\.push\("([^"]*)"\)`).ReplaceAllStringFunc(html, func(s string) string {
		return string(unzipped(s[len(`.push("`) : len(s)-len(`")`)]))
	})
}

func TestText91(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 400 {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(random.IntN(256)) | []byte{0, 255, 0, 31}[n%4]
		}
		text := text91(b)
		if !bytes.Equal(bytes91(text), b) {
			t.Fatalf("%x comes back as %x", b, bytes91(text))
		}
		if strings.ContainsAny(text, `"'<\`+"\n") {
			t.Fatalf("%q needs escapes", text)
		}
	}
	code := fmt.Sprint(random.Perm(5000))
	if text := packed(code); string(unzipped(text)) != code || len(text) > len(code)*3/4 {
		t.Errorf("%d characters of %d do not come back", len(text), len(code))
	}
}
