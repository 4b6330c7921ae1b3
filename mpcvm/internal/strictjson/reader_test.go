package strictjson

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// read takes {"name": text, "list": [numbers], "n": integer}, the last optional.
func read(in io.Reader) (name string, list []float64, n int, err error) {
	r := New(in)
	r.Object(
		Field{Key: "name", Read: func() { name = r.Text() }},
		Field{Key: "list", Read: func() { r.Array(func(int) { list = append(list, r.Number()) }) }},
		Field{Key: "n", Optional: true, Read: func() { n = r.Int() }},
	)
	r.End()
	return name, list, n, r.Err()
}

func TestReader(t *testing.T) {
	name, list, n, err := read(iotest.OneByteReader(strings.NewReader(` {"list":[1,-2.5e1,0.1 ] , "n":7,"name":"\u00e9"}` + "\n\t")))
	if name != "é" || len(list) != 3 || list[1] != -25 || n != 7 || err != nil {
		t.Errorf("%q %v %d %v", name, list, n, err)
	}
}

func TestFaults(t *testing.T) {
	for in, want := range map[string]string{
		``:                               "unexpected EOF",
		`[]`:                             "not an object",
		`null`:                           "not an object",
		`{"name":"a"`:                    "unexpected EOF",
		`{"name":"a","list":[1,2`:        "list: unexpected EOF",
		`{"name":"a","list":[1,2,]}`:     "list[2]: invalid character",
		`{"name":"a","list":[1 2]}`:      "list[1]: invalid character",
		`{"name":"a","list":[1,null]}`:   "list[1]: not a number",
		`{"name":"a","list":[1,[2]]}`:    "list[1]: not a number",
		`{"name":"a","list":[1,"2"]}`:    "list[1]: not a number",
		`{"name":"a","list":[1e999]}`:    "list[0]: number out of range: 1e999",
		`{"name":"a","list":[NaN]}`:      "list[0]: invalid character",
		`{"name":"a","list":[01]}`:       "list[1]: invalid character",
		`{"name":"a","list":[}`:          "list",
		`{"name":"a","list":{}}`:         "list: not an array",
		`{"name":1,"list":[]}`:           "name: not a text",
		`{"name":null,"list":[]}`:        "name: not a text",
		`{"name":"a","list":[],"n":1.5}`: "n: not an integer: 1.5",
		`{"name":"a","list":[],"n":99999999999999999999}`:   "n: not an integer",
		`{"name":"a","list":[],"n":null}`:                   "n: not an integer",
		`{"name":"a","name":"b","list":[]}`:                 `key "name" twice`,
		`{"name":"a","\u006eame":"b","list":[]}`:            `key "name" twice`,
		`{"Name":"a","list":[]}`:                            `unknown key "Name"`,
		`{"name":"a","x` + strings.Repeat("y", 99) + `":1}`: `yyy…`,
		`{"name":"a"}`:             `key "list" is missing`,
		`{"name":"a","list":[]}{}`: "something after the end: {",
		`{"name":"a","list":[]},`:  "something after the end",
		`{"name":"a","list":[]}]`:  "something after the end",
		`{1:2}`:                    "invalid character",
		`{"name" "a"}`:             "invalid character",
		`{"name":"a","list":[],}`:  "invalid character",
		strings.Repeat("[", 1e6):   "not an object",
		`{"name":"` + strings.Repeat("x", 3*MaxToken) + `","list":[]}`:  "name: a text, number or space is longer",
		`{"name":"a","list":[` + strings.Repeat("1", 3*MaxToken) + `]}`: "list[0]: a text, number or space is longer",
	} {
		if _, _, _, err := read(strings.NewReader(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", in, err, want)
		}
	}
}

// White space has the same limit, between two tokens and not in all.
func TestSpace(t *testing.T) {
	for times, ok := range map[int]bool{1: true, 6: false} {
		space := strings.Repeat(" ", times*MaxToken/2)
		_, list, _, err := read(strings.NewReader(`{"name":` + space + `"a",` + space + `"list":[1,` + space + `2]}`))
		if (err == nil) != ok || ok && len(list) != 2 {
			t.Errorf("%d bytes: %v %v", len(space), list, err)
		}
	}
}

func TestReadingError(t *testing.T) {
	broken := errors.New("broken")
	in := io.MultiReader(strings.NewReader(`{"name":"a","list":[1`), iotest.ErrReader(broken))
	if _, _, _, err := read(in); !errors.Is(err, broken) {
		t.Error(err)
	}
}
