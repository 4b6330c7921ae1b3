package dialect

import (
	"strings"
	"unicode"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
)

// byName returns the encoding with a name used on the web or by IANA, and its canonical name.
func byName(name string) (e encoding.Encoding, canonical string) {
	e, err := htmlindex.Get(name)
	if err != nil {
		if e, err = ianaindex.IANA.Encoding(name); err != nil || e == nil {
			return nil, ""
		}
	}
	if canonical, err = htmlindex.Name(e); err != nil {
		canonical = name
	}
	if known, ok := encodings[canonical]; ok {
		canonical = known
	}
	return e, strings.ToLower(canonical)
}

// ranked returns the cost function of Chinese characters for an encoding that has frequent characters in
// the first range of codes and others in the second.
func ranked(e encoding.Encoding, from, to, from2, to2 int) func(rune) float64 {
	frequent, known := share(0.93, 4500), share(0.03, 5000)
	return func(r rune) float64 {
		if !unicode.Is(unicode.Han, r) {
			return wideMark(r)
		}
		b, err := e.NewEncoder().Bytes([]byte(string(r)))
		if err != nil || len(b) != 2 {
			return share(0.01, 20000)
		}
		switch code := int(b[0])<<8 | int(b[1]); {
		case b[1] < 0xa1 && from > 0xb000:
			return share(0.01, 20000) // added to GB 2312 by GBK
		case from <= code && code <= to:
			return frequent
		case from2 <= code && code <= to2:
			return known
		}
		return share(0.01, 20000)
	}
}

// wideMark returns the cost of a punctuation mark in an East Asian text.
func wideMark(r rune) float64 {
	switch {
	case strings.ContainsRune("，。、；：？！（）「」『』・ー％　—“”《》～", r):
		return 6
	case r >= 0xff01 && r <= 0xff5e:
		return 7
	}
	return share(0.01, 1000) + other(r) - rare
}

func hangul(r rune) float64 {
	switch {
	case unicode.Is(unicode.Hangul, r):
		b, err := korean.EUCKR.NewEncoder().Bytes([]byte(string(r)))
		if err != nil || len(b) != 2 || b[0] < 0xb0 || b[1] < 0xa1 {
			return share(0.001, 8822) // added to KS X 1001 by Windows
		}
		return share(0.95, 2350)
	case unicode.Is(unicode.Han, r):
		return share(0.01, 4888)
	}
	return wideMark(r)
}

// kana returns the cost of a Japanese character.
func kana(r rune) float64 {
	switch {
	case unicode.Is(unicode.Hiragana, r):
		return share(0.45, 83)
	case r >= 0xff61 && r <= 0xff9f:
		return share(0.05, 63)
	case unicode.Is(unicode.Katakana, r) || r == 'ー':
		return share(0.2, 86)
	case unicode.Is(unicode.Han, r):
		b, err := japanese.EUCJP.NewEncoder().Bytes([]byte(string(r)))
		if err == nil && len(b) == 2 && b[0] < 0xd0 {
			return share(0.3, 2965)
		}
		return share(0.01, 3390)
	}
	return wideMark(r)
}
