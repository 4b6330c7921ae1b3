package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/mpcvm/mpcvm/data"
)

// dataCommand lists the data sets, writes one or fetches some.
func dataCommand(ctx context.Context, c *call) error {
	f := c.flags()
	asJSON := f.Bool("json", false, "print JSON")
	to := f.String("to", "", "fetch into the folder `DIR`; the default is the user's cache, where the sets are found by name")
	rest, err := c.parse(f, 1, 100)
	if err != nil {
		return err
	}
	if *to != "" && rest[0] != "fetch" {
		return misuse{fmt.Errorf("data %s has no --to", rest[0])}
	}
	switch {
	case rest[0] == "fetch" && len(rest) > 1:
		return fetchData(ctx, c, rest[1:], *to, *asJSON)
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
	return misuse{fmt.Errorf("unknown arguments %q", rest)}
}

func listData(ctx context.Context, c *call, asJSON bool) error {
	type listed struct {
		data.Info
		Present string `json:"present"` // "embedded", the path, the sets it is made of, or "" if it must be fetched
	}
	var infos []listed
	for _, info := range data.Sets() {
		infos = append(infos, listed{info, present(info)})
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if asJSON {
		return writeJSON(c.out, infos)
	}
	var rows [][]string
	for _, i := range infos {
		rows = append(rows, []string{i.Name, strconv.Itoa(i.Rows), strconv.Itoa(i.Features), strconv.Itoa(i.Classes),
			cmp.Or(i.Present, "no; fetch it"), i.Licence, i.DOI, i.SHA256[:12] + "…", i.Source, i.Description})
	}
	return printTable(c.out, upper("name", "rows", "features", "classes", "present", "licence", "doi", "sha-256", "source", "what it is"), rows)
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
