// Command study makes a study on a runner of Apache Beam:
//
//	mpcvm study export --data iris,wine ... --out study.json
//	study --study study.json --out results [--runner R ...]
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

	"github.com/mpcvm/mpcvm/cluster/beam/grid"
)

func main() {
	var o grid.Options
	flag.StringVar(&o.Study, "study", "", "the `FILE` of mpcvm study export; needed")
	flag.StringVar(&o.Out, "out", "", "the `DIR` of the results; needed")
	flag.Parse()
	beam.Init() // in a worker it does not return
	if o.Study == "" || o.Out == "" {
		fmt.Fprintln(os.Stderr, "study: --study and --out are needed; --help lists all flags")
		os.Exit(2)
	}
	p, s := beam.NewPipelineWithRoot()
	grid.Pipeline(s, o)
	if err := beamx.Run(context.Background(), p); err != nil {
		fmt.Fprintln(os.Stderr, "study:", err)
		os.Exit(1)
	}
}
