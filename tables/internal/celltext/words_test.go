package celltext

import (
	"strconv"
	"strings"
	"testing"
)

func TestAmount(t *testing.T) {
	for _, tt := range []struct{ text, unit, number string }{
		{"7", "", "7"}, {"(170)", "", "-170"}, {"( 170 )", "", "-170"}, {"5.2-", "", "-5.2"}, {"5.2 -", "",
			"-5.2"}, {"−2.4", "", "-2.4"}, {"2.4−", "", "-2.4"},
		{"- 7", "", "-7"}, {"$7", "$", "7"}, {"-$7", "$", "-7"}, {"$-7", "$", "-7"}, {"+$7", "$", "+7"}, {"−$ 7",
			"$", "-7"}, {"$(7)", "$", "-7"}, {"($7)", "$", "-7"}, {"(7) €", "€", "-7"},
		{"7 %", "%", "7"}, {"7\u00a0‰", "‰", "7"}, {"71 kg", "kg", "71"}, {"71kg", "kg", "71"}, {"71- kg", "kg",
			"-71"}, {"5.2- EUR", "EUR", "-5.2"}, {"5.2 EUR-", "EUR", "-5.2"},
		{"EUR 12.30", "EUR", "12.30"}, {"12.30 EUR", "EUR", "12.30"}, {"US$5", "US$", "5"}, {"5 R$", "R$",
			"5"}, {"1 234,5 m²", "m²", "1 234,5"}, {"5e-3 mol/L", "mol/L", "5e-3"},
		{"36.6 °C", "°C", "36.6"}, {"5e3 m", "m", "5e3"}, {"2e", "e", "2"}, {"3 kg.", "kg.", "3"},
	} {
		if unit := Unit(tt.text); unit != tt.unit {
			t.Errorf("%q: unit %q, want %q", tt.text, unit, tt.unit)
		}
		if number := Amount(tt.text, tt.unit); number != tt.number {
			t.Errorf("%q in %q: %q, want %q", tt.text, tt.unit, number, tt.number)
		}
		if number := Amount(tt.text, ""); IsSign(tt.unit) && number != tt.number {
			t.Errorf("%q: %q, want %q", tt.text, number, tt.number)
		}
	}
	// Amount does not turn any of these into a number.
	for _, text := range []string{"", "-", "(", "()", "%", "--5", "-5-", "(-5)", "-(5)", "+-5", "$5%", "5 kg",
		"12 h 30 min", "Q1", "A", "EUR"} {
		if number := Amount(text, ""); strings.Trim(number, "0123456789.") == "" && number != "" ||
			len(number) > 1 && strings.Trim(number[1:], "0123456789.") == "" && number[1:] != "" &&
				strings.ContainsAny(number[:1], "+-") {
			t.Errorf("%q: %q", text, number)
		}
	}
	for text, unit := range map[string]string{"12 h 30 min": "", "Q1": "", "LOT 5": "", "D E 5": "",
		"ABC123": "", "5": "", "kg": "", "kg 5": "", "101-A": "", "5-Jan": "", "5 a much too long word": "",
		"5 kilogramme und": "", "": ""} {
		if got := Unit(text); got != unit {
			t.Errorf("%q: unit %q, want %q", text, got, unit)
		}
	}
	for _, tt := range []struct {
		column, unit string
		has          bool
	}{{"kg", "", true}, {"kg", "kg", true}, {"kg", "lb", false}, {"", "$", true}, {"", "kg", false},
		{"$", "€", false}} {
		if HasUnit(tt.column, tt.unit) != tt.has {
			t.Error(tt)
		}
	}
}

func TestWords(t *testing.T) {
	for text, kinds := range map[string][3]bool{ // Missing, NoValue, Doubtful
		"NA": {true, false, true}, `\N`: {true, false, true}, "n.a.": {true, false, true}, "#NULL!": {true, false,
			true},
		"ND": {false, true, true}, "*": {false, true, true}, "-": {false, true, true}, "Unknown": {false, false,
			true}, "x": {}, "nanana": {},
	} {
		if got := [3]bool{Missing(text), NoValue(text), Doubtful(text)}; got != kinds {
			t.Errorf("%q: %v, want %v", text, got, kinds)
		}
	}
	for _, pair := range Truths {
		for k, word := range pair {
			if is, ok := Truth(strings.ToUpper(word)); !ok || is != (k == 1) {
				t.Errorf("%s: %v, %v", word, is, ok)
			}
		}
	}
	if _, ok := Truth("perhaps"); ok {
		t.Error(`"perhaps" is read as a truth value`)
	}
	for _, word := range append(MissingWords, NoValueWords...) {
		if len(word) > longestWord || word != strings.ToLower(word) {
			t.Errorf("%q is too long or contains capitals", word)
		}
	}
}

func TestLabels(t *testing.T) {
	comma := func(text string) (float64, bool) {
		v, err := strconv.ParseFloat(strings.ReplaceAll(strings.ReplaceAll(text, ".", ""), ",", "."), 64)
		return v, err == nil
	}
	for _, tt := range []struct {
		classes string
		number  func(string) (float64, bool)
		want    map[string]int
	}{
		{"1000000 2000000", nil, map[string]int{"1000000": 0, "1000000.0": 0, "1e+06": 0, " " + "2e6": 1,
			"2000001": -1, "": -1, "NaN": -1, "inf": -1}},
		{"1000000 2000000", comma, map[string]int{"1000000,0": 0, "1.000.000": 0, "2000000": 1, "2,0": -1}},
		{"01 1 1.0 2", nil, map[string]int{"01": 0, "1": 1, "1.0": 2, "1.00": 1, "2.0": 3, "02": 3}},
		{"no yes", nil, map[string]int{"no": 0, "NO": 0, "Yes": 1, "maybe": -1}},
		{"A a b", nil, map[string]int{"A": 0, "a": 1, "B": 2, "c": -1}},
		{"AB Ab c", nil, map[string]int{"ab": -1, "C": 2}},
		{"0.1 inf", nil, map[string]int{".10": 0, "+Inf": -1, "INF": 1}},
	} {
		l := NewLabels(strings.Fields(tt.classes))
		for text, want := range tt.want {
			if got := l.Find(text, tt.number); got != want {
				t.Errorf("%s: %q is %d, want %d", tt.classes, text, got, want)
			}
		}
	}
}
