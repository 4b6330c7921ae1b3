package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/mpcvm/study"
)

// problems reads the data and their partitions.
func (o *studyOptions) problems(ctx context.Context) ([]study.Problem, error) {
	names := strings.Split(o.data, ",")
	var files []string
	if o.partitions != "" {
		if files = strings.Split(o.partitions, ","); len(files) != len(names) {
			return nil, misuse{fmt.Errorf("--data has %d sets, --partitions %d files", len(names), len(files))}
		}
	}
	missing, err := o.missingValues()
	if err != nil {
		return nil, misuse{err}
	}
	var problems []study.Problem
	for i, name := range names {
		set, known, err := readSet(ctx, name)
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
		case files != nil:
			p.Partitions, err = readPartitions(ctx, files[i], set.N())
		case known:
			p.Partitions, err = data.Partitions(set.Name)
		default:
			err = misuse{fmt.Errorf("%s: --partitions is missing, or --split or --whole", name)}
		}
		if err != nil {
			return nil, err
		}
		problems = append(problems, p)
	}
	for name := range missing {
		return nil, misuse{fmt.Errorf("--missing names %q, which is none of the data sets", name)}
	}
	return problems, nil
}

// readSet reads a CSV file or a known set. A file of the same name goes first.
func readSet(ctx context.Context, name string) (set *data.Set, known bool, err error) {
	if _, err := os.Stat(name); err != nil {
		if _, err := data.Lookup(name); err == nil {
			set, err := data.Load(name)
			return set, true, err
		}
	}
	text, err := readFile(ctx, name)
	if err != nil {
		return nil, false, err
	}
	if set, err = data.ReadSet(text, name); err != nil {
		return nil, false, err
	}
	if err := set.CheckTrainable(); err != nil {
		return nil, false, err
	}
	set.Name = setName(name)
	return set, false, nil
}

// readPartitions reads a file of partitions of n samples.
func readPartitions(ctx context.Context, path string, n int) ([][]int, error) {
	text, err := readFile(ctx, path)
	if err != nil {
		return nil, err
	}
	partitions, err := data.ReadPartitions(text, n)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return partitions, nil
}

// series returns a problem for each number of classes that --classes names.
func (o *studyOptions) series(p study.Problem) ([]study.Problem, error) {
	counts, err := parseRanges("--classes", o.classes, p.Set.C()+1)
	if err != nil {
		return nil, misuse{err}
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

// mostRepeats keeps a typing mistake from taking all memory.
const mostRepeats = 10000

// splits returns the partitions that --split asks for.
func (o *studyOptions) splits(set *data.Set) ([][]int, error) {
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
		return nil, misuse{fmt.Errorf("--repeats must be from 1 to %d: %d", mostRepeats, o.repeats)}
	}
	return study.RandomPartitions(set, share, o.repeats, o.seed), nil
}

// missingValues parses --missing.
func (o *studyOptions) missingValues() (map[string]*float64, error) {
	values := map[string]*float64{}
	if o.missing == "" {
		return values, nil
	}
	for part := range strings.SplitSeq(o.missing, ",") {
		name, text, ok := strings.Cut(part, "=")
		v, err := strconv.ParseFloat(text, 64)
		if !ok || err != nil {
			return nil, fmt.Errorf("--missing: %q is not NAME=V", part)
		}
		values[name] = &v
	}
	return values, nil
}

// chosenPartitions sets the partitions for tuning and test, which all problems must have.
func (o *studyOptions) chosenPartitions(s *study.Study) error {
	if o.whole {
		s.Test = []int{0}
		return nil
	}
	fewest := len(s.Problems[0].Partitions)
	for _, p := range s.Problems {
		fewest = min(fewest, len(p.Partitions))
	}
	var err error
	if o.tune != "none" {
		if s.Tune, err = parseRanges("--tune", o.tune, fewest); err != nil {
			return misuse{err}
		}
	}
	if s.Test, err = parseRanges("--test", o.test, fewest); err != nil {
		return misuse{err}
	}
	for _, p := range s.Test {
		if slices.Contains(s.Tune, p) {
			return misuse{fmt.Errorf("partition %d is for both --tune and --test", p)}
		}
	}
	return nil
}

// parseRanges parses whole numbers below n, such as "0-4,7"; "5-" goes to the last.
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
			return nil, fmt.Errorf("%s: %q is not a number or a range A-B", flag, part)
		}
		if hi >= n || lo >= n {
			return nil, fmt.Errorf("%s: %s is beyond the last, %d", flag, part, n-1)
		}
		for v := lo; v <= hi; v++ {
			if slices.Contains(list, v) {
				return nil, fmt.Errorf("%s: %d is given twice", flag, v)
			}
			list = append(list, v)
		}
	}
	return list, nil
}
