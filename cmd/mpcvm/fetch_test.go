package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// nowhere is a network without servers.
type nowhere struct{}

func (nowhere) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no server")
}

func TestDataFetch(t *testing.T) {
	fetchClient = &http.Client{Transport: nowhere{}}
	t.Cleanup(func() { fetchClient = nil })
	dir := filepath.Join(t.TempDir(), "sets")

	out, _ := good(t, "data", "fetch", "iris", "letter", "--to", dir)
	if strings.Count(out, "embedded, written") != 2 || !strings.Contains(out, filepath.Join(dir, "iris.csv")) {
		t.Errorf("%s", out)
	}
	out, _ = good(t, "data", "fetch", "iris", "--to", dir, "--json")
	var all struct {
		Sets []map[string]any `json:"sets"`
	}
	err := json.Unmarshal([]byte(out), &all)
	if list := all.Sets; err != nil || len(list) != 1 || list[0]["already"] != true ||
		list[0]["name"] != "iris" {
		t.Errorf("%s", out)
	}
	code, out, errOut := try(t, "data", "fetch", "iris", "leaves", "--to", dir)
	if code != 1 || !strings.Contains(out, "iris: already present") || strings.Count(errOut, "leaves-") != 3 ||
		!strings.Contains(errOut, "no server") {
		t.Errorf("status %d, %s%s", code, out, errOut)
	}
	for _, args := range [][]string{{"data", "fetch"}, {"data", "list", "--to", dir},
		{"data", "show", "iris", "wine"}} {
		if code, _, _ := try(t, args...); code != misused {
			t.Errorf("%q: status %d", args, code)
		}
	}
	if code, out, errOut := try(t, "data", "fetch", "irish", "iris", "--to", dir); code != 1 || out != "" ||
		!strings.Contains(errOut, "irish") {
		t.Errorf("status %d, %s%s", code, out, errOut)
	}
}

// The list shows the locations of the sets.
func TestDataPresent(t *testing.T) {
	t.Setenv("MPCVM_DATA", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	out, _ := good(t, "data", "list")
	if !strings.Contains(out, "embedded") || !strings.Contains(out, "no (not fetched)") ||
		!strings.Contains(out, "vowel-context.data") {
		t.Errorf("%s", out)
	}
	path := filepath.Join(os.Getenv("MPCVM_DATA"), "heart.csv")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _ = good(t, "data", "list"); !strings.Contains(out, path) {
		t.Errorf("%s", out)
	}
}
