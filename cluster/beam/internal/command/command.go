// Package command is what the commands have in common.
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

// Run runs the pipeline that add makes of the flags, which it parses. Those named must be
// given. A failure ends the process with status 1, misuse with 2.
func Run(add func(beam.Scope), needed ...string) {
	flag.Parse()
	beam.Init() // in a worker it does not return
	name := filepath.Base(os.Args[0])
	for _, f := range needed {
		if flag.Lookup(f).Value.String() == "" {
			fmt.Fprintf(os.Stderr, "%s: --%s is needed; --help lists all flags\n", name, f)
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
