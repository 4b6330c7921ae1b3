package study

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/gofrs/flock"

	"github.com/mpcvm/mpcvm/internal/atomicfile"
)

// kind is a kind of files in a study folder, whose names are name, then "-i-of-n" for a shard, then ext.
type kind struct{ name, ext string }

var (
	testRuns   = kind{"results", ".jsonl"}
	tuningRuns = kind{"tuning", ".ndjson"}
	failedRuns = kind{"failures", ".ndjson"}
)

const lockName = ".lock"

// ReadDir reads all results in a study folder, from all shards. Duplicates, from overlapping shards,
// count once. Torn last lines are ignored. Without a results file, the error is
// fs.ErrNotExist.
func ReadDir(dir string) ([]Result, error) {
	results, err := readAll(dir, testRuns, (*Result).check)
	if err != nil {
		return nil, err
	}
	if results == nil {
		return nil, fmt.Errorf("study: %w: no results in %s", fs.ErrNotExist, dir)
	}
	return unique(results, func(r Result) key { return r.key(false) }), nil
}

// ReadTuning reads the tuning runs in a study folder, like ReadDir. There may be none.
func ReadTuning(dir string) ([]Result, error) {
	results, err := readAll(dir, tuningRuns, (*Result).check)
	return unique(results, func(r Result) key { return r.key(true) }), err
}

// ReadFailures reads the failed runs in a study folder, the last failure of each. Runs that
// succeeded later are ignored.
func ReadFailures(dir string) ([]Failure, error) {
	failures, err := readAll(dir, failedRuns, (*Failure).check)
	if err != nil {
		return nil, err
	}
	slices.Reverse(failures)
	failures = unique(failures, Failure.key)
	s := newStore()
	if err := s.readRuns(dir); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(failures, func(f Failure) bool {
		_, test := s.doneResults[f.key()]
		_, tuning := s.doneTuning[f.key()]
		return test || tuning
	}), nil
}

// key identifies a run. params is "" for a test run, because there is one test run per partition.
type key struct {
	system, dataset string
	partition       int
	params          string
}

// key returns the key of the result of a tuning or test run.
func (r Result) key(tuning bool) key {
	return Failure{System: r.System, Dataset: r.Dataset, Partition: r.Partition, Params: r.Params,
		Tuning: tuning}.key()
}

func (f Failure) key() key {
	k := key{f.System, f.Dataset, f.Partition, ""}
	if f.Tuning {
		k.params = f.Params.String()
	}
	return k
}

// unique returns the first value of each key.
func unique[T any](all []T, of func(T) key) []T {
	seen := map[key]bool{}
	return slices.DeleteFunc(all, func(v T) bool {
		k := of(v)
		if seen[k] {
			return true
		}
		seen[k] = true
		return false
	})
}

// readAll reads the files of one kind of all shards.
func readAll[T any](dir string, k kind, check func(*T) error) ([]T, error) {
	shards, err := fs.Glob(os.DirFS(dir), k.name+"-*"+k.ext)
	if err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	var all []T
	for _, file := range append([]string{k.name + k.ext}, shards...) {
		path := filepath.Join(dir, file)
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("study: %w", err)
		}
		part, err := readLines(text, path, check)
		if err != nil {
			return nil, err
		}
		if all = append(all, part...); all == nil {
			all = []T{} // there is a file, even if it is empty
		}
	}
	return all, nil
}

// store is a study folder that this process writes to.
type store struct {
	locks                     []*flock.Flock
	results, tuning, failures *os.File
	broken                    error // error of a write
	doneResults               map[key]Result
	doneTuning                map[key]Result
	failed                    map[key]Failure
}

func newStore() *store {
	return &store{doneResults: map[key]Result{}, doneTuning: map[key]Result{}, failed: map[key]Failure{}}
}

// open creates the folder if necessary, locks it, cuts off torn last lines of the files that will be
// written and reads all runs. A shard (suffix not "") shares the folder with other processes, but
// not its files.
func open(dir, suffix string) (s *store, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	s = newStore()
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if suffix == "" {
		err = s.lock(dir, lockName, (*flock.Flock).TryLock)
	} else if err = s.lock(dir, lockName, (*flock.Flock).TryRLock); err == nil {
		err = s.lock(dir, lockName+suffix, (*flock.Flock).TryLock)
	}
	if err != nil {
		return s, err
	}
	for _, f := range []struct {
		file **os.File
		kind
	}{{&s.results, testRuns}, {&s.tuning, tuningRuns}, {&s.failures, failedRuns}} {
		if *f.file, err = openLines(filepath.Join(dir, f.name+suffix+f.ext)); err != nil {
			return s, fmt.Errorf("study: %w", err)
		}
	}
	if err := atomicfile.SyncDir(dir); err != nil {
		return s, fmt.Errorf("study: %w", err)
	}
	return s, s.read(dir)
}

// lock locks a file of the folder until the store is closed or the process ends. In a browser, where a
// program does not share its files, nothing is locked.
func (s *store) lock(dir, name string, try func(*flock.Flock) (bool, error)) error {
	if runtime.GOOS == "js" {
		return nil
	}
	f := flock.New(filepath.Join(dir, name), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o644))
	held, err := try(f)
	if err == nil && !held {
		err = ErrBusy
	}
	if err != nil {
		return fmt.Errorf("study: %s: %w", dir, err)
	}
	s.locks = append(s.locks, f)
	return nil
}

// readRuns reads the finished runs in a folder. Of runs that are there twice, one with a log loss counts.
func (s *store) readRuns(dir string) error {
	for k, done := range map[kind]map[key]Result{testRuns: s.doneResults, tuningRuns: s.doneTuning} {
		all, err := readAll(dir, k, (*Result).check)
		if err != nil {
			return err
		}
		for _, r := range all {
			at := r.key(k == tuningRuns)
			if before, twice := done[at]; !twice || before.LogLoss == nil {
				done[at] = r
			}
		}
	}
	return nil
}

// read reads all runs in a folder.
func (s *store) read(dir string) error {
	if err := s.readRuns(dir); err != nil {
		return err
	}
	failures, err := ReadFailures(dir)
	if err != nil {
		return err
	}
	for _, f := range failures {
		s.failed[f.key()] = f
	}
	return nil
}

// openLines opens a file of lines for appending and removes a torn last line.
func openLines(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err == nil && len(text) > 0 && text[len(text)-1] != '\n' {
		err = f.Truncate(int64(bytes.LastIndexByte(text, '\n') + 1))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// add appends a line to a file by one write and syncs it to disk. It is called by one goroutine at a time.
func (s *store) add(f *os.File, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("study: %w", err)
	}
	if s.broken == nil { // do not append to a torn line
		_, s.broken = f.Write(append(line, '\n'))
	}
	if s.broken == nil {
		s.broken = f.Sync()
	}
	if s.broken != nil {
		return fmt.Errorf("study: %w", s.broken)
	}
	return nil
}

// close closes the files and releases the locks.
func (s *store) close() error {
	var errs []error
	for _, f := range []*os.File{s.results, s.tuning, s.failures} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	for _, l := range slices.Backward(s.locks) {
		errs = append(errs, l.Unlock())
	}
	return errors.Join(errs...)
}
