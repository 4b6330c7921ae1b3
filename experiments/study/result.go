package study

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"strconv"
)

// Result is a finished run: a line of the results. Err and AUC are fractions, times are wall times
// in seconds.
type Result struct {
	System    string `json:"system"`
	Dataset   string `json:"dataset"`
	Partition int    `json:"partition"` // counted from 0
	NTrain    int    `json:"n_train"`   // number of training samples
	NTest     int    `json:"n_test"`
	// Err is the error rate on the test samples.
	Err float64 `json:"err"`
	// AUC is the generalised AUC of package score; nil (null) if the test set has only one class,
	// for which it is undefined.
	AUC *float64 `json:"auc"`
	// LogLoss is the mean −log p, in nats, of the test samples whose class is in the training set;
	// nil if there are none.
	LogLoss *float64 `json:"logloss"`
	// FitSeconds is the time of the fit, PredictSeconds the time to predict the labels of the test
	// set. With several jobs the runs share the machine.
	FitSeconds     float64 `json:"fit_s"`
	PredictSeconds float64 `json:"predict_s"`
	Basis          int     `json:"n_basis"`   // distinct relevance or support vectors
	Weights        int     `json:"n_weights"` // non-zero weights
	// Params are the parameters and the seed of the fit.
	Params Setting `json:"params"`

	// The following fields may be absent.

	// Classes is the number of classes of the data set.
	Classes int `json:"n_classes,omitempty"`
	// Series is the data set whose first classes make up this set; "" for other sets.
	Series string `json:"series,omitempty"`
	// Rule is the rule that chose the parameters; "" if there was only one setting.
	Rule string `json:"rule,omitempty"`
	// Unseen is the number of test samples of classes that are missing from the training set.
	Unseen int `json:"n_unseen,omitempty"`
	// Whole is true if the test set is the training set.
	Whole bool `json:"whole,omitempty"`
	// Raw is true if the features were not standardised.
	Raw bool `json:"raw,omitempty"`
	// Missing is the number that marked a missing value; see Problem.Missing.
	Missing *float64 `json:"missing,omitempty"`
	// Jobs is the number of runs at a time.
	Jobs int `json:"jobs,omitempty"`
	// Note is a remark of the system on its fit.
	Note string `json:"note,omitempty"`
	// Data is a fingerprint of the samples, their labels and the partition.
	Data string `json:"data,omitempty"`
}

// Setting holds what is needed to reproduce a fit on given data: the parameters and the seed. In
// JSON it is one object, {"seed":1,"theta":0.1}.
type Setting struct {
	Params Params
	Seed   uint64
}

const seedName = "seed"

// String returns the parameters, then the seed: "theta=0.1 seed=1".
func (s Setting) String() string {
	text := seedName + "=" + strconv.FormatUint(s.Seed, 10)
	if len(s.Params) > 0 {
		text = s.Params.String() + " " + text
	}
	return text
}

// MarshalJSON writes the parameters and the seed as one object.
func (s Setting) MarshalJSON() ([]byte, error) {
	all := make(map[string]any, len(s.Params)+1)
	for name, v := range s.Params {
		all[name] = v
	}
	all[seedName] = s.Seed
	return json.Marshal(all)
}

// UnmarshalJSON reads the output of MarshalJSON.
func (s *Setting) UnmarshalJSON(text []byte) error {
	var all map[string]json.Number
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	*s = Setting{}
	for name, number := range all {
		var err error
		if name == seedName {
			s.Seed, err = strconv.ParseUint(string(number), 10, 64)
		} else {
			if s.Params == nil {
				s.Params = Params{}
			}
			s.Params[name], err = strconv.ParseFloat(string(number), 64)
		}
		if err != nil {
			return fmt.Errorf("parameter %s: %w", name, err)
		}
	}
	return nil
}

func (s Setting) equal(o Setting) bool { return s.Seed == o.Seed && maps.Equal(s.Params, o.Params) }

// Failure is a run that failed: a line of the failures.
type Failure struct {
	System    string  `json:"system"`
	Dataset   string  `json:"dataset"`
	Partition int     `json:"partition"`
	Tuning    bool    `json:"tuning,omitempty"` // true for a tuning run
	Params    Setting `json:"params"`
	Error     string  `json:"error"`
	Data      string  `json:"data,omitempty"`
}

// check returns an error for values that are not valid in a result.
func (r *Result) check() error {
	number := func(v *float64, most float64) bool {
		return v == nil || *v >= 0 && *v <= most && !math.IsInf(*v, 0)
	}
	switch {
	case r.System == "" || r.Dataset == "":
		return errors.New("no system or no dataset")
	case r.Partition < 0 || r.NTrain < 0 || r.NTest < 0 || r.Basis < 0 || r.Weights < 0:
		return errors.New("a negative count")
	case !number(&r.Err, 1) || !number(r.AUC, 1) || !number(r.LogLoss, math.Inf(1)):
		return errors.New("err, auc or logloss out of range")
	case !number(&r.FitSeconds, math.Inf(1)) || !number(&r.PredictSeconds, math.Inf(1)):
		return errors.New("a time out of range")
	}
	return r.Params.Params.check()
}

func (f *Failure) check() error {
	if f.System == "" || f.Dataset == "" || f.Partition < 0 {
		return errors.New("no system, no dataset or no partition")
	}
	return nil
}

// readLines reads JSON lines. Errors begin with name and give the number of the line. A last line
// without a line end is torn and is ignored.
func readLines[T any](text []byte, name string, check func(*T) error) (all []T, err error) {
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	for line := range bytes.Lines(whole) {
		var v T
		if err = json.Unmarshal(line, &v); err == nil {
			err = check(&v)
		}
		if err != nil {
			return nil, fmt.Errorf("study: %s: line %d: %w", name, len(all)+1, err)
		}
		all = append(all, v)
	}
	return all, nil
}
