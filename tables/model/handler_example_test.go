package model_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/model"
	"github.com/mpcvm/mpcvm/tables/recipe"
	"github.com/mpcvm/mpcvm/tables/table"
)

// Handler serves the predictions of a model over HTTP. The body of a request is a row: a JSON object with
// the cells by column name. The response has the class, the probability of each class, and what the model
// cannot know: whether the row is unlike all training rows, the columns beyond their range, and new levels.
// If the object lacks columns of the model, the response lists them as missing; null marks a missing cell
// explicitly. If the row cannot be predicted, the response is 400 with the reason. Like a Model, a Handler
// is safe for concurrent use.
type Handler struct{ Model *model.Model }

func (h Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20))
	dec.UseNumber() // keeps every digit
	var row map[string]any
	if err := dec.Decode(&row); err != nil {
		http.Error(w, "the body is not a JSON object: "+err.Error(), http.StatusBadRequest)
		return
	}
	p, err := h.Model.PredictRow(row)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(map[string]any{"class": p.Class, "proba": p.ByClass(),
		"missing": p.Missing, "unlike": p.Unlike, "beyond": p.Beyond, "new_levels": p.NewLevels}); err != nil {
		log.Print(err)
	}
}

// penguins has 12 birds. The mass is in grams.
func penguins() *table.Table {
	return newTable(
		numberColumn("mass", 3700, 3800, 3250, 3450, 3650, 3625, 4500, 5700, 4450, 5700, 5400, 4550),
		textColumn("island", table.Category, "Dream", "Dream", "Dream", "Dream", "Dream", "", "Biscoe", "Biscoe",
			"Biscoe", "Biscoe", "Biscoe", "Biscoe"),
		textColumn("species", table.Category, "Adelie", "Adelie", "Adelie", "Adelie", "Adelie", "Adelie", "Gentoo",
			"Gentoo", "Gentoo", "Gentoo", "Gentoo", "Gentoo"),
	)
}

// A service that responds to a row with its class and probabilities, or with an error.
func ExampleHandler() {
	model, _, err := model.Fit(context.Background(), penguins(), "species",
		search.Width{Learner: mpcvm.TopDown{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(Handler{model}) // or http.ListenAndServe("localhost:8080", Handler{model})
	defer server.Close()
	for _, row := range []string{`{"mass": 3500, "island": "Dream"}`, `{"mass": 1e9, "island": "Atlantis"}`,
		`{"mass": 3500, "island": null}`, `{"mass": 3500}`, `{"mass": "heavy"}`, `{"weight": 3500}`, `[3500]`} {
		response, err := http.Post(server.URL, "application/json", strings.NewReader(row))
		if err != nil {
			fmt.Println(err)
			return
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			fmt.Println(err)
			return
		}
		if response.StatusCode != http.StatusOK {
			fmt.Print(response.StatusCode, " ", string(body))
			continue
		}
		var answer struct {
			Class   string
			Proba   map[string]float64
			Missing []string
			Unlike  bool
			recipe.Novelty
		}
		if err := json.Unmarshal(body, &answer); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(response.StatusCode, answer.Class, answer.Proba["Adelie"] > 0.9, answer.Missing, answer.Unlike,
			answer.Beyond, answer.NewLevels)
	}
	// Output:
	// 200 Adelie true [] false [] map[]
	// 200 Adelie false [] true [mass] map[island:Atlantis]
	// 200 Adelie true [] false [] map[]
	// 200 Adelie true [island] false [] map[]
	// 400 tables: column "mass": a number is expected, not "heavy"
	// 400 tables: column "weight": no such column; there are "mass", "island"
	// 400 the body is not a JSON object: json: cannot unmarshal array into Go value of type map[string]interface {}
}

// Train a model on a raw file, save it and predict a raw row.
func ExampleFit() {
	table, err := tables.Open("../../data/penguins.csv",
		tables.Options{Drop: []string{"Sample Number", "Individual ID", "Comments"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	model, _, err := model.Fit(context.Background(), table, "Species", search.Width{Learner: mpcvm.BottomUp{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := model.Save(io.Discard); err != nil { // or model.SaveFile("penguins.json")
		fmt.Println(err)
		return
	}
	p, err := model.PredictRow(map[string]any{
		"Island": "Biscoe", "Culmen Length (mm)": 46.1, "Culmen Depth (mm)": 13.2, "Flipper Length (mm)": 211,
		"Sex": "FEMALE",
	})
	fmt.Println(p.Class, err)
	fmt.Println("taken as missing:", p.Missing)
	// Output:
	// Gentoo penguin (Pygoscelis papua) <nil>
	// taken as missing: [studyName Clutch Completion Date Egg Body Mass (g) Delta 15 N (o/oo) Delta 13 C (o/oo)]
}
