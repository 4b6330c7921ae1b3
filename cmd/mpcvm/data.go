package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpcvm/mpcvm/data"
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

// setNames returns the names of the data sets.
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

// writeJSON writes v as a JSON object with the number of the schema. If v is a list, the object contains it
// under the key list.
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
