package data

import (
	"bytes"
	"slices"
)

// derivation makes a set of others.
type derivation func(parts []*Set) *Set

// derived are the sets that Load makes of others.
var derived = []struct {
	Info
	make derivation
}{
	{Info{
		Name: "heart-16", Rows: 294, Features: 16, Classes: 5, Partitioned: true, From: []string{"heart"},
		Description: "Heart with the four kinds of chest pain as indicators: 16 columns, as many as the paper has",
		Source:      "made of heart", DOI: "10.24432/C52P4X", Licence: ccBy,
		SHA256: "18d01ab407c718d6f833b5660c9954e30080b31d4893aa6a27db8af10b61620a",
	}, chestPain},
	{Info{
		Name: "leaves", Rows: 1599, Features: 192, Classes: 100, From: []string{"leaves-margin", "leaves-shape", "leaves-texture"},
		Description: "Leaves by all three views, joined in the order of the rows within a class",
		Source:      "made of leaves-margin, leaves-shape and leaves-texture", DOI: "10.24432/C5RG76", Licence: ccBy,
		SHA256: "ed1e4a12681062ffcd17f5630323030515d8ad99b9daca44470a60ff94b687f9",
	}, joinViews},
}

// Derived lists the sets that are made of others: Load makes them where those are
// there.
func Derived() []string {
	var names []string
	for _, d := range derived {
		names = append(names, d.Name)
	}
	return names
}

// derive is the text of a derived set.
func derive(info Info) ([]byte, error) {
	var parts []*Set
	for _, name := range info.From {
		s, err := Load(name)
		if err != nil {
			return nil, err
		}
		parts = append(parts, s)
	}
	for _, d := range derived {
		if d.Name == info.Name {
			var text bytes.Buffer
			err := WriteCSV(&text, d.make(parts))
			return text.Bytes(), err
		}
	}
	return nil, unknownSet(info.Name)
}

// chestPain replaces the feature cp of heart, 1 to 4, by four indicators.
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

// joinViews joins views of the same samples, class by class in the order of the rows.
// A view may have more samples of a class than another: the first of those are left
// out. (Of Acer Campestre one sample is lost in leaves-texture, nobody knows which.)
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
		for range n {
			s.T = append(s.T, c)
		}
	}
	s.X = dense(s.N(), s.D())
	column := 0
	for _, v := range views {
		row := 0
		for c, n := range counts {
			var samples []int
			for i, t := range v.T {
				if t == c {
					samples = append(samples, i)
				}
			}
			for _, i := range samples[len(samples)-n:] {
				copy(s.X.RawRowView(row)[column:], v.X.RawRowView(i))
				row++
			}
		}
		column += v.D()
	}
	return s
}

// parts replaces derived sets by what they are made of.
func parts(names []string) []string {
	var all []string
	for _, name := range names {
		if info, err := GetInfo(name); err == nil && info.From != nil {
			all = append(all, info.From...)
		} else {
			all = append(all, name)
		}
	}
	return all
}
