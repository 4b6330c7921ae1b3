package dialect

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/tables/table"
)

// big returns 256 KiB of numbers and words that contain every character that could be a separator.
func big() []byte {
	var b strings.Builder
	for i := 0; b.Len() < 256<<10; i++ {
		b.WriteString(strconv.Itoa(i) + ",1.5e-3,\"a, 'b'; c|d\",2024-01-02 12:00,x=1/2 #3 *4 &5 ^6 ~7!,\"\",\t\n")
	}
	return []byte(b.String())
}

func BenchmarkDetect(b *testing.B) {
	text := big()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Detect(text, false, table.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTedious: the time per byte should not depend on the length of the text.
func BenchmarkTedious(b *testing.B) {
	for _, kib := range []int{16, 64, 256} {
		for part, text := range tedious(kib << 10) {
			b.Run(fmt.Sprintf("%q/%d KiB", part, kib), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					d, _ := Detect(text, false, table.Options{}) // some are rejected
					_ = drain(NewReader(bytes.NewReader(text), "", d))
				}
			})
		}
	}
}

func BenchmarkDetectAnnotated(b *testing.B) {
	dir := os.Getenv("MPCVM_DIALECTS")
	if dir == "" {
		b.Skip("MPCVM_DIALECTS is not set")
	}
	for _, name := range []string{"narrow.csv", "dd_Wickenburg_nobmp_623.csv", "S30out.csv", "hypo5.csv",
		"April-2011-for-publication.csv"} {
		text, err := os.ReadFile(filepath.Join(dir, "files", name))
		if err != nil {
			b.Fatal(err)
		}
		sample, whole := sampleOf(text)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(sample)))
			for b.Loop() {
				_, _ = Detect(sample, whole, table.Options{})
			}
		})
	}
}

func BenchmarkReader(b *testing.B) {
	lines := strings.Repeat("1.2345,2.5,-3.75e-2,17,word\n", 1<<16)
	plain := Dialect{Separator: ',', Quote: '"', Escape: '"', Decimal: '.', Encoding: "utf-8", LineEnd: "lf",
		Header: true}
	semicolon, latin1, quoted, comment := plain, plain, plain, plain
	semicolon.Separator = ';'
	latin1.Encoding = "latin-1"
	quoted.Quote = '\''
	comment.Comment = "#"
	for _, c := range []struct {
		name, text string
		d          Dialect
	}{
		{"plain", lines, plain},
		{"semicolon", strings.ReplaceAll(lines, ",", ";"), semicolon},
		{"crlf", strings.ReplaceAll(lines, "\n", "\r\n"), plain},
		{"latin-1", lines, latin1},
		{"quoted", strings.ReplaceAll(lines, "word", `"a, word"`), plain},
		{"single quotes", strings.ReplaceAll(lines, "word", "'a, word'"), quoted},
		{"comments", lines, comment},
		{"decimal comma", strings.NewReplacer(",", ";", ".", ",").Replace(lines), semicolon},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				if err := drain(NewReader(strings.NewReader(c.text), "", c.d)); err != io.EOF {
					b.Fatal(err)
				}
			}
		})
	}
}

func drain(r *Reader) (err error) {
	for err == nil {
		_, _, err = r.Next()
	}
	return err
}
