// Command nb maintains the notebooks.
//
//	nb errors NOTEBOOK.ipynb...   lists the failed cells of executed notebooks
//	nb changed OUT NOTEBOOK...    lists the cells whose text outputs differ from those executed in OUT
//	nb pictures NOTEBOOK.ipynb... adds PNGs of charts and SVGs to the outputs; needs Chromium
//	nb count FOLDER               prints the words, lines of code, formulas and minutes of the notebooks
//	nb blank FOLDER               writes FOLDER/blank: the notebooks of FOLDER for use in class
//	nb slides FOLDER EXECUTED OUT writes OUT/lecture-N.ipynb with the sections listed in FOLDER/teaching.md
//
// Its tests check the structure of the notebooks in this repository.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

func main() {
	var err error
	switch {
	case len(os.Args) > 2 && os.Args[1] == "errors":
		err = errorsIn(os.Args[2:])
	case len(os.Args) > 3 && os.Args[1] == "changed":
		err = changed(os.Args[2], os.Args[3:])
	case len(os.Args) > 2 && os.Args[1] == "pictures":
		err = addPictures(os.Args[2:])
	case len(os.Args) == 3 && os.Args[1] == "count":
		err = count(os.Args[2])
	case len(os.Args) == 3 && os.Args[1] == "blank":
		err = writeBlank(os.Args[2])
	case len(os.Args) == 5 && os.Args[1] == "slides":
		err = writeSlides(os.Args[2], os.Args[3], os.Args[4])
	default:
		err = fmt.Errorf("usage: nb errors NOTEBOOK.ipynb... | nb changed OUT NOTEBOOK.ipynb... | nb pictures " +
			"NOTEBOOK.ipynb... | nb count FOLDER | nb blank FOLDER | nb slides FOLDER EXECUTED OUT")
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "nb: %v\n", err)
		os.Exit(1)
	}
}

// notebook contains the required parts of the notebook format, version 4.
type notebook struct {
	Cells []cell `json:"cells"`
}

type cell struct {
	Type     string `json:"cell_type"`
	Metadata struct {
		Tags    []string `json:"tags"`
		Jupyter struct {
			Hidden bool `json:"source_hidden"`
		} `json:"jupyter"`
	} `json:"metadata"`
	Source  lines    `json:"source"`
	Outputs []output `json:"outputs"`
}

type output struct {
	Type  string                     `json:"output_type"`
	Text  lines                      `json:"text"`
	Data  map[string]json.RawMessage `json:"data"`
	Value string                     `json:"evalue"`
}

// lines is a text that the format stores as a string or a list of lines.
type lines string

// UnmarshalJSON implements [json.Unmarshaler].
func (l *lines) UnmarshalJSON(data []byte) error {
	var list []string
	if json.Unmarshal(data, &list) == nil {
		*l = lines(strings.Join(list, ""))
		return nil
	}
	return json.Unmarshal(data, (*string)(l))
}
