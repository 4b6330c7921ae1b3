package tabular

import (
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

func TestWrite(t *testing.T) {
	var b strings.Builder
	must.OK(t, Write(&b, []string{"name", "what", "n"}, [][]string{{"Föhr", "", "7"}, {"x", "a b", "12 *"},
		{"longer", "c", "–"}}))
	const want = "NAME    WHAT     N\nFöhr             7\nx       a b   12 *\nlonger  c        –\n"
	must.Equal(t, b.String(), want)
	must.Equal(t, Text([][]string{{"a"}, {"b"}},
		func(row, _ int) bool { return row == 1 }), "a\n\x1b[1mb\x1b[0m\n")
}

func TestDecimals(t *testing.T) {
	defer SetDecimals(DefaultDecimals)
	for n, want := range map[int]string{0: "1 98", 2: "0.98 98", 4: "0.9824 98.24", 6: "0.982400 98.2400"} {
		SetDecimals(n)
		if got := Number(0.9824) + " " + Percent(0.9824); got != want {
			t.Errorf("%d decimals: %s, want %s", n, got, want)
		}
	}
}
