package grid

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/experiments/study"
	"github.com/mpcvm/mpcvm/experiments/systems"
)

// Study is the JSON file that describes a study. The data sets are known sets, which every worker
// has.
type Study struct {
	Data    []string   `json:"data"`    // names of known sets
	Systems []string   `json:"systems"` // as for the flag --systems of study run
	Thetas  []float64  `json:"thetas"`  // kernel widths to choose from
	Rule    study.Rule `json:"rule,omitempty"`
	Seed    uint64     `json:"seed,omitempty"`
	// Tune lists the partitions on which parameters are chosen; without it, Thetas must have one
	// width. Test lists the partitions whose results are reported.
	Tune []int `json:"tune,omitempty"`
	Test []int `json:"test"`
	// Partitions replaces the partitions of a set by lists of training rows, counted from 0.
	Partitions map[string][][]int `json:"partitions,omitempty"`
}

// parse reads a Study and loads its sets.
func parse(text string) (s study.Study, err error) {
	var f Study
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return s, fmt.Errorf("study file: %w", err)
	}
	s = study.Study{Rule: f.Rule, Seed: f.Seed, Jobs: 1, Tune: f.Tune, Test: f.Test}
	if s.Systems, err = systems.Choose(strings.Join(f.Systems, ","), f.Thetas, len(f.Tune) > 0); err != nil {
		return s, fmt.Errorf("study file: %w", err)
	}
	for _, name := range f.Data {
		p := study.Problem{Name: name, Partitions: f.Partitions[name]}
		if p.Set, err = data.Load(name); err == nil && p.Partitions == nil {
			p.Partitions, err = data.Partitions(name)
		}
		if err != nil {
			return s, fmt.Errorf("study file: %w", err)
		}
		s.Problems = append(s.Problems, p)
	}
	return s, nil
}
