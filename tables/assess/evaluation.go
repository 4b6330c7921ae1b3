package assess

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/tables"
)

// Evaluation has the figures of a model and of its fit. It is what mpcvm fit --json prints: encoding/json
// turns the one into the other without loss. Package summary puts it into sentences and tables.
//
// Error rates, recall, precision and other shares are from 0 to 1, log losses in nats, and times in seconds.
// A figure that is not known or not defined is nil.
type Evaluation struct {
	Set     string `json:"dataset"` // the table, without path and extension
	Reading string `json:"reading"` // how the file was read, in words
	Target  string `json:"target"`  // the column of the classes
	// Algorithm is auto (search.Auto), mpcvm1 (mpcvm.TopDown), mpcvm2 (mpcvm.BottomUp), or the Go type of
	// another learner.
	Algorithm string   `json:"algorithm"`
	Kernel    string   `json:"kernel"`
	N         int      `json:"n"` // training samples
	Features  int      `json:"features"`
	Classes   []string `json:"classes"`
	Columns   []Column `json:"columns"` // of the table
	// Prefer is the preference of search.Auto: balance, accuracy or sparsity; "" for other learners.
	Prefer string `json:"prefer,omitempty"`
	// Trials are the settings that were tried, in that order.
	Trials      []Trial `json:"trials,omitempty"`
	Temperature float64 `json:"temperature"` // of the probabilities
	// CV has the figures of rows that the model did not see; nil without cross-validation.
	CV *CrossValidation `json:"cv"`
	// Compared has the figures of other systems in the same folds.
	Compared []tables.Figures `json:"compared,omitempty"`
	// Trust is nil if there are no rows that the model did not see.
	Trust *Trust `json:"trust,omitempty"`
	// Curve is the learning curve, with the fewest rows first; nil if it was not asked for.
	Curve []CurvePoint `json:"curve,omitempty"`
	// Baseline has the figures of always naming Class, the most frequent class, with the class frequencies as
	// probabilities. The log loss is cross-validated.
	Baseline struct {
		tables.Figures
		Class string `json:"class"`
	} `json:"baseline"`
	// Costs are the mean costs in cross-validation; nil without costs.
	Costs *MeanCosts `json:"costs,omitempty"`
	// Test is nil if there is no test table, none of its rows can be used, or the time was up.
	Test *TestFigures `json:"test,omitempty"`
	// Train has the figures of the training rows, which are optimistic; nil if the time was up.
	Train    *tables.Figures `json:"train,omitempty"`
	Warnings []Warning       `json:"warnings"`
	// Partial is the part of the search for which the budget left time; "" if all of it.
	Partial string `json:"partial,omitempty"`
	// Candidates is the number of training samples that could become relevance vectors.
	Candidates       int     `json:"candidate_samples,omitempty"`
	RelevanceVectors int     `json:"relevance_vectors"`
	Weights          []int   `json:"weights_per_class"` // that are not zero
	Status           string  `json:"status"`            // how the fit ended, as mpcvm.Status.String has it
	Iterations       int     `json:"iterations"`
	Seconds          float64 `json:"fit_s"` // of the fit; 0 if they are not known
	Seed             uint64  `json:"seed"`
	Version          string  `json:"version"` // of the program
	// The command sets the others: what was typed, when (RFC 3339), and the files that it wrote.
	Command    string `json:"command,omitempty"`
	Date       string `json:"date,omitempty"`
	ModelFile  string `json:"model"`
	ReportFile string `json:"report,omitempty"`
}

// Column is what a column of the table is for the model.
type Column struct {
	Name string `json:"column"`
	Kind string `json:"kind"` // as table.Kind.String has it
	// Use is "class", "name of the row", "weight of the row", the kind of its features, or begins with "left
	// out".
	Use     string  `json:"use"`
	Missing float64 `json:"missing"` // share of missing cells
	// Importance is the increase of the log loss when the column is shuffled, in the rows of cross-validation,
	// and ImportanceErr the increase of the error rate. They are nil if they were not measured.
	Importance    *float64 `json:"importance,omitempty"`
	ImportanceErr *float64 `json:"importance_err,omitempty"`
}

// CrossValidation has the figures of cross-validation.
type CrossValidation struct {
	tables.Figures
	// Confusion counts the rows of each class (rows) that are predicted as each class (columns).
	Confusion [][]int `json:"confusion"`
	Folds     int     `json:"folds"`
	Done      int     `json:"folds_done"` // those with a prediction
	// Nested says that the whole choice of the setting was repeated without the rows of a fold.
	Nested bool `json:"nested"`
	// HeldOut says that the rows are those that search.Auto had set aside.
	HeldOut bool           `json:"held_out,omitempty"`
	DealtBy string         `json:"dealt_by,omitempty"` // see Results.DealtBy
	Classes []ClassFigures `json:"classes"`
}

// TestFigures has the figures of a test table. Unknown of its rows are of classes that the model does not
// know: they count as errors and are left out of log loss and AUC.
type TestFigures struct {
	tables.Figures
	Unknown int `json:"unknown,omitempty"`
}

// ClassFigures are the figures of the N rows of a class. AUC is the area for the probability of the class,
// against all other classes.
type ClassFigures struct {
	Class     string   `json:"class"`
	N         int      `json:"n"`
	Recall    *float64 `json:"recall"`
	Precision *float64 `json:"precision"`
	AUC       *float64 `json:"auc,omitempty"`
}

// MeanCosts has the mean costs of a row in three ways to decide: for the likeliest class, for the class with
// the lowest expected cost, and always for the most frequent one.
type MeanCosts struct {
	Matrix    [][]float64 `json:"matrix"` // a row is the true class, a column the decision
	Likeliest MeanCost    `json:"likeliest"`
	LeastCost MeanCost    `json:"least_cost"`
	Baseline  MeanCost    `json:"baseline"`
	// Differently counts the rows for which the first two differ.
	Differently int `json:"decided_differently"`
	// Classes has the figures of decisions by the lowest expected cost.
	Classes []ClassFigures `json:"classes"`
	// The costs were chosen to find the share Recall of the rows of the class Find; "" if they were given.
	Find   string  `json:"find,omitempty"`
	Recall float64 `json:"recall,omitempty"`
}

// MeanCost is a mean cost with its standard error.
type MeanCost struct {
	Cost float64  `json:"cost"`
	SE   *float64 `json:"se"`
}

// Trial is a mpcvm.Trial in JSON. The fields from Samples on come from search.Auto, except Chosen.
type Trial struct {
	Learner     string  `json:"learner,omitempty"`
	Kernel      string  `json:"kernel"`
	LogLoss     float64 `json:"logloss"`
	Err         float64 `json:"err"`
	Samples     int     `json:"samples,omitempty"`
	Temperature float64 `json:"temperature,omitempty"`
	Weights     int     `json:"n_weights,omitempty"`
	Seconds     float64 `json:"seconds,omitempty"`
	GivenUp     bool    `json:"given_up,omitempty"` // after its first fold
	Chosen      bool    `json:"chosen,omitempty"`
	// Frontier says that the trial is in mpcvm.Result.Frontier: no smaller or equally large one has a lower log
	// loss.
	Frontier bool `json:"frontier,omitempty"`
}

// trials returns the trials of a fit; frontier marks the trials of its frontier.
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

// Trust measures how far the probabilities and the prediction sets of a model can be trusted, measured on
// rows that it did not see.
type Trust struct {
	// LogLoss is the log loss of the probabilities, and Uncalibrated the log loss of the same models without
	// temperature and floor. Refinement remains at the temperature that is best for these very rows, so no
	// calibration can take it away; LogLoss − Refinement is the part of calibration.
	LogLoss      float64 `json:"logloss"`
	Uncalibrated float64 `json:"uncalibrated"`
	Refinement   float64 `json:"refinement"`
	// Sets are the prediction sets of 80, 90 and 95 %; none if the model has no scores.
	Sets []SetFigures `json:"sets,omitempty"`
}

// SetFigures has the figures of the prediction sets of one coverage.
type SetFigures struct {
	Coverage float64 `json:"coverage"` // that was asked for
	Covered  float64 `json:"covered"`  // share of the rows whose class is in their set
	SE       float64 `json:"covered_se"`
	Size     float64 `json:"size"`   // mean number of classes
	Single   float64 `json:"single"` // share of the sets with one class
	// Class is the class that is covered worst, of those with 20 rows, and Least the share of its rows that is;
	// "" if there is none.
	Class string  `json:"worst_class,omitempty"`
	Least float64 `json:"worst_covered,omitempty"`
}

// CurvePoint has the figures of models that learned from some of the training rows, on rows that they did not
// see, with the standard errors of the means over these rows.
type CurvePoint struct {
	Rows      int     `json:"rows"` // to learn from
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

// algorithm returns Evaluation.Algorithm of a learner.
func algorithm(l mpcvm.Learner) string {
	switch l := l.(type) {
	case search.Width:
		return algorithm(l.Learner)
	case search.Calibrated:
		return algorithm(l.Learner)
	case search.Auto, nil:
		return "auto"
	case mpcvm.TopDown:
		return "mpcvm1"
	case mpcvm.BottomUp:
		return "mpcvm2"
	}
	return fmt.Sprintf("%T", l)
}

// Frequencies reports whether search.Auto found nothing better than the class frequencies, which are the
// model then.
func (e *Evaluation) Frequencies() bool { return e.Prefer != "" && e.RelevanceVectors == 0 }

// Figures returns the figures of all evaluations, first those on rows that the model did not see.
func (e *Evaluation) Figures() []tables.Figures {
	list := []tables.Figures{e.Baseline.Figures}
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

// Warning describes something that may make figures worthless.
type Warning struct {
	// Code is a word for the kind of the warning, such as duplicates, small-class or collapsed.
	Code string `json:"code"`
	// Text is a sentence.
	Text string `json:"text"`
}

// String returns the text.
func (w Warning) String() string { return w.Text }
