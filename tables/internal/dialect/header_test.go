package dialect

import (
	"slices"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/tables/table"
)

// Column names are found above numbers that could be data, and below a line with group names.
func TestHeaders(t *testing.T) {
	row := func(i int) string {
		return []string{"0.31,0.42,0.55,low", "1.71,1.83,1.95,high", "2.9,3.1,3.4,low"}[i%3]
	}
	for _, c := range []struct{ lines, header string }{
		{"400.5,410.5,420.5,class", "400.5,410.5,420.5,class"},
		{"400.5,410.5,420.5,Species", "400.5,410.5,420.5,Species"},
		{"group A,,group B,\nx,y,z,class", "x,y,z,class"},
		{"x,y,z,class\nc,c,c,d\n,,,class", "x,y,z,class"},
	} {
		text := c.lines + "\n"
		for i := range 40 {
			text += row(i) + "\n"
		}
		d, err := Detect([]byte(text), true, table.Options{})
		if err != nil {
			t.Fatal(err)
		}
		records := read(t, text, d)
		if !d.Header || !slices.Equal(records[0], strings.Split(c.header, ",")) {
			t.Errorf("%s: header %v, first record %q", d, d.Header, records[0])
		}
	}
	if d, err := Detect([]byte(strings.Repeat("0.31,0.42,0.55,low\n1.7,1.8,1.9,high\n", 20)), true,
		table.Options{}); err != nil || d.Header {
		t.Errorf("data are read as a header: %v, %v", d, err)
	}
}
