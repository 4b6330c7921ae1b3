// Package studyfile writes a whole study, its data included, as one file, for engines
// whose workers share no folder.
package studyfile

import (
	"encoding/json"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/systems"
	"github.com/mpcvm/mpcvm/mpcvm/study"
)

const format = "mpcvm study 1"

// File is a study as JSON. Numbers keep all their bits.
type File struct {
	Format string `json:"format"`
	// Systems, Thetas and Tuned are the arguments of systems.Choose.
	Systems  []string   `json:"systems"`
	Thetas   []float64  `json:"thetas"`
	Tuned    bool       `json:"tuned"`
	Rule     study.Rule `json:"rule"`
	Seed     uint64     `json:"seed"`
	Jobs     int        `json:"jobs"`
	Tune     []int      `json:"tune"`
	Test     []int      `json:"test"`
	Problems []problem  `json:"problems"`
}

type problem struct {
	Name       string    `json:"name"`
	Set        string    `json:"set"` // its own name
	Features   []string  `json:"features"`
	Classes    []string  `json:"classes"`
	X          []float64 `json:"x"` // row by row
	T          []int     `json:"t"`
	Partitions [][]int   `json:"partitions"`
	Raw        bool      `json:"raw,omitempty"`
	Missing    *float64  `json:"missing,omitempty"`
	Series     string    `json:"series,omitempty"`
}

// New describes a study of systems that package systems has.
func New(s study.Study, thetas []float64, tuned bool) *File {
	f := &File{Format: format, Thetas: thetas, Tuned: tuned, Rule: s.Rule, Seed: s.Seed, Jobs: s.Jobs, Tune: s.Tune, Test: s.Test}
	for _, v := range s.Systems {
		f.Systems = append(f.Systems, v.Name)
	}
	for _, p := range s.Problems {
		f.Problems = append(f.Problems, problem{
			Name: p.Name, Set: p.Set.Name, Features: p.Set.Features, Classes: p.Set.Classes,
			X: mat.DenseCopyOf(p.Set.X).RawMatrix().Data, T: p.Set.T,
			Partitions: p.Partitions, Raw: p.Raw, Missing: p.Missing, Series: p.Series,
		})
	}
	return f
}

// Parse reads a File as JSON.
func Parse(text []byte) (*File, error) {
	var f File
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("study file: %w", err)
	}
	if f.Format != format {
		return nil, fmt.Errorf("study file: its format is %q, not %q", f.Format, format)
	}
	return &f, nil
}

// Study returns the study that the file describes.
func (f *File) Study() (s study.Study, err error) {
	s = study.Study{Rule: f.Rule, Seed: f.Seed, Jobs: f.Jobs, Tune: f.Tune, Test: f.Test}
	if s.Systems, err = systems.Choose(strings.Join(f.Systems, ","), f.Thetas, f.Tuned); err != nil {
		return s, fmt.Errorf("study file: %w", err)
	}
	for _, p := range f.Problems {
		n, d := len(p.T), len(p.Features)
		if n == 0 || d == 0 || len(p.X) != n*d {
			return s, fmt.Errorf("study file: %s: %d numbers are not %d×%d", p.Name, len(p.X), n, d)
		}
		set := &data.Set{Name: p.Set, X: mat.NewDense(n, d, p.X), T: p.T, Features: p.Features, Classes: p.Classes}
		s.Problems = append(s.Problems, study.Problem{
			Name: p.Name, Set: set, Partitions: p.Partitions, Raw: p.Raw, Missing: p.Missing, Series: p.Series,
		})
	}
	return s, nil
}
