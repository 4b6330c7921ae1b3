package assess

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/fitting"
	"github.com/mpcvm/mpcvm/mpcvm"
)

// Trust says how far the probabilities and the prediction sets of a model hold, by the rows of
// Judgement.Predictions. Log losses are in nats.
type Trust struct {
	// LogLoss is that of the probabilities, and Uncalibrated that of the same models without
	// temperature and floor. Refinement is what remains at the temperature that would be the best for
	// these very rows, and no calibration can take away; LogLoss less that is the part of calibration.
	LogLoss      float64 `json:"logloss"`
	Uncalibrated float64 `json:"uncalibrated"`
	Refinement   float64 `json:"refinement"`
	// Sets are the prediction sets of 80, 90 and 95 %; none if the model has no scores.
	Sets []SetFigures `json:"sets,omitempty"`

	raw *mat.Dense // probabilities without temperature and floor
}

// SetFigures are those of the prediction sets of one coverage.
type SetFigures struct {
	Coverage float64 `json:"coverage"` // that was asked for
	Covered  float64 `json:"covered"`  // share of the rows whose class is in their set
	SE       float64 `json:"covered_se"`
	Size     float64 `json:"size"` // mean number of classes
	Single   float64 `json:"single"`
	// Least is the share of the class that is covered worst, of those with 20 rows; Class is its name,
	// "" if there is none.
	Class string  `json:"worst_class,omitempty"`
	Least float64 `json:"worst_covered,omitempty"`
}

// measureTrust fills in Trust.
func (j *Judgement) measureTrust(ctx context.Context) error {
	if j.Folds == nil && j.TestTable == nil || j.Vectors == 0 {
		return nil
	}
	y, p, err := j.unseenPotentials(ctx)
	if err != nil || y == nil {
		return err
	}
	t := Trust{raw: j.Model.Model().WithTemperature(1).WithFloor(nil).ProbaOf(nil, y)}
	for i, label := range p.T {
		n := float64(len(p.T))
		t.LogLoss += logLoss(p.Proba.At(i, label)) / n
		t.Uncalibrated += logLoss(t.raw.At(i, label)) / n
	}
	best, _ := fitting.Evaluate(fitting.AtBestTemperature(y, p.T, nil), p.T, nil)
	t.Refinement = min(best, t.LogLoss)
	for _, coverage := range []float64{0.8, 0.9, 0.95} {
		sets, err := j.Model.Model().SetsOf(y, nil, coverage)
		if err != nil { // no scores
			break
		}
		t.Sets = append(t.Sets, j.setFigures(coverage, sets, p.T))
	}
	j.Trust = &t
	return nil
}

// setFigures are those of the sets of rows with labels t.
func (j *Judgement) setFigures(coverage float64, sets [][]int, t []int) SetFigures {
	f, n := SetFigures{Coverage: coverage, Least: 2}, float64(len(t))
	covered, of := make([]float64, len(j.Classes)), make([]float64, len(j.Classes))
	for i, set := range sets {
		of[t[i]]++
		f.Size += float64(len(set))
		if len(set) == 1 {
			f.Single++
		}
		for _, class := range set {
			if class == t[i] {
				covered[class]++
				f.Covered++
			}
		}
	}
	for _, v := range []*float64{&f.Size, &f.Single, &f.Covered} {
		*v /= n
	}
	f.SE = math.Sqrt(max(0, f.Covered*(1-f.Covered)) / n)
	for c, count := range of {
		if share := covered[c] / count; count >= fewInGroup && share < f.Least {
			f.Least, f.Class = share, j.Classes[c]
		}
	}
	if f.Class == "" {
		f.Least = 0
	}
	return f
}

// fewInGroup is the number of rows below which the share of a class says little.
const fewInGroup = 20

// unseenPotentials are the potentials of the rows of Predictions, by models that did not see them. y is
// nil if the models of the folds have none.
func (j *Judgement) unseenPotentials(ctx context.Context) (y *mat.Dense, p Predictions, err error) {
	if p, err = j.Predictions(ctx); err != nil || len(p.T) == 0 {
		if ctx.Err() == context.DeadlineExceeded {
			err = nil
		}
		return nil, p, err
	}
	if j.Folds == nil {
		x, _, err := recipeOf(j.Model).Encode(nil, p.Table, p.Rows)
		if err != nil {
			return nil, p, err
		}
		return j.Model.Model().Potentials(nil, x), p, nil
	}
	r := j.Folds
	place := slices.Repeat([]int{-1}, len(r.T)) // of each sample among the rows of p
	next := 0
	r.eachScored(func(_, n int) {
		place[n] = next
		next++
	})
	y = mat.NewDense(len(p.T), len(r.Classes), nil)
	for f, m := range r.Systems[1].models {
		if m == nil {
			continue
		}
		model, ok := m.classifier.(*mpcvm.Model)
		if !ok {
			return nil, p, nil
		}
		_, out := r.parts(0, f)
		x, _, err := m.recipe.Encode(nil, r.table, r.tableRows(out))
		if err != nil {
			return nil, p, err
		}
		of := model.Potentials(nil, m.standardize(x))
		for i, n := range out {
			if place[n] < 0 { // not all systems have ended with the fold
				continue
			}
			if fitting.HasNaN(of.RawRowView(i)) {
				return nil, p, nil
			}
			y.SetRow(place[n], of.RawRowView(i))
		}
	}
	return y, p, nil
}

// Raw are the probabilities of the rows of Predictions without temperature and floor; nil if they are not
// known.
func (t *Trust) Raw() *mat.Dense {
	if t == nil {
		return nil
	}
	return t.raw
}

// Meaning says in words what the log losses say.
func (t *Trust) Meaning() string {
	if t == nil {
		return ""
	}
	return fmt.Sprintf("The log loss of the probabilities is %.4f nats, and was %.4f before calibration. %.4f would remain with the temperature that is the best for these rows (refinement): the rest, %.4f, is the part of calibration.",
		t.LogLoss, t.Uncalibrated, t.Refinement, t.LogLoss-t.Refinement)
}

// SetTable has the prediction sets, if the model makes some.
func (t *Trust) SetTable() (header []string, rows [][]string) {
	if t == nil || t.Sets == nil {
		return nil, nil
	}
	for _, s := range t.Sets {
		worst := "–"
		if s.Class != "" {
			worst = fmt.Sprintf("%.1f, %s", 100*s.Least, inShort(s.Class))
		}
		rows = append(rows, []string{fmt.Sprintf("%g", 100*s.Coverage), fmt.Sprintf("%.1f ± %.1f", 100*s.Covered, 100*s.SE), worst,
			fmt.Sprintf("%.2f", s.Size), fmt.Sprintf("%.1f", 100*s.Single)})
	}
	return []string{"sets of %", "hold the class %", "of the worst class %", "mean size", "one class %"}, rows
}
