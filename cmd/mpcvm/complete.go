package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mpcvm/mpcvm/tables"
)

// mostCompleted is the maximum size of a file whose classes the shell completes, in bytes.
const mostCompleted = 8 << 20

// among lets the shell complete a value of a flag, or the last of several values separated by commas, from a
// list. If the list is empty, nothing is completed.
func among(cmd *cobra.Command, flag string, separated bool, list func(cmd *cobra.Command,
	args []string) []string) {
	complete := func(cmd *cobra.Command, args []string, text string) ([]cobra.Completion,
		cobra.ShellCompDirective) {
		before := ""
		if separated {
			before = text[:strings.LastIndexByte(text, ',')+1]
		}
		var found []cobra.Completion
		for _, value := range list(cmd, args) {
			if separated && strings.ContainsAny(value, `,"`) { // the value would need quotes
				continue
			}
			if strings.HasPrefix(before+value, text) {
				found = append(found, before+value)
			}
		}
		directive := cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		if separated {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		return found, directive
	}
	if cmd.Flags().Lookup(flag) == nil {
		return
	}
	if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err)
	}
}

// completions lets the shell complete columns of FILE, classes and file names.
func (r *reading) completions(cmd *cobra.Command) {
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion,
		cobra.ShellCompDirective) {
		if len(args) > 0 || r.path != "" {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
	for _, flag := range []string{"target", "group", "time", "weight"} {
		among(cmd, flag, false, r.columns)
	}
	for _, flag := range []string{"drop", "id"} {
		among(cmd, flag, true, r.columns)
	}
	among(cmd, "keep", true, func(cmd *cobra.Command, args []string) []string {
		return append(r.columns(cmd, args), "all")
	})
	for _, flag := range []string{"kind", "rename"} {
		among(cmd, flag, flag == "rename", func(cmd *cobra.Command, args []string) []string {
			return each(r.columns(cmd, args), "=")
		})
	}
	among(cmd, "without", true, func(cmd *cobra.Command, _ []string) []string {
		var names []string
		if m := modelOf(cmd); m != nil {
			for _, c := range m.RowRecipe().Columns {
				names = append(names, c.Name)
			}
		}
		return names
	})
	for _, flag := range []string{"class-weights", "merge-labels", "recall"} {
		among(cmd, flag, true, func(cmd *cobra.Command, args []string) []string {
			return each(r.classes(cmd, args), "=")
		})
	}
	among(cmd, "costs", true, func(cmd *cobra.Command, args []string) []string {
		var pairs []string
		classes := r.classes(cmd, args)
		for _, truth := range classes {
			for _, decision := range classes {
				if truth != decision {
					pairs = append(pairs, truth+":"+decision+"=")
				}
			}
		}
		return pairs
	})
}

// each appends a text to each name.
func each(names []string, after string) []string {
	for i := range names {
		names[i] += after
	}
	return names
}

// named opens the FILE of a command line for completion.
func (r *reading) named(args []string) (*os.File, error) {
	if len(args) > 0 {
		r.path = args[0]
	}
	return os.Open(r.path)
}

// columns returns the names of the columns of FILE, read according to the flags, or nil if it cannot be read.
func (r *reading) columns(cmd *cobra.Command, args []string) []string {
	f, err := r.named(args)
	if err != nil {
		return nil
	}
	defer f.Close()
	o := r.options
	o.Lenient, o.Drop, o.ID, o.Kinds, o.Group, o.Time, o.Weight = true, nil, nil, nil, "", "", ""
	in, err := tables.NewReader(cmd.Context(), f, r.path, o)
	if err != nil {
		return nil
	}
	return in.Names()
}

// classes returns the names of the classes of the model or, if FILE is not large, of FILE.
func (r *reading) classes(cmd *cobra.Command, args []string) []string {
	if m := modelOf(cmd); m != nil && cmd.Name() == "predict" {
		return m.ClassNames()
	}
	f, err := r.named(args)
	if err != nil {
		return nil
	}
	f.Close()
	if info, err := os.Stat(r.path); err != nil || info.Size() > mostCompleted {
		return nil
	}
	o := r.options
	o.Lenient = true
	t, err := openTable(cmd.Context(), r.path, o)
	if err != nil {
		return nil
	}
	target, _ := cmd.Flags().GetString("target")
	column, _, err := t.Target(target)
	if err != nil {
		return nil
	}
	_, classes := t.Labels(column)
	return classes
}

// modelOf returns the model given by --model, or nil if it cannot be read.
func modelOf(cmd *cobra.Command) *tables.Model {
	path, _ := cmd.Flags().GetString("model")
	m, err := tables.LoadFile(path)
	if err != nil {
		return nil
	}
	return m
}
