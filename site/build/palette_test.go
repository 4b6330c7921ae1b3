package main

import (
	"os"
	"regexp"
	"testing"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/nbhelpers"
)

// TestPalette checks that the playground has the colours of the charts, for classes by number and for classes
// named after colours.
func TestPalette(t *testing.T) {
	look := must.Get(os.ReadFile("site/playground/look.js"))(t)
	line := regexp.MustCompile(`(?m)^const colours = .*$`).Find(look)
	list := regexp.MustCompile(`#\w{6}`).FindAllString(string(line), -1)
	must.Equal(t, len(list), 8)
	for c, colour := range list {
		if want := nbhelpers.ClassColor(c); colour != want {
			t.Errorf("class %d is %s, and %s in charts", c, colour, want)
		}
	}
	named := map[string]string{}
	for _, m := range regexp.MustCompile(`(\w+): \["(#\w{6})", "#\w{6}"\]`).FindAllStringSubmatch(string(look),
		-1) {
		named[m[1]] = m[2]
		if want := nbhelpers.ClassColors([]string{m[1]})[0]; m[2] != want {
			t.Errorf("%s is %s, and %s in charts", m[1], m[2], want)
		}
	}
	digits := regexp.MustCompile(`^[\d-]+`)
	for _, set := range []*data.Set{data.Overlap(0), data.Overclass(0)} {
		for c, name := range set.Classes {
			want := nbhelpers.ClassColors(set.Classes)[c]
			if got := named[digits.ReplaceAllString(name, "")]; got != want {
				t.Errorf("%s: %s is %q, and %s in charts", set.Name, name, got, want)
			}
		}
	}
}
