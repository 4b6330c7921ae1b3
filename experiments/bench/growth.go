//go:build unix

package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// series is a series of fits in which one quantity grows.
type series struct {
	title, learner string
	args           []string
	option         string // the option of bench fit that takes the sizes
	sizes          []int
	power          float64 // expected exponent of the time
}

func growth(args []string) (any, error) {
	f := flag.NewFlagSet("bench growth", flag.ContinueOnError)
	learners := f.String("learners", "TopDown,BottomUp", "comma-separated learners")
	budget := f.Float64("budget", 60, "skip fits that are expected to take more CPU seconds")
	by := f.String("by", "letter,wine-white,classes", "comma-separated series")
	limit := f.Int("limit", 0, "limit on the number of epochs; 0 for the learner's default")
	if err := parse(f, args); err != nil {
		return nil, err
	}
	for _, learner := range strings.Split(*learners, ",") {
		for _, s := range []struct {
			key string
			series
		}{
			{"letter", series{"Letter, 26 classes", learner, []string{"-set", "letter"}, "-rows",
				[]int{500, 1000, 2000, 4000}, 2.5}},
			{"wine-white", series{"Wine white, 7 classes", learner, []string{"-set", "wine-white"}, "-rows",
				[]int{500, 1000, 2000, 3918}, 2.5}},
			{"classes", series{"Letter, N = 1000", learner, []string{"-set", "letter", "-rows", "1000"}, "-classes",
				[]int{2, 5, 10, 26}, 1}},
		} {
			if !slices.Contains(strings.Split(*by, ","), s.key) {
				continue
			}
			s.args = append(s.args, "-limit", strconv.Itoa(*limit))
			if err := s.print(os.Stdout, *budget, fitAlone); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

// fitAlone runs a fit in a separate process, to measure its memory.
func fitAlone(args ...string) (Fit, error) {
	self, err := os.Executable()
	if err != nil {
		return Fit{}, err
	}
	cmd := exec.Command(self, append([]string{"fit"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	var result Fit
	if err == nil {
		err = json.Unmarshal(out, &result)
	}
	return result, err
}

// print runs a fit of each size and prints a Markdown table with the exponents of its columns.
func (s series) print(w io.Writer, budget float64, fit func(args ...string) (Fit, error)) error {
	fmt.Fprintf(w, "\n**%s, %s**\n\n", s.title, s.learner)
	fmt.Fprintln(w, "| N | C | CPU s | epochs | ms an epoch | weights | peak MB | error % | ended |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|")
	names := []string{"time", "epochs", "weights", "memory"}
	var sizes []float64
	columns := make([][]float64, len(names))
	for i, size := range s.sizes {
		if i > 0 {
			grown := float64(size) / float64(s.sizes[i-1])
			if expected := columns[0][len(columns[0])-1] * math.Pow(grown, s.power); expected > budget {
				fmt.Fprintf(w, "\n%s %v left out: about %.0f s expected.\n", s.option, s.sizes[i:], expected)
				break
			}
		}
		r, err := fit(append(slices.Clone(s.args), "-learner", s.learner, s.option, strconv.Itoa(size))...)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %d | %d | %.3g | %d | %.3g | %d | %.0f | %.1f | %s |\n",
			r.N, r.Classes, r.CPU, r.Epochs, 1000*r.CPU/float64(r.Epochs), r.Weights, r.PeakMB, 100*r.Error, r.Status)
		sizes = append(sizes, float64(size))
		for k, v := range []float64{r.CPU, float64(r.Epochs), float64(r.Weights), r.PeakMB} {
			columns[k] = append(columns[k], v)
		}
	}
	if len(sizes) < 2 {
		return nil
	}
	var growth []string
	for k, name := range names {
		growth = append(growth, fmt.Sprintf("%s %.2f", name, exponent(sizes, columns[k])+1e-9)) // avoids −0.00
	}
	fmt.Fprintf(w, "\nExponents: %s.\n", strings.Join(growth, ", "))
	return nil
}

// exponent returns p of y = a·x^p, by least squares on the logarithms.
func exponent(x, y []float64) float64 {
	var u, v []float64
	for i := range x {
		u, v = append(u, math.Log(x[i])), append(v, math.Log(y[i]))
	}
	_, p := stat.LinearRegression(u, v, nil, false)
	return p
}
