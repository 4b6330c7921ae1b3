// Package command runs a pipeline as a command.
package command

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs" // gs://
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"  // s3://
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
)

// Run parses the flags and runs the pipeline built by add. The flags named in required must be set.
// The process exits with status 1 if the pipeline fails and 2 if a required flag is missing.
func Run(add func(beam.Scope), required ...string) {
	flag.Parse()
	beam.Init() // does not return in a worker
	name := filepath.Base(os.Args[0])
	for _, f := range required {
		if flag.Lookup(f).Value.String() == "" {
			fmt.Fprintf(os.Stderr, "%s: --%s is missing; --help lists all flags\n", name, f)
			os.Exit(2)
		}
	}
	p, s := beam.NewPipelineWithRoot()
	add(s)
	if err := beamx.Run(context.Background(), p); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}
