package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"path"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpcvm/mpcvm/cmd/internal/fetch"
	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/progress"
)

// fetchClient makes the requests of data fetch; nil means the client of fetch.Fetcher.
var fetchClient *http.Client

// fetchOptions are the flags and the arguments of data fetch.
type fetchOptions struct {
	names []string
	to    string
	json  bool
}

func fetchCommand() *cobra.Command {
	o := &fetchOptions{}
	cmd := &cobra.Command{
		Use: "fetch NAME...", Short: "fetch data sets from their archive and verify them",
		Long:    "Fetch data sets from the UCI repository over HTTPS and verify their SHA-256.",
		Example: "  mpcvm data fetch heart glass",
		Args: func(cmd *cobra.Command, args []string) error {
			o.names = args
			return arguments(1, math.MaxInt, "NAME")(cmd, args)
		},
		ValidArgsFunction: cobra.FixedCompletions(setNames(), cobra.ShellCompDirectiveNoFileComp),
		RunE:              task(o.run),
	}
	section(cmd, "Flags", func(f *pflag.FlagSet) {
		f.StringVar(&o.to, "to", "", "fetch into the folder `DIR` instead of the user's cache, where sets are "+
			"found by name")
		f.BoolVar(&o.json, "json", false, "print JSON")
	})
	return cmd
}

// run fetches the data sets.
func (o *fetchOptions) run(ctx context.Context, out, errOut io.Writer) error {
	for _, name := range o.names {
		if err := oneOf("NAME", name, setNames()); err != nil { // before the download
			return err
		}
	}
	p := progress.New(errOut)
	f := fetch.Fetcher{Client: fetchClient, To: o.to, Progress: func(address string, done, total int64) {
		share, of := 0.0, ""
		if total > 0 {
			share, of = float64(done)/float64(total), fmt.Sprintf(" of %.1f", float64(total)/1e6)
		}
		p.Show(share, "%s: %.1f%s MB", path.Base(address), float64(done)/1e6, of)
	}}
	got, err := f.Fetch(ctx, o.names...)
	p.Clear()
	if o.json {
		return errors.Join(err, writeJSON(out, "sets", got))
	}
	for _, g := range got {
		how := "fetched"
		if g.Embedded {
			how = "embedded, written"
		}
		if g.Already {
			how = "already present"
		}
		fmt.Fprintf(out, "%s: %s, checksum verified: %s\n", g.Name, how, g.Path)
	}
	return err
}

// present returns the location of a set: "embedded", the path of its file, the names of the sets from which
// it is derived, or "".
func present(info data.Info) string {
	if info.From != nil {
		for _, name := range info.From {
			if _, err := data.Path(name); err != nil {
				return ""
			}
		}
		return strings.Join(info.From, ", ")
	}
	if info.Embedded {
		return "embedded"
	}
	file, _ := data.Path(info.Name)
	return file
}
