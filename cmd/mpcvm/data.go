package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpcvm/mpcvm/cmd/internal/fetch"
	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/progress"
	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/tables/predict"
)

func dataCommand() *cobra.Command {
	return verbs(&cobra.Command{
		Use: "data VERB", Short: "list, print or fetch the known data sets", Example: "  mpcvm data show iris",
	}, listCommand(), showCommand(), fetchCommand())
}

func listCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use: "list", Short: "list the known data sets and where they are", Example: "  mpcvm data list --json",
		Args: arguments(0, 0, ""),
		RunE: task(func(ctx context.Context, out, _ io.Writer) error { return listData(ctx, out, asJSON) }),
	}
	section(cmd, "Flags", func(f *pflag.FlagSet) {
		f.BoolVar(&asJSON, "json", false, "print JSON instead of a table")
	})
	return cmd
}

func showCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Short: "print a data set as CSV", Example: "  mpcvm data show iris > flowers.csv",
		Args: arguments(1, 1, "NAME"), DisableFlagsInUseLine: true,
		ValidArgsFunction: cobra.FixedCompletions(setNames(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("NAME", args[0], setNames()); err != nil {
				return err
			}
			text, err := data.CSV(args[0])
			if err != nil {
				return err
			}
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
}

func setNames() (names []string) {
	for _, info := range data.Sets() {
		names = append(names, info.Name)
	}
	return names
}

func listData(ctx context.Context, out io.Writer, asJSON bool) error {
	type listed struct {
		data.Info
		Present string `json:"present"` // "embedded", the path, its source sets, or "" if to be fetched
	}
	var infos []listed
	for _, info := range data.Sets() {
		infos = append(infos, listed{info, present(info)})
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if asJSON {
		return writeJSON(out, "sets", infos)
	}
	var rows [][]string
	for _, i := range infos {
		rows = append(rows, []string{i.Name, strconv.Itoa(i.Rows), strconv.Itoa(i.Features), strconv.Itoa(i.Classes),
			cmp.Or(i.Present, "no (not fetched)"), i.Licence, i.DOI, i.SHA256[:12] + "…", i.Source, i.Description})
	}
	return tabular.Write(out, []string{"name", "rows", "features", "classes", "present", "licence", "doi",
		"sha-256", "source", "description"}, rows)
}

// writeJSON writes v as a JSON object with the number of the schema. A list has the key list.
func writeJSON(w io.Writer, list string, v any) error {
	if list != "" {
		v = map[string]any{list: v}
	}
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "{\n  \"schema\": %d,%s\n", predict.Schema, text[1:])
	return err
}

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

// present returns "embedded", the path of the file of a set, the names of the sets it is derived from, or "".
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
