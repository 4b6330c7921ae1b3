package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/progress"
)

// fetchClient makes the requests of data fetch; nil is that of data.Fetcher.
var fetchClient *http.Client

// fetchData fetches data sets into a folder.
func fetchData(ctx context.Context, c *call, names []string, to string, asJSON bool) error {
	for _, name := range names {
		if _, err := data.Lookup(name); err != nil { // before the work, not after
			return err
		}
	}
	p := progress.New(c.errOut)
	f := data.Fetcher{Client: fetchClient, To: to, Progress: func(address string, done, total int64) {
		share, of := 0.0, ""
		if total > 0 {
			share, of = float64(done)/float64(total), fmt.Sprintf(" of %.1f", float64(total)/1e6)
		}
		p.Show(share, 0, fmt.Sprintf("%s: %.1f%s MB", path.Base(address), float64(done)/1e6, of))
	}}
	got, err := f.Fetch(ctx, names...)
	p.Clear()
	if asJSON {
		type fetched struct {
			Name    string `json:"name"`
			Path    string `json:"path"`
			SHA256  string `json:"sha256"`
			Already bool   `json:"already"`
		}
		list := []fetched{}
		for _, g := range got {
			list = append(list, fetched{g.Name, g.Path, g.SHA256, g.Already})
		}
		return errors.Join(err, writeJSON(c.out, list))
	}
	for _, g := range got {
		how := "fetched"
		if g.Embedded {
			how = "embedded, written"
		}
		if g.Already {
			how = "there already"
		}
		fmt.Fprintf(c.out, "%s: %s, checksum verified: %s\n", g.Name, how, g.Path)
	}
	return err
}

// present says where a set is: "embedded", the path of its file, the names of the sets
// that it is made of, or "".
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
	file, err := data.Path(info.Name)
	if err != nil {
		return ""
	}
	return file
}
