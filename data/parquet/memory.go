package parquet

import (
	"fmt"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/internal/memory"
)

// MemoryError says that a file needs more memory than its reader may take. Need and Have
// are bytes. Advice is the way out.
type MemoryError = memory.Error

// budget counts the memory that a reader holds.
type budget struct {
	held  int64 // bytes of the footer, of pages, dictionaries and class names
	file  int64 // bytes of the file
	limit int64 // the most that held may be; 0 until more than unseen is needed
	texts int64 // bytes of the class names of the current batch, part of held
	keep  bool  // whether class names are kept from batch to batch
}

// unseen is the number of bytes that are granted without asking the system for more.
const unseen = 64 << 20

// take counts n more bytes. Its error is a [*MemoryError].
func (b *budget) take(n int64) error {
	if b.limit == 0 && n > unseen-b.held {
		most := min(float64(max(1<<30, 16*b.file)), (memory.Available()+float64(b.held))/2)
		b.limit = max(unseen, int64(most))
	}
	if limit := max(unseen, b.limit); n > limit-b.held {
		return &memory.Error{What: "reading the pages of all columns side by side", Need: float64(b.held) + float64(n), Have: float64(limit),
			Advice: "write the file with smaller pages or row groups"}
	}
	b.held += n
	return nil
}

// grow makes s n bytes long and counts its memory. The content is undefined.
func (b *budget) grow(s *[]byte, n int64) error {
	if n > int64(cap(*s)) {
		b.held -= int64(cap(*s))
		*s = nil
		if err := b.take(n); err != nil {
			return err
		}
		*s = make([]byte, n)
	}
	*s = (*s)[:n]
	return nil
}

// text returns a class name. Equal names share their memory, unless there are too many.
func (f *Reader) text(b []byte) (string, error) {
	const (
		most  = 4096 // names
		entry = 64   // bytes of the map for each of them
	)
	if s, met := f.met[string(b)]; met {
		return s, nil
	}
	if len(b) > maxText {
		return "", valueError{fmt.Errorf("a class name of %d bytes, it may have %d", len(b), maxText), ""}
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

// forgetTexts gives back the class names of the batch before.
func (f *Reader) forgetTexts() {
	if !f.keep {
		f.held -= f.texts
		f.texts = 0
		clear(f.met)
	}
}

// foresee returns an error if there is no memory for all rows. It sets nothing aside,
// because a damaged file may claim more rows than it has.
func (f *Reader) foresee() error {
	f.keep = true
	row := 8 * float64(len(f.features))
	if f.class {
		row += 24 // a string, and its label
	}
	// The slices grow by copying, so half of them is there twice.
	what := fmt.Sprintf("holding %d rows of %d columns", f.Rows(), len(f.columns))
	if err := memory.Check(2*row*float64(f.Rows()), what, "read the file batch by batch, or take fewer rows"); err != nil {
		return &cell.Error{Name: f.name, Err: err}
	}
	return nil
}
