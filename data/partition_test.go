package data

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/mpcvm/mpcvm/internal/testkit/watch"
)

func TestReadPartitions(t *testing.T) {
	for name, text := range map[string]string{
		"plain":        "0,1,2\n4,3\n",
		"no last line": "0,1,2\n4,3",
		"forgiven":     "\ufeff 0, 1 ,2\r\n4,3\r\n\r\n  \n",
	} {
		got, err := readPartitions(strings.NewReader(text), "partitions", 5)
		if err != nil || len(got) != 2 || !slices.Equal(got[0], []int{0, 1, 2}) ||
			!slices.Equal(got[1], []int{4, 3}) {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
}

func TestReadPartitionsErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		text         string
		cause        error
		line, column int
		value        string
	}{
		"nothing":      {"", ErrEmpty, 0, 0, ""},
		"blank":        {" \n\n", ErrEmpty, 0, 0, ""},
		"empty one":    {"0,1\n\n2\n", ErrEmpty, 2, 0, ""},
		"negative":     {"0,-1\n", errRowRange, 1, 2, "-1"},
		"out of range": {"0,1\n1,2,3\n", errRowRange, 2, 3, "3"},
		"twice":        {"0,1\n0,1,0\n", errDuplicateRow, 2, 3, "0"},
		"fraction":     {"0,1.5\n", ErrNotNumber, 1, 2, "1.5"},
		"huge":         {"0,99999999999999999999\n", ErrNotNumber, 1, 2, "99999999999999999999"},
		"missing":      {"0,,1\n", ErrMissing, 1, 2, ""},
		"comma at end": {"0,1,\n", ErrMissing, 1, 3, ""},
		"nothing left": {"0,1\n2,0,1\n", errNoTestRows, 2, 0, ""},
	} {
		_, err := readPartitions(strings.NewReader(tc.text), "partitions", 3)
		var e *CellError
		if !errors.As(err, &e) || !errors.Is(err, tc.cause) {
			t.Errorf("%s: error %v, want %v", name, err, tc.cause)
			continue
		}
		value, _ := e.Value.(string)
		if e.Line != tc.line || e.Column != tc.column || value != tc.value {
			t.Errorf("%s: got %+v", name, *e)
		}
	}
	broken := errors.New("broken")
	if _, err := readPartitions(iotest.ErrReader(broken), "partitions", 3); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

func TestReadPartitionsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.csv")
	if err := os.WriteFile(path, []byte("0\n7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := ReadPartitionsFile(path, 3)
	if err == nil || err.Error() != `data: p: line 2, column 1: row out of range (3 rows): "7"` {
		t.Errorf("error %v", err)
	}
	if _, err := ReadPartitionsFile(path+"x", 3); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func FuzzReadPartitions(f *testing.F) {
	for _, text := range []string{"", "0,1,2\n4,3\n", "\ufeff 0, 1\r\n\r\n", "0,0\n", "1,\n", "\n1\n", "9\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		const n = 9
		var partitions [][]int
		var err error
		watch.Within(t, len(text), func() {
			partitions, err = readPartitions(bytes.NewReader(text), "partitions",
				n)
		})
		if err != nil {
			var e *CellError
			if !errors.As(err, &e) {
				t.Fatalf("error of type %T", err)
			}
			return
		}
		if len(partitions) == 0 {
			t.Fatal("no partitions and no error")
		}
		for _, rows := range partitions {
			sorted := slices.Compact(slices.Sorted(slices.Values(rows)))
			if len(rows) == 0 || len(sorted) != len(rows) || len(rows) >= n || sorted[0] < 0 ||
				sorted[len(sorted)-1] >= n {
				t.Fatalf("bad partition %v", rows)
			}
		}
	})
}
