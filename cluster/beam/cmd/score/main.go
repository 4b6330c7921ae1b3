// Command score applies a model to the rows of many files on a runner of Apache Beam:
//
//	score --model M.json --data 'in/*.csv' --out scored [--proba] [--parquet] [--runner R ...]
//
// Paths may be gs:// and s3://. Without --runner it runs on Prism, in this process. See
// cluster/README.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs" // gs://
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"  // s3://
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/mpcvm/mpcvm/cluster/beam/scoring"
)

func main() {
	var o scoring.Options
	flag.StringVar(&o.Model, "model", "", "the model, a JSON `FILE`; needed")
	flag.StringVar(&o.Data, "data", "", "a `PATTERN` of the files of samples, CSV or, if they end in .parquet, Parquet; needed")
	flag.StringVar(&o.Out, "out", "", "the `DIR` of the predictions; needed")
	flag.BoolVar(&o.Proba, "proba", false, "write the probability of each class too")
	flag.BoolVar(&o.Parquet, "parquet", false, "write Parquet instead of CSV")
	flag.Parse()
	beam.Init() // in a worker it does not return
	if o.Model == "" || o.Data == "" || o.Out == "" {
		fmt.Fprintln(os.Stderr, "score: --model, --data and --out are needed; --help lists all flags")
		os.Exit(2)
	}
	p, s := beam.NewPipelineWithRoot()
	scoring.Pipeline(s, o)
	if err := beamx.Run(context.Background(), p); err != nil {
		fmt.Fprintln(os.Stderr, "score:", err)
		os.Exit(1)
	}
}
