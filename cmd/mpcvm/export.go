package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpcvm/mpcvm/tables/export"
)

type exportOptions struct{ model, to, out string }

func exportCommand() *cobra.Command {
	o := &exportOptions{}
	cmd := &cobra.Command{
		Use: "export", SuggestFor: []string{"convert"}, Short: "write a model as an ONNX or JavaScript file",
		Long: `Write a model as a file for use in other programs.

An ONNX file runs in the ONNX runtime, which is available for most languages.
Each column is an input of N×1 cells: float64 for numbers, with NaN for missing
cells; float64 seconds since 1970 for dates; text for all others, with "" for
missing cells. The outputs are the label (N), which is -1 for a row that cannot
be used, and the probabilities (N×C). The metadata contains the names of inputs,
features and classes as JSON. A model of a matrix has one input, features (N×D).

A JavaScript file does not need a library. It takes raw rows, prepares them like
the model and returns the same probabilities within 1e-12. A comment at its top
explains its use. docs/predict.py does the same in Python, directly from the
model file.`,
		Example: `  mpcvm export --model m.json --to javascript --out model.mjs
  mpcvm export --model m.json --to onnx --out model.onnx`,
		Args: arguments(0, 0, ""),
		RunE: task(o.run),
	}
	languages := export.Languages()
	section(cmd, "Flags", func(f *pflag.FlagSet) {
		f.StringVar(&o.model, "model", "", "the model `FILE`; required")
		f.StringVar(&o.to, "to", "", "the `FORMAT`: "+strings.Join(languages, ", ")+"; required")
		f.StringVar(&o.out, "out", "", "write to `FILE` instead of standard output")
	})
	choices(cmd, "to", languages...)
	return cmd
}

func (o *exportOptions) run(ctx context.Context, out, _ io.Writer) error {
	if err := needed("--model", o.model, "--to", o.to); err != nil {
		return err
	}
	if err := checkOutputs([]file{{"--model", o.model}}, []file{{"--out", o.out}}); err != nil {
		return err
	}
	m, err := loadModel(ctx, o.model)
	if err != nil {
		return err
	}
	text, err := waiting(ctx, func() (*bytes.Buffer, error) {
		text := new(bytes.Buffer)
		return text, export.Write(text, m, o.to)
	})
	switch {
	case o.to == "go":
		return misuse{errors.New("--to: a Go program does not need an export; read the model file with " +
			"tables.LoadFile")}
	case errors.Is(err, export.ErrLanguage):
		return oneOf("--to", o.to, export.Languages())
	case err != nil:
		return named(o.model, err)
	}
	if o.out == "" {
		_, err = text.WriteTo(out)
		return err
	}
	return writeText(o.out, text)
}
