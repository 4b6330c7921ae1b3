package dialect

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// annotation is a line of annotations.txt: what people say of a file.
type annotation struct {
	file             string
	separator, quote rune
	lineEnd          string
}

func annotations(t *testing.T) (dir string, list []annotation) {
	dir = os.Getenv("MPCVM_DIALECTS")
	if dir == "" {
		t.Skip("MPCVM_DIALECTS is not set: no annotated files to detect the dialects of")
	}
	f, err := os.Open(filepath.Join(dir, "annotations.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	separators := map[string]rune{"comma": ',', "semicolon": ';', "tab": '\t', "vslash": '|', "space": ' '}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Split(lines.Text(), "|")
		if len(fields) != 6 || fields[0] == "file_name" {
			continue
		}
		quote := '"'
		if fields[3] == "singlequote" {
			quote = '\''
		}
		if separators[fields[2]] == 0 {
			t.Fatalf("%s: separator %q", fields[0], fields[2])
		}
		list = append(list, annotation{fields[0], separators[fields[2]], quote, fields[5]})
	}
	return dir, list
}

// sampleOf returns the first 256 KiB of a file.
func sampleOf(text []byte) (sample []byte, whole bool) {
	if len(text) > 256<<10 {
		return text[:256<<10], false
	}
	return text, true
}

// TestAnnotated looks at files from public archives, with the dialects that people found. At
// least 97 % must be right; the best published figure is 96.6 %.
func TestAnnotated(t *testing.T) {
	dir, list := annotations(t)
	right, files := 0, 0
	for _, a := range list {
		text, err := os.ReadFile(filepath.Join(dir, "files", a.file))
		if err != nil {
			continue // not in the collection
		}
		files++
		sample, whole := sampleOf(text)
		d, err := Detect(sample, whole, Options{})
		var ambiguous *Ambiguous
		if err != nil && (!errors.As(err, &ambiguous) || ambiguous.Flag == "--separator") {
			t.Errorf("%s: %v", a.file, err)
		} else if err != nil {
			t.Logf("%s: %v", a.file, err)
		}
		quote := d.Quote
		if quote == 0 && !bytes.ContainsRune(text, '"') {
			quote = '"'
		}
		if d.Separator == a.separator && quote == a.quote {
			right++
		} else {
			t.Logf("%s: %s with quote %q, want %q with %q", a.file, d, d.Quote, a.separator, a.quote)
		}
		if testing.Verbose() && os.Getenv("MPCVM_DIALECTS_ALL") != "" {
			t.Logf("%-60s %s", a.file, d)
		}
		r := csv.NewReader(NewReader(bytes.NewReader(text), d))
		r.FieldsPerRecord = -1
		r.ReuseRecord = true
		for err = nil; err == nil; {
			_, err = r.Read()
		}
		if err != io.EOF {
			t.Errorf("%s: %s: reading it: %v", a.file, d, err)
		}
	}
	t.Logf("%d of %d right", right, files)
	if files < 130 || float64(right) < 0.97*float64(files) {
		t.Errorf("%d of %d dialects are right", right, files)
	}
}
