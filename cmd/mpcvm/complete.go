package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mpcvm/mpcvm/tables"
)

// mostCompleted is the maximum size of a file whose classes the shell completes, in bytes.
const mostCompleted = 8 << 20

// choices lets the shell complete the values of a flag.
func choices(cmd *cobra.Command, flag string, values ...string) {
	complete(cmd, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

func complete(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err) // the flag does not exist
	}
}

// values returns the values that a flag can have on a command line with arguments.
type values func(cmd *cobra.Command, args []string) []string

// among lets the shell complete a value of a flag, or the last of several separated by commas.
func among(cmd *cobra.Command, flag string, separated bool, list values) {
	directive := cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	if separated {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	complete(cmd, flag, func(cmd *cobra.Command, args []string, text string) (found []cobra.Completion,
		_ cobra.ShellCompDirective) {
		before := ""
		if separated {
			before = text[:strings.LastIndexByte(text, ',')+1]
		}
		for _, value := range list(cmd, args) {
			quoted := separated && strings.ContainsAny(value, `,"`) // the value would need quotes
			if !quoted && strings.HasPrefix(before+value, text) {
				found = append(found, before+value)
			}
		}
		return found, directive
	})
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
	pairs, classes := each(r.columns, "="), each(r.classes, "=")
	for flag, list := range map[string]values{"target": r.columns, "group": r.columns, "time": r.columns,
		"weight": r.columns, "drop": r.columns, "id": r.columns, "kind": pairs, "rename": pairs, "without": ofModel,
		"class-weights": classes, "merge-labels": classes, "recall": classes,
		"keep": func(cmd *cobra.Command, args []string) []string { return append(r.columns(cmd, args), "all") },
		"costs": func(cmd *cobra.Command, args []string) []string {
			names, costs := classPairs(r.classes(cmd, args)), []string(nil)
			for _, pair := range names {
				if pair.truth != pair.decision {
					costs = append(costs, pair.String()+"=")
				}
			}
			return costs
		}} {
		if f := cmd.Flags().Lookup(flag); f != nil {
			among(cmd, flag, f.Value.Type() == "stringSlice" || f.Value.Type() == "func" && flag != "kind" ||
				flag == "costs", list)
		}
	}
}

// each appends a text to each value.
func each(list values, after string) values {
	return func(cmd *cobra.Command, args []string) (all []string) {
		for _, name := range list(cmd, args) {
			all = append(all, name+after)
		}
		return all
	}
}

func ofModel(cmd *cobra.Command, _ []string) (names []string) {
	if m := modelOf(cmd); m != nil {
		for _, c := range m.RowRecipe().Columns {
			names = append(names, c.Name)
		}
	}
	return names
}

// columns returns the names of the columns of FILE, read according to the flags, or nil if it cannot be read.
func (r *reading) columns(cmd *cobra.Command, args []string) []string {
	f, err := os.Open(append(args, r.path)[0])
	if err != nil {
		return nil
	}
	defer f.Close()
	o := r.options
	o.Lenient, o.Drop, o.ID, o.Kinds, o.Group, o.Time, o.Weight = true, nil, nil, nil, "", "", ""
	in, err := tables.NewReader(cmd.Context(), f, f.Name(), o)
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
	path, o := append(args, r.path)[0], r.options
	if info, err := os.Stat(path); err != nil || info.Size() > mostCompleted {
		return nil
	}
	o.Lenient = true
	t, err := openTable(cmd.Context(), path, o)
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
	m, _ := tables.LoadFile(path)
	return m
}
