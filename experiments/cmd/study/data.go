package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/experiments/study"
)

// problems reads the data and their partitions.
func (o *options) problems() ([]study.Problem, error) {
	missing, err := missingValues(o.missing)
	if err != nil {
		return nil, err
	}
	var problems []study.Problem
	for _, name := range o.data {
		set, err := readSet(name)
		if err != nil {
			return nil, err
		}
		p := study.Problem{Name: set.Name, Set: set, Raw: o.raw, Missing: missing[set.Name]}
		delete(missing, set.Name)
		switch {
		case o.classes != "":
			series, err := o.series(p)
			if err != nil {
				return nil, err
			}
			problems = append(problems, series...)
			continue
		case o.split != "":
			p.Partitions, err = o.splits(set)
		case o.whole:
			p.Partitions = study.Whole(set)
		default:
			if p.Partitions, err = data.Partitions(name); err != nil {
				err = misuse{fmt.Errorf("%w; use --split or --whole", err)}
			}
		}
		if err != nil {
			return nil, err
		}
		problems = append(problems, p)
	}
	for name := range missing {
		return nil, misuse{fmt.Errorf("--missing names %q, which is not one of the data sets", name)}
	}
	return problems, nil
}

// readSet reads a known set or a CSV file.
func readSet(name string) (*data.Set, error) {
	if _, err := data.Lookup(name); err == nil {
		return data.Load(name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	set, err := data.ReadSet(f, name)
	if err != nil {
		return nil, err
	}
	set.Name = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	return set, set.CheckTrainable()
}

// series returns a problem for each number of classes in --classes.
func (o *options) series(p study.Problem) ([]study.Problem, error) {
	counts, err := parseRanges("--classes", o.classes, p.Set.C()+1)
	if err != nil {
		return nil, err
	}
	var all []study.Problem
	for _, k := range counts {
		if k < 2 {
			return nil, misuse{fmt.Errorf("--classes: %d classes are too few", k)}
		}
		part := p
		part.Series, part.Set = p.Name, study.FirstClasses(p.Set, k, o.perClass)
		part.Name = part.Set.Name
		if part.Partitions, err = o.splits(part.Set); err != nil {
			return nil, err
		}
		all = append(all, part)
	}
	return all, nil
}

// mostRepeats keeps a typing mistake from using all memory.
const mostRepeats = 10000

// splits returns the partitions that --split asks for.
func (o *options) splits(set *data.Set) ([][]int, error) {
	above, below, fraction := strings.Cut(o.split, "/")
	share, err := strconv.ParseFloat(above, 64)
	if err == nil && fraction {
		var by float64
		by, err = strconv.ParseFloat(below, 64)
		share /= by
	}
	if err != nil || !(share > 0 && share < 1) {
		return nil, misuse{fmt.Errorf("--split %q is not a share between 0 and 1", o.split)}
	}
	if o.repeats < 1 || o.repeats > mostRepeats {
		return nil, misuse{fmt.Errorf("--repeats must be from 1 to %d, not %d", mostRepeats, o.repeats)}
	}
	return study.RandomPartitions(set, share, o.repeats, o.Seed), nil
}

// missingValues parses the values of --missing.
func missingValues(texts map[string]string) (map[string]*float64, error) {
	values := map[string]*float64{}
	for name, text := range texts {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, misuse{fmt.Errorf("--missing: %q is not a number", text)}
		}
		values[name] = &v
	}
	return values, nil
}

// choosePartitions sets the partitions for tuning and test, which all problems must have.
func (o *options) choosePartitions() (err error) {
	if o.whole {
		o.Test = []int{0}
		return nil
	}
	fewest := len(o.Problems[0].Partitions)
	for _, p := range o.Problems {
		fewest = min(fewest, len(p.Partitions))
	}
	if o.tune != "none" {
		if o.Tune, err = parseRanges("--tune", o.tune, fewest); err != nil {
			return err
		}
	}
	if o.Test, err = parseRanges("--test", o.test, fewest); err != nil {
		return err
	}
	for _, p := range o.Test {
		if slices.Contains(o.Tune, p) {
			return misuse{fmt.Errorf("partition %d is for both --tune and --test", p)}
		}
	}
	return nil
}

// parseRanges parses integers below n, such as "0-4,7"; "5-" goes to the last.
func parseRanges(flag, text string, n int) ([]int, error) {
	var list []int
	for part := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(part), "-")
		lo, err := strconv.Atoi(from)
		hi := lo
		if isRange && to == "" {
			hi = n - 1
		} else if isRange && err == nil {
			hi, err = strconv.Atoi(to)
		}
		if err != nil || lo > hi && to != "" {
			return nil, misuse{fmt.Errorf("%s: %q is not a number or a range A-B", flag, part)}
		}
		if hi >= n || lo >= n {
			return nil, misuse{fmt.Errorf("%s: %s is beyond the last, %d", flag, part, n-1)}
		}
		for v := lo; v <= hi; v++ {
			if slices.Contains(list, v) {
				return nil, misuse{fmt.Errorf("%s: %d is given twice", flag, v)}
			}
			list = append(list, v)
		}
	}
	return list, nil
}
