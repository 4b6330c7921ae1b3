// Package drawn holds helpers for the tests of charts.
package drawn

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Hostile are names that must always appear as text.
var Hostile = []string{
	`</script><script>alert(1)</script>`, `<img src=x onerror=alert(2)>`,
	"__f__alert(3)__f__ \"'&{b|c}\n\x00\u2028",
}

// CheckXML fails unless s is one well-formed document; it returns the text in it.
func CheckXML(t *testing.T, s string) (texts string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(s))
	d.Strict = true
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatalf("not XML: %v\n%.300s", err, s)
		}
		if text, ok := token.(xml.CharData); ok {
			texts += string(text) + "\n"
		}
	}
}

// Unfold unpacks code that chart.Packed has packed.
func Unfold(text string) string {
	var out strings.Builder
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
	if err == nil {
		_, err = io.Copy(&out, z) //nolint:gosec // made by the test
	}
	if err != nil {
		panic(err)
	}
	return out.String()
}

var packed = regexp.MustCompile(`(\.push\("|<script type="text/plain" class="[\w-]+">)([A-Za-z0-9+/=]*)`)

// Unfolded returns HTML with the packed code in its scripts and data blocks unpacked.
func Unfolded(html string) string {
	return packed.ReplaceAllStringFunc(html,
		func(s string) string { return Unfold(packed.FindStringSubmatch(s)[2]) })
}

// Chart is a chart as the tests use it.
type Chart interface {
	HTML() string
	Option() json.RawMessage
}

// Texts returns the strings in the option of a chart. It fails unless the option is JSON and all its
// numbers are finite.
func Texts(t *testing.T, c Chart) string {
	t.Helper()
	var texts strings.Builder
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			texts.WriteString(v + "\n")
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(v[k])
			}
		}
	}
	var option any
	if err := json.Unmarshal(c.Option(), &option); err != nil {
		t.Errorf("option is not JSON: %v", err)
	}
	walk(option)
	if found := infinite.FindString(texts.String()); found != "" {
		t.Errorf("%s in %s", found, texts.String())
	}
	return texts.String()
}

// infinite matches a number that is not finite in the code of a function.
var infinite = regexp.MustCompile(`[(,\[](NaN|[-+]?Inf)\b`)

// Finite fails if a coordinate of a chart is not a number.
func Finite(t *testing.T, c Chart) {
	t.Helper()
	Texts(t, c)
	if strings.Contains(string(c.Option()), "null") {
		t.Errorf("not a number: %s", c.Option())
	}
}

// Sound fails if a chart is malformed, is large, or differs from again, the same chart made a second
// time.
func Sound(t *testing.T, c, again Chart) {
	t.Helper()
	// bytes, three times the size of the largest chart; a notebook can have thirty charts
	const most = 30_000
	Texts(t, c)
	html := c.HTML()
	if len(html) > most {
		t.Errorf("HTML has %d bytes", len(html))
	}
	if again.HTML() != html {
		t.Error("the same chart made twice differs")
	}
	for _, part := range []string{`class="mpcvm-chart"`, `background:#fff`, `role="img" aria-label="`} {
		if !strings.Contains(html, part) {
			t.Errorf("HTML lacks %s", part)
		}
	}
}

// NamesAreText fails if a name in Hostile, which is HTML or JavaScript, is in the code of a chart.
func NamesAreText(t *testing.T, c Chart) {
	t.Helper()
	html := Unfolded(c.HTML())
	for _, bad := range []string{"<script>alert", "</script><script", "<img src=x", "[alert(3)", ":alert(3)",
		",alert(3)", "(alert(3)"} {
		if strings.Contains(html, bad) {
			t.Errorf("HTML contains %s", bad)
		}
	}
	if n := strings.Count(html, "</script>"); n != 1 {
		t.Errorf("%d ends of scripts, want 1", n)
	}
	Texts(t, c)
}
