package eval

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Evaluation contains the scores of a model and the details of its fit. mpcvm fit --json prints it;
// encoding/json converts between the two without loss. Package report prints it as sentences and tables.
//
// Error rates, recall, precision and other shares are between 0 and 1, log losses in nats, and times in
// seconds. A value that is unknown or undefined is nil.
type Evaluation struct {
	Set     string `json:"dataset"` // the name of the table, without path and extension
	Reading string `json:"reading"` // how the file was read, in words
	Target  string `json:"target"`  // the class column
	// Algorithm is auto (search.Auto), mpcvm1 (mpcvm.TopDown), mpcvm2 (mpcvm.BottomUp), or the Go type of
	// any other learner.
	Algorithm string   `json:"algorithm"`
	Kernel    string   `json:"kernel"`
	N         int      `json:"n"` // training samples
	Features  int      `json:"features"`
	Classes   []string `json:"classes"`
	Columns   []Column `json:"columns"` // of the table
	// Prefer is the preference of search.Auto: balance, accuracy or sparsity. It is empty for other learners.
	Prefer string `json:"prefer,omitempty"`
	// Trials lists the settings that were tried, in that order.
	Trials      []Trial `json:"trials,omitempty"`
	Temperature float64 `json:"temperature"` // of the probabilities
	// CV contains the cross-validated scores; nil without cross-validation.
	CV *CrossValidation `json:"cv"`
	// Compared contains the scores of other systems on the same folds.
	Compared []model.Figures `json:"compared,omitempty"`
	// Trust is nil if neither cross-validation nor a test table provides unseen rows.
	Trust *Trust `json:"trust,omitempty"`
	// Curve is the learning curve in ascending order of the number of rows; nil unless requested.
	Curve []CurvePoint `json:"curve,omitempty"`
	// Baseline contains the scores of a model that always predicts Class, the most frequent class, with the
	// class frequencies as probabilities. The log loss is cross-validated.
	Baseline struct {
		model.Figures
		Class string `json:"class"`
	} `json:"baseline"`
	// Costs contains the cross-validated mean costs; nil without costs.
	Costs *MeanCosts `json:"costs,omitempty"`
	// Test is nil without a test table, if none of its rows can be used, or if the time ran out.
	Test *TestFigures `json:"test,omitempty"`
	// Train contains the scores on the training rows, which are optimistic; nil if the time ran out.
	Train    *model.Figures  `json:"train,omitempty"`
	Warnings []table.Finding `json:"warnings"`
	Partial  string          `json:"partial,omitempty"` // as in Fit
	// Candidates is the number of training samples that could become relevance vectors.
	Candidates       int    `json:"candidate_samples,omitempty"`
	RelevanceVectors int    `json:"relevance_vectors"`
	Weights          []int  `json:"weights_per_class"` // non-zero weights of each class
	Status           string `json:"status"`            // an mpcvm.Status: how the final fit ended
	// Fit describes what ended the fit, including its search; it is also in the record of the model.
	Fit        *model.FitInfo `json:"fit,omitempty"`
	Iterations int            `json:"iterations"` // as in Fit
	Seconds    float64        `json:"fit_s"`      // duration of the fit; 0 if unknown
	Seed       uint64         `json:"seed"`
	Version    string         `json:"version"` // of the program
	// The command sets the remaining fields: its line, the time (RFC 3339), and the files written.
	Command    string `json:"command,omitempty"`
	Date       string `json:"date,omitempty"`
	ModelFile  string `json:"model"`
	ReportFile string `json:"report,omitempty"`

	// The remaining fields are what a report needs. Model, Result and Table are what was evaluated.
	Model  *model.Model `json:"-"`
	Result mpcvm.Result `json:"-"`
	Table  *table.Table `json:"-"`
	// Shown contains the predictions that show the errors of the model: out-of-fold predictions if there was a
	// cross-validation, otherwise predictions for the test rows, otherwise for the training rows. Of describes
	// these rows, and Raw contains their probabilities without temperature and floor; nil if unknown.
	Shown *Matrix    `json:"-"`
	Of    string     `json:"-"`
	Raw   *mat.Dense `json:"-"`
	// Unusable is the reason why no row of the test table could be used, or nil.
	Unusable error `json:"-"`

	tested     *Matrix      // the predictions for the test table, or nil
	importance []Importance // the result of Importance, once computed
}

// Column describes how the model uses a column of the table.
type Column struct {
	Name string `json:"column"`
	Kind string `json:"kind"` // a table.Kind
	// Use is "class", "name of the row", "weight of the row" or the kind of the features made from the
	// column, or it begins with "left out".
	Use     string  `json:"use"`
	Missing float64 `json:"missing"` // share of missing cells
	// Importance is the increase of the cross-validated log loss when the column is shuffled, and
	// ImportanceErr the increase of the error rate. They are nil if they were not measured.
	Importance    *float64 `json:"importance,omitempty"`
	ImportanceErr *float64 `json:"importance_err,omitempty"`
}

// CrossValidation contains the results of a cross-validation.
type CrossValidation struct {
	model.Figures
	// Confusion[i][j] is the number of rows of class i that are predicted as class j.
	Confusion [][]int `json:"confusion"`
	Folds     int     `json:"folds"`
	Done      int     `json:"folds_done"` // folds with predictions
	// Nested reports whether the whole choice of the setting was repeated in every fold.
	Nested bool `json:"nested"`
	// HeldOut reports whether the rows are the ones held out by search.Auto.
	HeldOut bool           `json:"held_out,omitempty"`
	DealtBy *table.Finding `json:"dealt_by,omitempty"` // see Folds.SplitBy; nil if that is zero
	Classes []ClassFigures `json:"classes"`
}

// TestFigures contains the scores on a test table. Unknown is the number of rows whose class is unknown to
// the model; they count as errors and are left out of the log loss and the AUC.
type TestFigures struct {
	model.Figures
	Unknown int `json:"unknown,omitempty"`
}

// ClassFigures contains the scores of a class with N rows. AUC is for the class against all others.
type ClassFigures struct {
	Class     string   `json:"class"`
	N         int      `json:"n"`
	Recall    *float64 `json:"recall"`
	Precision *float64 `json:"precision"`
	AUC       *float64 `json:"auc,omitempty"`
}

// MeanCosts contains the mean cost per row of three decision rules: the most probable class, the class with
// the lowest expected cost, and always the most frequent class.
type MeanCosts struct {
	Matrix    [][]float64 `json:"matrix"` // rows: true class; columns: decision
	Likeliest MeanCost    `json:"likeliest"`
	LeastCost MeanCost    `json:"least_cost"`
	Baseline  MeanCost    `json:"baseline"`
	// Differently is the number of rows for which the first two rules differ.
	Differently int `json:"decided_differently"`
	// Classes contains the scores of each class when the lowest expected cost decides.
	Classes []ClassFigures `json:"classes"`
	// If the costs were chosen to find the share Recall of the rows of a class, Find is that class; it is
	// empty if the costs were given.
	Find   string  `json:"find,omitempty"`
	Recall float64 `json:"recall,omitempty"`
}

// MeanCost is a mean cost with its standard error.
type MeanCost struct {
	Cost float64  `json:"cost"`
	SE   *float64 `json:"se"`
}

// Trial is an mpcvm.Trial in JSON. All fields from Samples on, except Chosen, are set only by search.Auto.
type Trial struct {
	Learner     string  `json:"learner,omitempty"`
	Kernel      string  `json:"kernel"`
	LogLoss     float64 `json:"logloss"`
	Err         float64 `json:"err"`
	Samples     int     `json:"samples,omitempty"`
	Temperature float64 `json:"temperature,omitempty"`
	Weights     int     `json:"n_weights,omitempty"`
	Seconds     float64 `json:"seconds,omitempty"`
	GivenUp     bool    `json:"given_up,omitempty"` // abandoned after the first fold
	Chosen      bool    `json:"chosen,omitempty"`
	// Frontier reports whether the trial is in mpcvm.Result.Frontier: no trial with at most as many weights
	// has a lower log loss.
	Frontier bool `json:"frontier,omitempty"`
}

// trials converts the trials of a fit. If frontier is true, it marks those on the frontier.
func trials(result mpcvm.Result, frontier bool) (all []Trial) {
	convert := func(t mpcvm.Trial) Trial {
		return Trial{t.Learner, t.Kernel.String(), t.LogLoss, t.ErrorRate, t.Samples, t.Temperature, t.Weights,
			t.Seconds, t.GivenUp, t.Chosen, false}
	}
	for _, t := range result.Trials {
		all = append(all, convert(t))
	}
	for _, t := range result.Frontier() {
		if at := slices.Index(all, convert(t)); frontier && at >= 0 {
			all[at].Frontier = true
		}
	}
	return all
}

// Trust measures how reliable the probabilities and the prediction sets of a model are on unseen rows.
type Trust struct {
	// LogLoss is the log loss of the probabilities, and Uncalibrated the log loss of the same models without
	// temperature and floor. Refinement is the log loss at the temperature that is best for these rows;
	// calibration cannot reduce it. LogLoss − Refinement is the calibration loss.
	LogLoss      float64 `json:"logloss"`
	Uncalibrated float64 `json:"uncalibrated"`
	Refinement   float64 `json:"refinement"`
	// Sets are the prediction sets with a coverage of 80, 90 and 95 %; nil without conformal scores.
	Sets []SetFigures `json:"sets,omitempty"`
}

// SetFigures describes the prediction sets of one coverage.
type SetFigures struct {
	Coverage float64 `json:"coverage"` // nominal coverage
	Covered  float64 `json:"covered"`  // share of the rows whose set contains their class
	SE       float64 `json:"covered_se"`
	Size     float64 `json:"size"`   // mean number of classes in a set
	Single   float64 `json:"single"` // share of the sets with one class
	// Class is the class with the lowest coverage among those with at least 20 rows, and Least its coverage.
	// It is empty if no class has that many rows.
	Class string  `json:"worst_class,omitempty"`
	Least float64 `json:"worst_covered,omitempty"`
}

// CurvePoint contains the scores of models trained on some of the training rows and evaluated on unseen
// rows, with the standard errors of the means over these rows.
type CurvePoint struct {
	Rows      int     `json:"rows"` // number of training rows
	Err       float64 `json:"err"`
	ErrSE     float64 `json:"err_se"`
	LogLoss   float64 `json:"logloss"`
	LogLossSE float64 `json:"logloss_se"`
}

// Title returns the name of an Evaluation.Algorithm in words, such as mPCVM₁.
func Title(algorithm string) string {
	titles := map[string]string{"auto": "mPCVM", "mpcvm1": "mPCVM₁", "mpcvm2": "mPCVM₂"}
	return cmp.Or(titles[algorithm], algorithm)
}

// Algorithm returns the Evaluation.Algorithm of a learner.
func Algorithm(l mpcvm.Learner) string {
	switch l := l.(type) {
	case search.Width:
		return Algorithm(l.Learner)
	case search.Calibrated:
		return Algorithm(l.Learner)
	case search.Auto, nil:
		return "auto"
	case mpcvm.TopDown:
		return "mpcvm1"
	case mpcvm.BottomUp:
		return "mpcvm2"
	}
	return fmt.Sprintf("%T", l)
}

// Frequencies reports whether search.Auto found nothing better than the class frequencies.
func (e *Evaluation) Frequencies() bool { return e.Prefer != "" && e.unweighted() }

func (e *Evaluation) unweighted() bool {
	return e.RelevanceVectors == 0 && (len(e.Weights) == 0 || slices.Max(e.Weights) == 0)
}

// Figures returns the scores of all evaluations; those on unseen rows come first.
func (e *Evaluation) Figures() []model.Figures {
	list := []model.Figures{e.Baseline.Figures}
	if e.CV != nil {
		list = append(append(list, e.CV.Figures), e.Compared...)
	}
	if e.Test != nil {
		list = append(list, e.Test.Figures)
	}
	if e.Train != nil {
		list = append(list, *e.Train)
	}
	return list
}
