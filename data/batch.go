package data

import (
	"gonum.org/v1/gonum/mat"
)

// A BatchReader reads samples to be predicted some rows at a time, so that a file
// of any number of rows needs the memory of a few batches only. [OpenCSV] makes
// one, package data/parquet another.
type BatchReader interface {
	// Read reads the next rows into b, which it empties first. After the last
	// row it returns io.EOF. The batches of a file are the same in every
	// reading. It is not for concurrent use.
	Read(b *Batch) error
	// Seek goes to where a batch ended, so that the next Read continues there.
	Seek(to Position) error
}

// Position is a place between two rows of a file. The zero value is no place: a
// reader that is new stands before the first row.
type Position struct {
	Row    int64 `json:"row,omitempty"`    // of a Parquet file: rows before it
	Offset int64 `json:"offset,omitempty"` // of a CSV file: bytes before it
	Line   int64 `json:"line,omitempty"`   // of a CSV file: the number of its line, from 1
}

// Batch is some consecutive rows of a file. The zero value is empty and ready to be
// read into; reading into one again reuses its memory.
type Batch struct {
	X     *mat.Dense // a sample a row, the features in the order that was asked for
	Class []string   // the class of each row, "" where it is not given; nil if there is no such column
	End   Position   // where it ends

	values  []float64         // of X
	classes []string          // of Class
	texts   map[string]string // class names that were met, each kept once
	text    []byte            // of a CSV file, to be parsed
	csv     *CSVReader
	line    int64 // of the first line of text
}

// Parse turns the text that a CSV reader put into the batch into X and Class: it
// is most of the work of reading, and is separate so that several batches can be
// parsed at the same time. The error is that of [ReadFeatures]. Batches of other
// readers need no parsing, and none is done.
func (b *Batch) Parse() error {
	if b.csv == nil {
		return nil
	}
	return b.csv.parse(b)
}

// Resize empties the batch, makes X an n×d matrix and Class, if classes, n long,
// in memory that it has. It is for readers of other formats; their contents are
// left for these to set.
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

// Text returns the string of a class name, the same memory for equal names while
// there are not too many. It is for readers of other formats.
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

// BatchRows is the number of rows of a batch of d features: 32768, fewer where there
// are more than 32 features.
func BatchRows(d int) int {
	const rows, values = 1 << 15, 1 << 20
	return min(rows, max(values/max(d, 1), 1))
}
