// Package ipynb reads notebooks of Jupyter, format 4.
package ipynb

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Notebook contains the fields of a notebook that this project uses.
type Notebook struct {
	Cells []Cell `json:"cells"`
}

// Cell is a cell. Type is "code" or "markdown".
type Cell struct {
	ID       string `json:"id"`
	Type     string `json:"cell_type"`
	Metadata struct {
		Tags    []string `json:"tags"`
		Jupyter struct {
			Hidden bool `json:"source_hidden"`
		} `json:"jupyter"`
		Ties []Tie `json:"ties"`
	} `json:"metadata"`
	Source  Text     `json:"source"`
	Outputs []Output `json:"outputs"`
}

// Tie is a phrase whose numbers the output of a cell contains, in a line with Row. Cell is its ID.
type Tie struct{ Text, Cell, Row string }

// Tagged reports whether the cell has a tag.
func (c Cell) Tagged(tag string) bool { return slices.Contains(c.Metadata.Tags, tag) }

// Output is an output of a cell: printed text, data by media type, or an error with its value.
type Output struct {
	Type  string                     `json:"output_type"`
	Text  Text                       `json:"text"`
	Data  map[string]json.RawMessage `json:"data"`
	Value string                     `json:"evalue"`
}

// HTML returns the HTML of the output, if any.
func (o Output) HTML() string {
	var page Text
	if data, ok := o.Data["text/html"]; !ok || json.Unmarshal(data, &page) != nil {
		return ""
	}
	return string(page)
}

// Library reports whether nbhelpers.Init has written the output: the library of charts.
func (o Output) Library() bool { return strings.HasPrefix(o.HTML(), "<!-- Apache ECharts") }

// Text is a text that the format stores as a string or a list of lines.
type Text string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *Text) UnmarshalJSON(data []byte) error {
	var list []string
	if json.Unmarshal(data, &list) == nil {
		*t = Text(strings.Join(list, ""))
		return nil
	}
	return json.Unmarshal(data, (*string)(t))
}

// Read reads a notebook from a file.
func Read(file string) (nb Notebook, err error) {
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &nb)
	}
	if err != nil {
		return nb, fmt.Errorf("%s: %w", file, err)
	}
	return nb, nil
}
