package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpcvm/mpcvm/internal/studyfile"
)

func studyExportCommand() *cobra.Command {
	o := &studyOptions{}
	cmd := &cobra.Command{
		Use: "export", Short: "write a study and its data as one file, for other engines",
		Example: "  mpcvm study export --data iris,wine --systems mpcvm2,svm --out study.json",
		Args:    arguments(0, 0, ""), RunE: task(o.export),
	}
	o.flags(cmd)
	section(cmd, "Output", func(f *pflag.FlagSet) { f.StringVar(&o.out, "out", "", "write the study to `FILE`, as JSON; required") })
	return cmd
}

// export writes the study and its data as one file.
func (o *studyOptions) export(ctx context.Context, out, _ io.Writer) error {
	s, err := o.study(ctx)
	if err != nil {
		return err
	}
	if err := checkOutputs(nil, []file{{"--out", o.out}}); err != nil {
		return err
	}
	runs, err := s.Plan("") // checks the study
	if err != nil {
		return err
	}
	if err := writeFile(o.out, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(studyfile.New(s, o.thetas, o.tune != "none"))
	}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "a study of %d runs: %s\n", len(runs), o.out)
	return err
}
