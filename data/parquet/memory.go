package parquet

import (
	"fmt"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/memory"
)

// MemoryError says that the pages of a file that must be held at a time, decompressed,
// one of each column, or that all its rows ([ReadSet], [ReadFeatures]) take more memory
// than there is. Need and Have are bytes; Have is what the system has available and the
// limits of the process's control group leave; of that pages may have half, as garbage
// may take the other. Less than 64 MiB is never refused, and nothing on systems other
// than Linux. Advice is the way out.
type MemoryError = memory.Error

// unseen are the bytes that are granted without a look at what is at hand.
const unseen = 64 << 20

// budget is the memory of what the size of a file does not bound: pages are small when
// they are compressed.
type budget struct {
	held  int64 // bytes of pages, dictionaries and class names
	limit int64 // of them
	texts int64 // of the names of the batch being read
	keep  bool  // names are kept from batch to batch
}

// take counts n more bytes that are held.
func (f *Reader) take(n int64) error {
	need := f.held + n
	if need > f.limit {
		half := (memory.Available() + float64(f.held)) / 2
		if float64(need) > half {
			return &memory.Error{What: "reading the pages of all columns side by side", Need: float64(need), Have: half,
				Advice: "write the file with smaller pages or row groups"}
		}
		f.limit = max(unseen, int64(min(half, 1<<62)))
	}
	f.held = need
	return nil
}

// room makes b n bytes long, whatever they are.
func (f *Reader) room(b *[]byte, n int64) error {
	if int64(cap(*b)) < n {
		f.held -= int64(cap(*b))
		*b = nil
		if err := f.take(n); err != nil {
			return err
		}
		*b = make([]byte, n)
	}
	*b = (*b)[:n]
	return nil
}

// text returns a class name, the same memory for equal names while there are not too
// many.
func (f *Reader) text(b []byte) (string, error) {
	const (
		most  = 4096 // names
		entry = 64   // bytes of the map for each of them
	)
	b = cleanBytes(b)
	if s, met := f.met[string(b)]; met {
		return s, nil
	}
	if len(b) > maxText {
		return "", textError(len(b))
	}
	n := int64(len(b)) + entry
	if err := f.take(n); err != nil {
		return "", err
	}
	f.texts += n
	if f.met == nil || len(f.met) >= most {
		f.met = map[string]string{}
	}
	s := string(b)
	f.met[s] = s
	return s, nil
}

// forgetTexts is called where names of the batch before need not be held any more.
func (f *Reader) forgetTexts() {
	if !f.keep {
		f.held -= f.texts
		f.texts = 0
		clear(f.met)
	}
}

// foresee refuses to hold all rows where there is no memory for them. It does not set
// any aside: a damaged file may tell of more rows than it has.
func (f *Reader) foresee() error {
	f.keep = true
	row := 8 * float64(len(f.features))
	if f.class {
		row += 24 // a string, and its label
	}
	// As it grows, what there was lies beside what there will be.
	what := fmt.Sprintf("holding %d rows of %d columns", f.Rows(), len(f.columns))
	if err := memory.Check(2*row*float64(f.Rows()), what, "read the file batch by batch, or take fewer rows"); err != nil {
		return &data.ReadError{Name: f.name, Err: err}
	}
	return nil
}
