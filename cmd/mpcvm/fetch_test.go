package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// nowhere is a network without servers.
type nowhere struct{}

func (nowhere) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no server")
}

// Sets that are fetched are printed, also if another one fails.
func TestDataFetch(t *testing.T) {
	fetchClient = &http.Client{Transport: nowhere{}}
	t.Cleanup(func() { fetchClient = nil })
	dir := filepath.Join(t.TempDir(), "sets")
	code, out, errOut := try(t, "data", "fetch", "iris", "leaves", "--to", dir)
	if code != 1 || !strings.Contains(out, "iris: embedded, written") || strings.Count(errOut, "leaves-") != 3 ||
		!strings.Contains(errOut, "no server") {
		t.Errorf("status %d, %s%s", code, out, errOut)
	}
	out, _ = good(t, "data", "fetch", "iris", "--to", dir, "--json")
	var all struct{ Sets []map[string]any }
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all.Sets) != 1 ||
		all.Sets[0]["already"] != true {
		t.Errorf("%v: %s", err, out)
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
	must.OK(t, os.WriteFile(path, nil, 0o600))
	if out, _ = good(t, "data", "list"); !strings.Contains(out, path) {
		t.Errorf("%s", out)
	}
}
