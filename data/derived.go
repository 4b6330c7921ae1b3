package data

import (
	"bytes"
	"fmt"
	"slices"
)

// derivations build the sets that Load derives from the sets in Info.From.
var derivations = map[string]func(from []*Set) *Set{"heart-16": chestPain, "leaves": joinViews}

// derive returns the CSV text of a derived set.
func derive(info Info) ([]byte, error) {
	var from []*Set
	for _, name := range info.From {
		s, err := Load(name)
		if err != nil {
			return nil, err
		}
		from = append(from, s)
	}
	var text bytes.Buffer
	err := WriteCSV(&text, derivations[info.Name](from))
	return text.Bytes(), err
}

// chestPain replaces the feature cp of heart, with values 1 to 4, by four indicators.
func chestPain(parts []*Set) *Set {
	heart := parts[0]
	cp := slices.Index(heart.Features, "cp")
	s := &Set{Name: "heart-16", X: dense(heart.N(), heart.D()+3), T: heart.T, Classes: heart.Classes}
	s.Features = slices.Concat(heart.Features[:cp], columnNames("cp", 1, 4), heart.Features[cp+1:])
	for n := range heart.N() {
		row, from := s.X.RawRowView(n), heart.X.RawRowView(n)
		copy(row, from[:cp])
		if kind := int(from[cp]); kind >= 1 && kind <= 4 {
			row[cp+kind-1] = 1
		}
		copy(row[cp+4:], from[cp+1:])
	}
	return s
}

// joinViews joins views of the same samples, class by class in the order of the rows. If a view has
// more samples of a class than another, the first ones are dropped. (One sample of Acer Campestre is
// missing in leaves-texture, and it is not known which.)
func joinViews(views []*Set) *Set {
	s := &Set{Name: "leaves", Classes: views[0].Classes}
	counts := views[0].Counts()
	for _, v := range views {
		for c, n := range v.Counts() {
			counts[c] = min(counts[c], n)
		}
		s.Features = append(s.Features, v.Features...)
	}
	for c, n := range counts {
		s.T = append(s.T, slices.Repeat([]int{c}, n)...)
	}
	s.X = dense(s.N(), s.D())
	column := 0
	for _, v := range views {
		row := 0
		for c, samples := range v.members() {
			for _, i := range samples[len(samples)-counts[c]:] {
				copy(s.X.RawRowView(row)[column:], v.X.RawRowView(i))
				row++
			}
		}
		column += v.D()
	}
	return s
}

func columnNames(name string, from, to int) []string {
	var names []string
	for i := from; i <= to; i++ {
		names = append(names, fmt.Sprintf("%s%d", name, i))
	}
	return names
}
