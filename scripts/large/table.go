//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
)

// table prints runs as a table of Markdown, and the exponent with which the time of an
// epoch grows with N where there are several.
func table(files []string) error {
	var runs []Run
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var r Run
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				f.Close()
				return fmt.Errorf("%s: %w", name, err)
			}
			runs = append(runs, r)
		}
		f.Close()
	}
	fmt.Println("| set | learner | N | K | kernel | evidence | seed | ERR % | AUC % | log loss | weights | vectors | epochs | ended | s | CPU s | CPU s an epoch | peak MiB | load |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	var n, seconds []float64
	for _, r := range runs {
		fmt.Printf("| %s | %s | %d | %d | %s | %g | %d | %.2f | %.3f | %.3f | %d | %d | %d | %s | %.0f | %.0f | %.3g | %.0f | %.1f |\n",
			r.Set, r.Learner, r.N, r.K, r.Kernel, r.Evidence, r.Seed, 100*r.Err, 100*r.AUC, r.LogLoss, r.Weights, r.Vectors, r.Epochs, r.Status,
			r.Wall, r.CPU, r.EpochCPU, r.PeakMiB, r.Load)
		n, seconds = append(n, math.Log(float64(r.N))), append(seconds, math.Log(r.EpochCPU))
	}
	if slope, ok := fitted(n, seconds); ok {
		fmt.Printf("\nCPU time of an epoch grows with N to the power of %.2f.\n", slope)
	}
	return nil
}

// fitted is the slope of the line of least squares, if the x are not all the same.
func fitted(x, y []float64) (slope float64, ok bool) {
	var mx, my, xx, xy float64
	for i := range x {
		mx, my = mx+x[i]/float64(len(x)), my+y[i]/float64(len(y))
	}
	for i := range x {
		xx, xy = xx+(x[i]-mx)*(x[i]-mx), xy+(x[i]-mx)*(y[i]-my)
	}
	return xy / xx, xx > 0
}
