package main

import (
	"bytes"
	"context"
	"errors"
	"html"
	"path/filepath"
	"strings"

	"github.com/mpcvm/mpcvm/mpcvm/search"
	"github.com/mpcvm/mpcvm/nbhelpers"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/report"
)

// sampleCommand is the command that makes the sample report.
const sampleCommand = "mpcvm fit penguins.csv --drop 'Sample Number,Date Egg,Comments' " +
	"--id 'Individual ID' --report report.html"

// sampleReport writes the report of sampleCommand to report.html. It is the same for each build, because it
// contains neither dates nor durations.
func sampleReport(ctx context.Context, out string) (err error) {
	defer caught(&err)
	birds := checked(tables.Open("data/penguins.csv",
		tables.Options{Drop: []string{"Sample Number", "Date Egg", "Comments"}, ID: []string{"Individual ID"}}))
	const seed = 1 // the command's default
	learner := search.Auto{Seed: seed}
	model, result, err := tables.Fit(ctx, birds, "", learner)
	check(err)
	result.Seconds = 0
	for i := range result.Trials {
		result.Trials[i].Seconds = 0
	}
	for i := range result.Trace {
		result.Trace[i].Elapsed = 0
	}
	figures := checked(eval.Evaluate(ctx, birds, model,
		eval.EvaluateOptions{Options: eval.Options{Folds: 5, Seed: seed}, Learner: learner, Result: result}))
	figures.Set = "penguins"
	document := checked(report.Full(ctx, figures, report.Options{}))
	var b bytes.Buffer
	check(nbhelpers.WritePage(&b, "mPCVM on penguins", document.Page()))
	lead := "</h1>\n<p>This is a sample report of <a href=\"index.html\">mPCVM</a>. The command <code>" +
		html.EscapeString(sampleCommand) +
		"</code> makes it from a <a href=\"docs/data-sources.html\">table of 344 penguins</a> in its " +
		"published form. Under “Change a row” you can choose a bird, change its measurements and watch the " +
		"probabilities change.</p>\n"
	text := strings.Replace(b.String(), "</h1>", lead, 1)
	text = strings.Replace(text, "<title>",
		"<meta name=\"description\" content=\"A sample report of mPCVM on a table of 344 penguins.\"><title>", 1)
	if !strings.Contains(text, lead) {
		return errors.New("report.html has no heading")
	}
	writeFile(filepath.Join(out, "report.html"), []byte(text))
	return nil
}
