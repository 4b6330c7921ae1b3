package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/mpcvm/mpcvm/data"
)

// dataCommand lists the data sets or writes one.
func dataCommand(ctx context.Context, c *call) error {
	f := c.flags()
	asJSON := f.Bool("json", false, "list as JSON")
	rest, err := c.parse(f, 1, 2)
	if err != nil {
		return err
	}
	switch {
	case rest[0] == "list" && len(rest) == 1:
		return listData(ctx, c, *asJSON)
	case rest[0] == "show" && len(rest) == 2:
		text, err := data.CSV(rest[1])
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err = c.out.Write(text)
		return err
	}
	return misuse{fmt.Errorf("cannot make sense of %q", rest)}
}

func listData(ctx context.Context, c *call, asJSON bool) error {
	var infos []data.Info
	for _, name := range slices.Concat(data.Names(), data.Others()) {
		info, err := data.GetInfo(name)
		if err != nil {
			return err
		}
		infos = append(infos, info)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if asJSON {
		return writeJSON(c.out, infos)
	}
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tROWS\tFEATURES\tCLASSES\tEMBEDDED\tLICENCE\tDOI\tSHA-256\tWHAT IT IS")
	for _, i := range infos {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%v\t%s\t%s\t%.12s…\t%s\n",
			i.Name, i.Rows, i.Features, i.Classes, i.Embedded, i.Licence, i.DOI, i.SHA256, i.Description)
	}
	return w.Flush()
}

func writeJSON(w interface{ Write([]byte) (int, error) }, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
