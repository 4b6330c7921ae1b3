package mpcvm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/mpcvm/mpcvm/mpcvm/internal/strictjson"
)

// write writes the document, a field or a vector a line, in one piece.
func (doc *document) write(w io.Writer) error {
	var out bytes.Buffer
	line := func(prefix string, v any) error {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		out.WriteString(prefix)
		out.Write(text)
		return nil
	}
	type field struct {
		key   string
		value any
	}
	fields := []field{
		{"format", fileFormat}, {"version", fileVersion}, {"kernel", doc.kernel},
		{"classes", doc.classes}, {"features", doc.features}, {"bias", doc.bias},
	}
	if doc.mean != nil {
		fields = append(fields, field{"scaling", struct {
			Mean  []float64 `json:"mean"`
			Scale []float64 `json:"scale"`
		}{doc.mean, doc.scale}})
	}
	if doc.temperature != 0 {
		fields = append(fields, field{"temperature", doc.temperature})
	}
	out.WriteString("{\n")
	for _, f := range fields {
		if err := line(fmt.Sprintf("  %q: ", f.key), f.value); err != nil {
			return err
		}
		out.WriteString(",\n")
	}
	out.WriteString("  \"vectors\": [")
	for i, v := range doc.vectors {
		if i > 0 {
			out.WriteString(",")
		}
		if err := line("\n    ", v); err != nil {
			return err
		}
	}
	out.WriteString("\n  ]\n}\n")
	_, err := w.Write(out.Bytes())
	return err
}

// tally counts what a document holds, by the name of the field.
type tally struct {
	classes, features, bias, mean, scale, thetas int
	vectors, x, weights                          int
	text                                         int // bytes of all names
}

// readDocument reads a document whose parts may still not fit together. It is called
// twice: first it counts and keeps nothing, then it keeps all in slices of just that size,
// which do not have to grow.
func readDocument(in io.Reader, count *tally, keep bool) (*document, error) {
	var doc document
	var all strings.Builder // all names side by side: each by itself takes 16 bytes
	r := strictjson.New(in)
	numbers := func(dst *[]float64, n *int) func() {
		return func() { list(r, dst, n, keep, r.Number) }
	}
	texts := func(dst *[]string, n *int) func() {
		return func() {
			list(r, dst, n, keep, func() string {
				text := r.Text()
				if !keep {
					count.text += len(text)
					return ""
				}
				before := all.Len()
				all.WriteString(text)
				return all.String()[before:]
			})
		}
	}
	if keep {
		all.Grow(count.text)
		doc.vectors = make([]fileVector, 0, count.vectors)
		doc.x = make([]float64, 0, count.x)
		doc.weights = make([]fileWeight, 0, count.weights)
	}
	r.Object(
		strictjson.Field{Key: "format", Read: func() {
			if s := r.Text(); s != fileFormat {
				r.Failf("%.40q is not %q", s, fileFormat)
			}
		}},
		strictjson.Field{Key: "version", Read: func() {
			switch v := r.Int(); {
			case v > fileVersion:
				r.Failf("%d is newer than this program, which knows version %d", v, fileVersion)
			case v < 1:
				r.Failf("%d is none", v)
			}
		}},
		strictjson.Field{Key: "kernel", Read: func() { doc.kernel.read(r, numbers(&doc.kernel.Thetas, &count.thetas)) }},
		strictjson.Field{Key: "classes", Read: texts(&doc.classes, &count.classes)},
		strictjson.Field{Key: "features", Read: texts(&doc.features, &count.features)},
		strictjson.Field{Key: "bias", Read: numbers(&doc.bias, &count.bias)},
		strictjson.Field{Key: "scaling", Optional: true, Read: func() {
			r.Object(
				strictjson.Field{Key: "mean", Read: numbers(&doc.mean, &count.mean)},
				strictjson.Field{Key: "scale", Read: numbers(&doc.scale, &count.scale)})
		}},
		strictjson.Field{Key: "temperature", Optional: true, Read: func() {
			doc.temperature = r.Number()
			if err := checkTemperature(doc.temperature); err != nil { // 0 would mean that it is absent
				r.Failf("not positive: %v", doc.temperature)
			}
		}},
		strictjson.Field{Key: "vectors", Read: func() {
			r.Array(func(i int) {
				v := doc.readVector(r, i, count, keep)
				if keep {
					doc.vectors = append(doc.vectors, v)
				} else {
					count.vectors++
				}
			})
		}},
	)
	r.End()
	return &doc, r.Err()
}

// list reads an array of equal things: it counts them in n, or keeps them.
func list[T any](r *strictjson.Reader, dst *[]T, n *int, keep bool, read func() T) {
	if keep {
		*dst = make([]T, 0, *n)
	}
	r.Array(func(int) {
		if v := read(); keep {
			*dst = append(*dst, v)
		} else {
			*n++
		}
	})
}

// readVector reads the i-th relevance vector.
func (doc *document) readVector(r *strictjson.Reader, i int, count *tally, keep bool) fileVector {
	var v fileVector
	r.Object(
		strictjson.Field{Key: "index", Read: func() { v.Index = r.Int() }},
		strictjson.Field{Key: "label", Read: func() { v.Label = r.Int() }},
		strictjson.Field{Key: "x", Read: func() {
			n := 0
			r.Array(func(int) {
				n++
				if x := r.Number(); keep {
					doc.x = append(doc.x, x)
				}
			})
			if !keep {
				count.x += n
			}
			if i == 0 {
				doc.width = n
			}
			if n != doc.width {
				r.Failf("%d numbers, vectors[0].x has %d", n, doc.width)
			}
		}},
		strictjson.Field{Key: "weights", Read: func() {
			before := len(doc.weights)
			r.Array(func(int) {
				var w fileWeight
				r.Object(
					strictjson.Field{Key: "class", Read: func() { w.Class = r.Int() }},
					strictjson.Field{Key: "weight", Read: func() { w.Weight = r.Number() }})
				if keep {
					doc.weights = append(doc.weights, w)
				} else {
					count.weights++
				}
			})
			v.Weights = doc.weights[before:len(doc.weights):len(doc.weights)]
		}},
	)
	return v
}
