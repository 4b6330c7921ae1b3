package words

import (
	"strings"
	"testing"
)

func TestCounts(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{Plural(1, "row"), "1 row"},
		{Plural(0, "row"), "0 rows"},
		{Plural(int64(12345), "row"), "12345 rows"},
		{Plural(2, "class"), "2 classes"},
		{CountOf(1, "class"), "1 class"},
		{CountOf(1234567, "relevance vector"), "1,234,567 relevance vectors"},
		{Count(999), "999"},
		{Count(-1000), "-1,000"},
		{Commas("-123456.7891"), "-123,456.7891"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}

func TestList(t *testing.T) {
	names := []string{"a", "b \n b", strings.Repeat("c", 70)}
	for _, tt := range []struct{ got, want string }{
		{List(names, 3), "a, b \n b, " + names[2]},
		{List(names, 2), "a, b \n b, …"},
		{List(names, 0), "…"},
		{List(nil, 3), ""},
		{ListBy(Quote, names, 2), `"a", "b \n b", …`},
		{ListBy(OneLine, names, 3), "a, b b, " + names[2][:59] + "…"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}
