// Command study runs a study on a runner of Apache Beam:
//
//	study --study study.json --out results [--runner R ...]
//
// Paths may begin with gs:// or s3://. Without --runner it runs on Prism, in this process. See
// experiments/README.md.
package main

import (
	"flag"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/mpcvm/mpcvm/experiments/beam/grid"
	"github.com/mpcvm/mpcvm/experiments/beam/internal/command"
)

func main() {
	var o grid.Options
	flag.StringVar(&o.Study, "study", "", "the `FILE` that describes the study, as JSON; required")
	flag.StringVar(&o.Out, "out", "", "the `DIR` of the results; required")
	command.Run(func(s beam.Scope) { grid.Pipeline(s, o) }, "study", "out")
}
