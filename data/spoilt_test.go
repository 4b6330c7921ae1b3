package data

import (
	"bytes"
	"errors"
	"os"
	"regexp"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/spoil"
)

// A damaged file gives a valid set or an error with a position.
func TestSpoiltData(t *testing.T) {
	where := regexp.MustCompile("line [0-9]|row [0-9]|column")
	for _, path := range []string{"overlap.csv", "iris.csv"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !spoil.Long() {
			text = text[:bytes.IndexByte(text[900:], '\n')+901]
		}
		whole, err := ReadSet(bytes.NewReader(text), path)
		if err != nil {
			t.Fatal(err)
		}
		read, refused := 0, 0
		spoil.Each(text, 1000, func(how string, spoilt []byte) {
			s, err := ReadSet(bytes.NewReader(spoilt), path)
			var e *CellError
			switch {
			case errors.As(err, &e):
				if refused++; !where.MatchString(err.Error()) && !errors.Is(err, ErrEmpty) {
					t.Errorf("%s, %s: no position in %v", path, how, err)
				}
				return
			case err != nil:
				t.Fatalf("%s, %s: %v", path, how, err)
			}
			if read++; s.valid() != nil || s.N() > whole.N()+8 || s.D() != len(s.Features) {
				t.Fatalf("%s, %s: %v, %+v", path, how, s.valid(), s)
			}
		})
		t.Logf("%s: %d bytes; %d damaged ones read, %d rejected", path, len(text), read, refused)
		if read == 0 || refused == 0 {
			t.Error("every damaged file was read, or none")
		}
	}
}
