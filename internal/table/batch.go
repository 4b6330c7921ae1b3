package table

import (
	"gonum.org/v1/gonum/mat"
)

// Reader reads samples to be predicted in batches of rows, so that a file of any length
// needs the memory of a few batches only. [OpenCSV] returns one, package data/parquet
// another. It is not for concurrent use.
type Reader interface {
	// Read reads the next rows into b, which it empties first. After the last row it
	// returns io.EOF. A file gives the same batches each time it is read.
	Read(b *Batch) error
	// Seek goes to where a batch ended, so that the next Read continues there.
	Seek(to Position) error
}

// Position is a place between two rows of a file. The zero value is no place: a new reader
// stands before the first row.
type Position struct {
	Row    int64 `json:"row,omitempty"`    // of a Parquet file: rows before it
	Offset int64 `json:"offset,omitempty"` // of a CSV file: bytes before it
	Line   int64 `json:"line,omitempty"`   // of a CSV file: the number of its line, from 1
}

// Batch is consecutive rows of a file. The zero value is empty and ready to be read into;
// reading into a batch again reuses its memory.
type Batch struct {
	X     *mat.Dense // a sample a row, the features in the order that was asked for
	Class []string   // the class of each row, "" if it is not given; nil if there is no such column
	End   Position   // where the batch ends

	values  []float64         // of X
	classes []string          // of Class
	texts   map[string]string // class names so far, each kept once
	text    []byte            // of a CSV file, not yet parsed
	csv     *CSV
	line    int64 // of the first line of text
}

// Parse makes X and Class of the text that a CSV reader put into the batch. This is most of
// the work of reading; it is separate so that several batches can be parsed at the same
// time. The errors are those of [ReadFeatures]. For batches of other readers it does
// nothing.
func (b *Batch) Parse() error {
	if b.csv == nil {
		return nil
	}
	return b.csv.parse(b)
}

// Resize empties the batch and makes X n×d and, if classes is true, Class n long. Their
// contents are undefined; memory is reused. It is for readers.
func (b *Batch) Resize(n, d int, classes bool) {
	*b = Batch{values: b.values, classes: b.classes, texts: b.texts, text: b.text[:0]}
	b.shape(n, d, classes)
}

func (b *Batch) shape(n, d int, classes bool) {
	if cap(b.values) < n*d {
		b.values = make([]float64, n*d)
	}
	b.values = b.values[:n*d]
	b.X = &mat.Dense{}
	if n > 0 {
		b.X = mat.NewDense(n, d, b.values)
	}
	b.Class = nil
	if classes {
		if cap(b.classes) < n {
			b.classes = make([]string, n)
		}
		b.classes = b.classes[:n]
		b.Class = b.classes
	}
}

// Text returns a class name as a string. Equal names share memory as long as there are at
// most 4096 names. It is for readers.
func (b *Batch) Text(name []byte) string {
	const most = 4096
	if s, met := b.texts[string(name)]; met {
		return s
	}
	if b.texts == nil || len(b.texts) >= most {
		b.texts = map[string]string{}
	}
	s := string(name)
	b.texts[s] = s
	return s
}

// Rows returns the number of rows of a batch of d features: 32768, or fewer if d > 32.
func Rows(d int) int {
	const rows, values = 1 << 15, 1 << 20
	return min(rows, max(values/max(d, 1), 1))
}
