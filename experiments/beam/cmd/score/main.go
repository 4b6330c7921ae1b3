// Command score applies a model to the rows of many files on a runner of Apache Beam:
//
//	score --model M.json --data 'in/*.csv' --out scored [--proba] [--parquet] [--runner R ...]
//
// Paths may begin with gs:// or s3://. Without --runner it runs on Prism, in this process. See
// experiments/README.md.
package main

import (
	"flag"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/mpcvm/mpcvm/experiments/beam/internal/command"
	"github.com/mpcvm/mpcvm/experiments/beam/scoring"
)

func main() {
	var o scoring.Options
	flag.StringVar(&o.Model, "model", "", "the model, a JSON `FILE`; required")
	flag.StringVar(&o.Data, "data", "", "a `PATTERN` of the files of samples, of any type that mpcvm predict "+
		"takes; required")
	flag.StringVar(&o.Out, "out", "", "the `DIR` of the predictions; required")
	flag.BoolVar(&o.Proba, "proba", false, "also write the probability of each class")
	flag.BoolVar(&o.Parquet, "parquet", false, "write Parquet instead of CSV")
	command.Run(func(s beam.Scope) { scoring.Pipeline(s, o) }, "model", "data", "out")
}
