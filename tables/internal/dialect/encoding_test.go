package dialect

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"

	"github.com/mpcvm/mpcvm/tables/table"
)

// languages contains the words of a table in several languages, with the encodings used for them.
var languages = []struct{ encodings, header, words string }{
	{"gbk gb18030", "长度,城市,类别", "北京 上海 广州 深圳 男 女 高中"},
	{"big5", "長度,城市,類別", "台北 高雄 臺中 男 女 新竹"},
	{"euc-kr", "길이,도시,분류", "서울 부산 대구 남자 여자 인천"},
	{"shift_jis euc-jp", "長さ,都市,クラス", "東京 おおさか ソート 表示 ポンプ さくら"},
	{"windows-1251 koi8-r iso-8859-5 ibm866 x-mac-cyrillic", "длина,город,класс", "Москва Тула Омск высокий " +
		"низкий средний"},
	{"windows-1253 iso-8859-7", "μήκος,πόλη,τάξη", "Αθήνα Πάτρα υψηλό χαμηλό Βόλος"},
	{"windows-1250 iso-8859-2", "délka,město,třída", "Plzeň Děčín Třebíč žlutý červený nízký"},
	{"windows-1250 iso-8859-2", "długość,miasto,klasa", "Łódź Kraków Gdańsk wysoki średni żółty"},
	{"windows-1255", "אורך,עיר,מחלקה", "ירושלים חיפה גבוה נמוך אילת"},
	{"windows-1256", "الطول,المدينة,الصنف", "القاهرة بغداد عالي منخفض دمشق"},
	{"windows-1254", "uzunluk,şehir,sınıf", "İstanbul Eskişehir yüksek düşük Iğdır Muş kırmızı"},
	{"windows-1252", "Länge,Stadt,Größe", "Köln Zürich größer weiß grün"}, {"windows-1252",
		"longueur,ville,catégorie", "Genève Orléans élevé modéré forêt"},
	{"windows-1252", "largo,año,clase", "León España niño pequeño Málaga"}, {"windows-1252", "temp,unit,class",
		"20 °C 5 € 3 µm ±2 m²"},
	{"windows-1252", "length,name,class", "Beyoncé naïve café"}, {"macintosh", "Länge,Stadt,Größe",
		"Köln Zürich größer weiß grün Straße"},
}

// A text is read in its encoding, or as Latin-1 with a note that names the encoding; Western European texts
// have no note. This also holds if the first non-ASCII characters come after the sample.
func TestEncodings(t *testing.T) {
	for _, l := range languages {
		for _, name := range strings.Fields(l.encodings) {
			e, err := htmlindex.Get(name)
			if err != nil {
				if e, err = ianaindex.IANA.Encoding(name); err != nil {
					t.Fatal(err)
				}
			}
			var b strings.Builder
			b.WriteString(l.header + "\n")
			words := strings.Fields(l.words)
			for i := range 30 {
				fmt.Fprintf(&b, "%d.5,%s,%s\n", i%7, words[i%len(words)], words[i/2%2])
			}
			late := strings.Repeat("1.5,x,y\n", 50)
			text, err := e.NewEncoder().String(b.String())
			if err != nil {
				t.Fatal(name, err)
			}
			d, err := Detect([]byte(text), true, table.Options{})
			in := NewText(iotest.HalfReader(strings.NewReader(text)), d)
			got, err2 := io.ReadAll(in)
			notes := in.Notes()
			said := slices.ContainsFunc(notes, func(f table.Finding) bool { return f.Option == "Encoding" })
			want := encodingOf(name)
			switch {
			case err != nil || err2 != nil:
				t.Error(name, err, err2)
			case want == "latin-1" && (notes != nil || string(got) != b.String()):
				t.Errorf("%s: read as %s, note %v", l.header, d.Encoding, notes)
			case want != "latin-1" && string(got) != b.String() && (!said || notes[0].Value != want):
				t.Errorf("%s %s: read as %s, second %s, note %v:\n%.80s", name, l.header, d.Encoding, d.second, notes,
					got)
			case want != "latin-1" && !said:
				t.Errorf("%s %s: read as %s without a note", name, l.header, d.Encoding)
			}
			if d, err = Detect([]byte(text), true, table.Options{Encoding: name}); err != nil || d.Encoding != want ||
				d.guessed {
				t.Errorf("%s: %+v, %v", name, d, err)
			}
			if d, err = Detect([]byte(late), false, table.Options{}); err != nil || !d.late {
				t.Fatal(d, err)
			}
			in = NewText(iotest.HalfReader(strings.NewReader(late+text)), d)
			if again, err := io.ReadAll(in); err != nil || string(again) != late+string(got) {
				t.Errorf("%s after the sample: %s, %v, %.90q", name, in.Encoding(), err, again[len(late):])
			}
		}
	}
}

// A few invalid bytes do not change the detected encoding: they are replaced by U+FFFD, and a note gives
// the line of the first one.
func TestBadBytes(t *testing.T) {
	good := strings.Repeat("1,größer\n2,kleiner\n", 400)
	for _, at := range []int{0, 2, 5, 9, 4000, len(good) - 1} {
		bad := good[:at] + "\xff" + good[at:]
		for name, in := range map[string]io.Reader{"whole": strings.NewReader(bad),
			"bytes": iotest.OneByteReader(strings.NewReader(bad)), "halves": iotest.HalfReader(
				strings.NewReader(bad))} {
			d, err := Detect([]byte(bad), true, table.Options{})
			r := NewText(in, d)
			got, err2 := io.ReadAll(r)
			line := 1 + strings.Count(good[:at], "\n")
			want, bad := good[:at]+"\ufffd"+good[at:], 1
			if !utf8.ValidString(good[at:]) { // within a character
				want, bad = good[:at-1]+strings.Repeat("\ufffd", 3)+good[at+1:], 3
			}
			if notes := r.Notes(); err != nil || err2 != nil || d.Encoding != "utf-8" || string(got) != want ||
				len(notes) != 1 || notes[0].Line != line || notes[0].N != bad {
				t.Errorf("at %d, %s: %v %v %s %v", at, name, err, err2, d.Encoding, notes)
			}
		}
	}
}

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

// annotation is a line of annotations.txt: the dialect of a file according to people.
type annotation struct {
	file             string
	separator, quote rune
	lineEnd          string
}

func annotations(t *testing.T) (dir string, list []annotation) {
	dir = os.Getenv("MPCVM_DIALECTS")
	if dir == "" {
		t.Skip("MPCVM_DIALECTS is not set: no annotated files")
	}
	f, err := os.Open(filepath.Join(dir, "annotations.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	separators := map[string]rune{"comma": ',', "semicolon": ';', "tab": '\t', "vslash": '|', "space": ' '}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Split(lines.Text(), "|")
		if len(fields) != 6 || fields[0] == "file_name" {
			continue
		}
		quote := '"'
		if fields[3] == "singlequote" {
			quote = '\''
		}
		if separators[fields[2]] == 0 {
			t.Fatalf("%s: separator %q", fields[0], fields[2])
		}
		list = append(list, annotation{fields[0], separators[fields[2]], quote, fields[5]})
	}
	return dir, list
}

// sampleOf returns the first 256 KiB of a file.
func sampleOf(text []byte) (sample []byte, whole bool) {
	if len(text) > 256<<10 {
		return text[:256<<10], false
	}
	return text, true
}

// TestAnnotated detects the dialects of files from public archives that were annotated by people: the group
// POLLOCK of the collection of García. Separator and quote are right for 135 of 137 files, 98.5 %; the best
// published result for the group is 96.6 %. The two other files are single records whose cells are lists
// with pipes.
func TestAnnotated(t *testing.T) {
	dir, list := annotations(t)
	right, files := 0, 0
	for _, a := range list {
		text, err := os.ReadFile(filepath.Join(dir, "files", a.file))
		if err != nil {
			continue // not in the collection
		}
		files++
		sample, whole := sampleOf(text)
		d, err := Detect(sample, whole, table.Options{})
		var ambiguous *Ambiguous
		if err != nil && (!errors.As(err, &ambiguous) || ambiguous.Option == "Separator") {
			t.Errorf("%s: %v", a.file, err)
		} else if err != nil {
			t.Logf("%s: %v", a.file, err)
		}
		quote := d.Quote
		if quote == 0 && !bytes.ContainsRune(text, '"') {
			quote = '"'
		}
		if d.Separator == a.separator && quote == a.quote {
			right++
		} else {
			t.Logf("%s: %s with quote %q, want %q with %q", a.file, d, d.Quote, a.separator, a.quote)
		}
		if _, err := all(NewReader(bytes.NewReader(text), "", d)); err != nil {
			t.Errorf("%s: %s: reading it: %v", a.file, d, err)
		}
	}
	t.Logf("%d of %d correct", right, files)
	if files < 137 || right < 135 {
		t.Errorf("%d of %d dialects are correct, want 135 of 137", right, files)
	}
}
