package parquet

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/spoil"
	"github.com/mpcvm/mpcvm/internal/table"
	"github.com/mpcvm/mpcvm/internal/watch"
)

// unchecked is a file of one row group without the checksums of its pages, so that
// damage goes past them.
func unchecked(t testing.TB, file []byte) []byte {
	t.Helper()
	f, err := pq.OpenFile(bytes.NewReader(file), int64(len(file)), pq.SkipPageIndex(true))
	if err != nil {
		t.Fatal(err)
	}
	meta := *f.Metadata()
	out := []byte(magic)
	for g := range meta.RowGroups {
		for i := range meta.RowGroups[g].Columns {
			m := &meta.RowGroups[g].Columns[i].MetaData
			start := m.DataPageOffset
			if m.DictionaryPageOffset > 0 {
				start = m.DictionaryPageOffset
			}
			pages := file[start : start+m.TotalCompressedSize]
			m.DataPageOffset, m.DictionaryPageOffset = int64(len(out)), 0
			for len(pages) > 0 {
				var p craftedPage
				used, err := unmarshal(pages, &p.header, &budget{})
				if err != nil {
					t.Fatal(err)
				}
				p.header.CRC = 0
				head, err := thrift.Marshal(new(thrift.CompactProtocol), &p.header)
				if err != nil {
					t.Fatal(err)
				}
				body := pages[used:][:p.header.CompressedPageSize]
				out = append(append(out, head...), body...)
				pages = pages[used+len(body):]
			}
			m.TotalCompressedSize = int64(len(out)) - m.DataPageOffset
		}
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &meta)
	if err != nil {
		t.Fatal(err)
	}
	return withFooter(out, footer)
}

// A file that was damaged is read, or refused with an error that names it, whatever it
// is compressed by; the memory that this takes keeps to its limit.
func TestSpoilt(t *testing.T) {
	flips := 150
	if spoil.Long() {
		flips = 1000
	}
	for k, codec := range allCodecs {
		for version := 1; version <= 2; version++ {
			file, names, _, _ := kindsOfColumns(t, 8, codec, version, version == 2, textEncodings[(k+version)%4])
			for _, checks := range []bool{true, false} {
				if !checks {
					file = unchecked(t, file)
				}
				whole, err := open(file, names, 5)
				if err != nil {
					t.Fatal(err)
				}
				values, _, _, err := readAll(whole)
				if err != nil {
					t.Fatal(err)
				}
				read, refused := 0, 0
				spoil.Each(file, flips, func(how string, spoilt []byte) {
					if !spoil.Long() && strings.HasPrefix(how, "cut") && len(spoilt)%7 > 0 {
						return
					}
					var got []float64
					watch.Within(t, len(spoilt), func() {
						var f *Reader
						if f, err = open(spoilt, nil, 5); err == nil && f.Rows() < 1000 { // a billion rows in a run can be read
							got, _, _, err = readAll(f)
						}
					})
					var e *cell.Error
					switch {
					case err == nil:
						if read++; len(got) != len(values) {
							t.Errorf("%v, version %d, %s: %d values, not %d", codec, version, how, len(got), len(values))
						}
					case !errors.As(err, &e) || e.Name != "s" || strings.Contains(err.Error(), "runtime error"):
						t.Errorf("%v, version %d, %s: %v", codec, version, how, err)
					default:
						refused++
					}
				})
				t.Logf("%v, version %d, checksums %v: %d bytes; %d damaged ones read, %d refused", codec, version, checks, len(file), read, refused)
				if read == 0 || refused == 0 {
					t.Error("the damage shows no difference")
				}
			}
		}
	}
}

// A reader that fails, or ends early, is told of as such.
func TestReaderFails(t *testing.T) {
	file := file(t, []wide{row(0), row(1)})
	read, refused := 0, 0
	for n := range len(file) {
		f, err := Open(failing{file, n}, int64(len(file)), "s", nil)
		if err == nil {
			err = f.Read(new(table.Batch))
		}
		switch {
		case err == nil:
			read++ // an index that is not needed
		case errors.Is(err, io.ErrClosedPipe):
			refused++
		default:
			t.Errorf("without byte %d: %v", n, err)
		}
	}
	if read == 0 || refused < len(file)/2 {
		t.Errorf("%d read, %d refused", read, refused)
	}
	if _, err := Open(bytes.NewReader(file[:len(file)/2]), int64(len(file)), "s", nil); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

// failing cannot read the byte at from.
type failing struct {
	file []byte
	from int
}

func (f failing) ReadAt(b []byte, offset int64) (int, error) {
	if offset <= int64(f.from) && int64(f.from) < offset+int64(len(b)) {
		return 0, io.ErrClosedPipe
	}
	return bytes.NewReader(f.file).ReadAt(b, offset)
}
