//go:build unix

// Bench measures this library for docs/performance.md and for the comparison in peers.py. Times are CPU
// time, user and system, of the work alone. Results are printed as JSON unless noted.
//
//	bench data DIR SET...    write DIR/SET.train.csv and .test.csv: standardised features, label last
//	bench export DIR         write letter-10 and its partitions, for experiments/peers/study.py
//	bench fit -set S ...     fit, then predict; print a Fit
//	bench predict -set S ... predict with the model of a fit; print Predictions
//	bench gram -set S ...    compute a matrix of RBF kernels; print a Gram
//
// GOMAXPROCS is the number of cores that bench uses.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/mpcvm/mpcvm/internal/testkit/sets"
)

var commands = map[string]func(args []string) (any, error){
	"data": writeData, "export": export, "fit": fit, "predict": predict, "gram": gram,
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run executes a command and prints its result, if it has one, as JSON.
func run(args []string) error {
	if len(args) == 0 || commands[args[0]] == nil {
		return errors.New("usage: bench data|export|fit|predict|gram ... (-h after a command lists its options)")
	}
	result, err := commands[args[0]](args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil || result == nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

// parse parses the flags, rejects further arguments and loads the set.
func parse(f *flag.FlagSet, args []string) (*sets.Problem, error) {
	set := f.String("set", "iris", "a set of internal/testkit/sets, or letter-10, letter-16000 or mixture")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("%s: unknown argument %q", f.Name(), f.Arg(0))
	}
	return load(*set)
}
