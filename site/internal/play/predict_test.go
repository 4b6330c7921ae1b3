package play_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mpcvm/mpcvm/site/internal/play"
)

// asked returns the last answer of the playground's engine to a request.
func asked(t *testing.T, e *play.Engine, q play.Request) (answer struct {
	Plane struct {
		Points  []play.Point
		Classes []string
		From    *play.Origin
	}
	Steps []struct{ Errors int }
	Text  string
}) {
	t.Helper()
	if err := e.Do(t.Context(), q, func(r play.Reply) {
		text, err := json.Marshal(r.Value)
		if err == nil && q.Op == "axes" {
			text = append(append([]byte(`{"plane":`), text...), '}')
		}
		if err == nil {
			err = json.Unmarshal(text, &answer)
		}
		if err != nil {
			t.Fatal(err)
		}
	}); err != nil {
		t.Fatal(err)
	}
	return answer
}

// TestPredict checks that the command predicts a file with a model that the playground exported for two of
// its columns, with as many errors as the page shows.
func TestPredict(t *testing.T) {
	command := filepath.Join(t.TempDir(), "mpcvm")
	if out, err := exec.Command("go", "build", "-o", command,
		"github.com/mpcvm/mpcvm/cmd/mpcvm").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// more rows and classes than the page shows, decimal commas, missing cells
	many := "row;größe;Gewicht (kg);sort\n"
	for i := range 1200 {
		many += fmt.Sprintf("r%d;%d,%d5;%s;%d\n", i, i%10, i%7, []string{"10", "20,5", "", "35"}[i%4],
			[]int{1, 2, 1000000}[i%3]+10*(i%11))
	}
	penguins, err := os.ReadFile("../../../data/penguins.csv")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		content      []byte
		x, y, target string
		rows         int
		unusable     int  // rows without a value in both columns
		all          bool // whether the page shows all other rows
	}{
		"penguins.csv": {penguins, "Culmen Length (mm)", "Body Mass (g)", "Species", 344, 2, true},
		"many.csv":     {[]byte(many), "größe", "Gewicht (kg)", "sort", 1200, 0, false},
	} {
		e := &play.Engine{}
		asked(t, e, play.Request{Op: "read", Name: name, Bytes: c.content})
		plane := asked(t, e, play.Request{Op: "axes", X: c.x, Y: c.y, Target: c.target}).Plane
		fit := asked(t, e, play.Request{Op: "fit", Setup: play.Setup{Learner: "mpcvm2", Kernel: "rbf", Theta: 1},
			Points: plane.Points})
		model := filepath.Join(t.TempDir(), "model.json")
		if err := os.WriteFile(model, []byte(asked(t, e, play.Request{Op: "model", From: plane.From}).Text),
			0o600); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, c.content, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(command, "predict", path, "--model", model, "--keep", "all").Output() //nolint:gosec // built above
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		rows, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
		if err != nil || len(rows) != c.rows+1 {
			t.Fatalf("%s: %d rows: %v", name, len(rows), err)
		}
		target, class := slices.Index(rows[0], c.target), slices.Index(rows[0], "class")
		wrong, unusable := 0, 0
		for i, row := range rows[1:] {
			switch {
			case row[class] == "":
				unusable++
			case !slices.Contains(plane.Classes, row[class]):
				t.Errorf("%s, row %d: class %q, want one of %q", name, i+1, row[class], plane.Classes)
			case row[target] != row[class]:
				wrong++
			}
		}
		if page := fit.Steps[len(fit.Steps)-1].Errors; unusable != c.unusable || c.all && wrong != page {
			t.Errorf("%s: %d rows unusable, want %d; %d errors, on the page %d", name, unusable, c.unusable, wrong,
				page)
		}
	}
}
