package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpcvm/mpcvm/internal/tabular"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/table"
)

func init() { cobra.EnableCommandSorting = false } // help lists the verbs in the order of use

// newRoot returns the command with all verbs. Each verb has a file with a function that returns it; its flags
// set the fields of an options struct, whose method run does the work.
func newRoot(out, errOut io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use: "mpcvm VERB, mpcvm help VERB or mpcvm --version", Version: mpcvm.Version(),
		Short:         "classification with calibrated probabilities and sparse kernel models",
		Example:       "  mpcvm fit flowers.csv --model m.json --report m.html",
		SilenceErrors: true, SilenceUsage: true,
	}
	root.SetOut(out)
	root.SetErr(errOut)
	root.SetFlagErrorFunc(flagError)
	root.SetUsageTemplate(helpTemplate)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { fmt.Fprint(cmd.OutOrStdout(), cmd.UsageString()) })
	root.SetVersionTemplate("mpcvm {{.Version}}\n")
	section(root, "Flags", func(f *pflag.FlagSet) { f.Bool("version", false, "print the version") })
	verbs(root, lookCommand(), fitCommand(), showModelCommand(), predictCommand(), explainCommand(),
		compareCommand(), exportCommand(), demoCommand(), dataCommand())
	for _, t := range topics {
		root.AddCommand(t.command())
	}
	root.SetHelpCommand(helpCommand())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			verbs(cmd)
			cmd.Use, cmd.Short = "completion SHELL", "print a script that completes verbs, flags and columns"
			for _, shell := range cmd.Commands() {
				shell.Args = arguments(0, 0, "")
			}
		}
	}
	return root
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [VERB]", Short: "show the help of a verb or a topic", Example: "  mpcvm help reading",
		Hidden: true, DisableFlagsInUseLine: true,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, text string) ([]cobra.Completion,
			cobra.ShellCompDirective) {
			of, _, _ := cmd.Root().Find(args)
			return slices.DeleteFunc(names(of), func(name string) bool { return !strings.HasPrefix(name, text) }),
				cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			verb, rest, _ := cmd.Root().Find(args) // fails only for a root that takes arguments
			if len(rest) > 0 {
				return unknownVerb(verb, rest)
			}
			return verb.Help()
		},
	}
}

// errNoVerb is the error of a command that was called without a verb and showed its help.
var errNoVerb = errors.New("missing verb")

// verbs adds verbs to cmd, which then requires one.
func verbs(cmd *cobra.Command, list ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(list...)
	cmd.DisableFlagsInUseLine = true
	cmd.Args = unknownVerb
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		fmt.Fprint(cmd.ErrOrStderr(), cmd.UsageString())
		return errNoVerb
	}
	return cmd
}

func unknownVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	like := didYouMean(args[0], "", append(names(cmd), "--version"))
	if exists(args[0]) {
		like = fmt.Sprintf(", which is a file; did you mean %s look %s?", cmd.CommandPath(), words.Shell(args[0]))
	}
	for _, verb := range cmd.Commands() {
		if slices.Contains(verb.SuggestFor, args[0]) {
			like = "; did you mean " + verb.Name() + "?"
		}
	}
	return misuse{fmt.Errorf("unknown verb %q%s", args[0], like)}
}

// names returns the names of the verbs and topics of a command.
func names(cmd *cobra.Command) []string {
	var list []string
	for _, verb := range cmd.Commands() {
		if verb.IsAvailableCommand() || verb.IsAdditionalHelpTopicCommand() {
			list = append(list, verb.Name())
		}
	}
	return list
}

// task adapts f to the type of cobra.Command.RunE.
func task(f func(ctx context.Context, out, errOut io.Writer) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) (err error) {
		cmd.Flags().Visit(func(f *pflag.Flag) {
			what, _ := pflag.UnquoteUsage(f)
			if (what == "COLUMN" || what == "FILE") && f.Value.String() == "" {
				err = misuse{fmt.Errorf("--%s needs a value", f.Name)}
			}
		})
		if err != nil {
			return err
		}
		return f(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
	}
}

// arguments returns a check for between least and most arguments. Errors call them by name.
func arguments(least, most int, name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > most && exists(args[most]) && cmd.Flags().Lookup("model") != nil:
			one := strings.Repeat("one FILE, and ", most)
			return misuse{fmt.Errorf("unknown argument %q; give %sthe model with --model", args[most], one)}
		case len(args) < least:
			return misuse{fmt.Errorf("missing argument %s", name)}
		case len(args) > most:
			return misuse{fmt.Errorf("unknown argument %q", args[most])}
		}
		return nil
	}
}

// needed returns an error for the first flag without a value; flags alternates names and values.
func needed(flags ...string) error {
	for i := 0; i < len(flags); i += 2 {
		if flags[i+1] == "" {
			return misuse{fmt.Errorf("missing flag %s", flags[i])}
		}
	}
	return nil
}

// reading is a file of samples with the options for reading it.
type reading struct {
	file
	others  []string // further files with the same columns
	options tables.Options
	piped   []byte                 // standard input, once it is read
	given   func(flag string) bool // whether a flag is used
}

// readingFlags is like formatFlags, with additional flags for columns and rows.
func readingFlags(cmd *cobra.Command) *reading {
	r := formatFlags(cmd)
	o := &r.options
	section(cmd, theColumns, func(f *pflag.FlagSet) {
		f.StringSliceVar(&o.Drop, "drop", nil, "omit these `COLUMNS`")
		f.StringSliceVar(&o.ID, "id", nil, "the `COLUMNS` that identify a row; they are not features")
		f.Func("kind", "the kind of a column, `COLUMN=KIND`: number, category, boolean, "+
			"date, id or text; can be repeated", r.setKind)
		f.StringVar(&o.Ragged, "ragged", "", "`drop` rows with too few or too many cells, or pad them; "+
			"by default they are an error")
		f.StringVar(&o.Limits, "limits", "", "read numbers such as <0.5 as `half` the limit (half), as the limit "+
			"(limit) or as missing (missing); by default they are an error")
	})
	choices(cmd, "ragged", "drop", "pad")
	choices(cmd, "limits", "half", "limit", "missing")
	return r
}

// formatFlags adds the argument FILE to a verb, with flags for its format. The verb must not set Args itself.
func formatFlags(cmd *cobra.Command) *reading {
	r := &reading{file: file{flag: "--data"}, given: cmd.Flags().Changed}
	o := &r.options
	section(cmd, theFile, func(f *pflag.FlagSet) {
		f.StringVar(&r.path, "data", "", "read `FILE`; the same as the argument FILE")
		f.StringVar(&o.Separator, "separator", "", "the `MARK` between cells: comma, semicolon, tab, pipe, "+
			"blanks or one character")
		f.StringVar(&o.Quote, "quote", "", "the `MARK` around cells: \", ' or none")
		f.StringVar(&o.Escape, "escape", "", "the `WAY` to write a quote within quotes: doubled, backslash "+
			"or none")
		f.StringVar(&o.Encoding, "encoding", "", "the `NAME` of the encoding: utf-8, utf-16le, latin-1, or "+
			"another such as gbk, shift_jis, windows-1251")
		f.StringVar(&o.Header, "header", "", "`yes` if the first record names the columns, or none")
		f.StringVar(&o.Comment, "comment", "", "the `PREFIX` of comment lines, or none")
		f.IntVar(&o.Skip, "skip", 0, "skip the first `N` lines")
		f.StringVar(&o.Sheet, "sheet", "", "the `NAME` of the sheet of an .xlsx file")
	})
	section(cmd, theCells, func(f *pflag.FlagSet) {
		f.StringVar(&o.Decimal, "decimal", "", "the decimal `MARK`: . or ,")
		f.StringVar(&o.Thousands, "thousands", "", "the thousands `MARK`: , . ' space or none")
		f.StringSliceVar(&o.Missing, "na", nil,
			"additional `TEXTS` that mean a missing value, such as none,-999;\n"+
				"not:NA keeps NA as a value")
	})
	for flag, values := range map[string][]string{
		"separator": {"comma", "semicolon", "tab", "pipe", "blanks"}, "decimal": {".", ","}, "thousands": {",", ".",
			"'", "space", "none"},
		"quote": {`"`, "'", "none"}, "escape": {"doubled", "backslash", "none"}, "encoding": {"utf-8", "utf-16le",
			"utf-16be", "latin-1", "gbk", "big5", "shift_jis", "euc-kr", "windows-1250", "windows-1251", "koi8-r",
			"macintosh"},
		"header": {"yes", "none"},
	} {
		choices(cmd, flag, values...)
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := tables.CheckOptions(r.options); err != nil {
			return misuse{err}
		}
		switch {
		case len(args) == 0 && r.path == "":
			return misuse{errors.New("missing argument FILE, or --data FILE")}
		case len(args) > 0 && r.path != "":
			return misuse{fmt.Errorf("unknown argument %q: --data already names the file", args[0])}
		case len(args) == 0:
			return nil
		case len(args) == 1 && !exists(args[0]): // cmd.exe leaves patterns to programs
			if found, _ := filepath.Glob(args[0]); found != nil {
				args = found
			} else if strings.ContainsAny(args[0], "*?") {
				return misuse{fmt.Errorf("no file matches %s", args[0])}
			}
		}
		for _, arg := range args {
			if flag := strings.TrimLeft(arg, "–—−-"); flag != arg && arg != standardInput && !exists(arg) {
				return misuse{fmt.Errorf("%s: a flag begins with two hyphens, --%s", arg, flag)}
			}
		}
		r.file = file{"FILE", args[0]}
		if !strings.Contains(cmd.Use, "FILE...") {
			return arguments(0, 1, "")(cmd, args)
		}
		for i, path := range args[1:] {
			if slices.ContainsFunc(args[:i+1], func(other string) bool { return same(path, other) }) ||
				path == standardInput || args[0] == standardInput {
				return misuse{fmt.Errorf("%s: a second FILE must not be standard input or one of the other files", path)}
			}
			r.others = append(r.others, path)
		}
		return nil
	}
	return r
}

func targetFlag(f *pflag.FlagSet, target *string) {
	f.StringVar(target, "target", "", "the class `COLUMN` (default: found by name, or the last)")
}

// precisionFlag adds the flag for the decimals of printed scores.
func precisionFlag(f *pflag.FlagSet) {
	tabular.SetDecimals(tabular.DefaultDecimals)
	usage := fmt.Sprintf("print log loss and AUC with `N` decimals (default %d)", tabular.DefaultDecimals)
	f.Func("precision", usage, func(text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n < 2 || n > 15 {
			return errors.New("not a whole number from 2 to 15")
		}
		tabular.SetDecimals(n)
		return nil
	})
}

// allOr returns the function of a flag that sets n to a whole number, or to −1 for all.
func allOr(n *int, least int) func(text string) error {
	return func(text string) error {
		v, err := strconv.Atoi(text)
		switch {
		case text == "all":
			v = -1
		case err != nil || v < least:
			return fmt.Errorf("not \"all\" or a whole number of at least %d", least)
		}
		*n = v
		return nil
	}
}

func (r *reading) groupFlag(f *pflag.FlagSet) {
	f.StringVar(&r.options.Group, "group", "", "keep rows with equal values of `COLUMN` in the same fold")
}

func (r *reading) timeFlag(f *pflag.FlagSet) {
	f.StringVar(&r.options.Time, "time", "", "train on earlier rows and evaluate on later ones, ordered by "+
		"`COLUMN`. Like the column of --group, it is not a feature unless --kind names it")
}

// checkFolds returns an error if both --group and --time are given.
func (r *reading) checkFolds() error {
	if r.options.Group != "" && r.options.Time != "" {
		return misuse{errors.New("--group and --time cannot be used together, because they define different folds")}
	}
	return nil
}

func (r *reading) setKind(text string) error {
	i := strings.LastIndexByte(text, '=')
	kind, err := table.ParseKind(text[i+1:])
	if f, _ := errors.AsType[table.Finding](err); i <= 0 || err != nil {
		return errors.New("not COLUMN=KIND with a kind of number, category, boolean, date, id or text" +
			didYouMean(text[i+1:], "", f.Texts))
	}
	if r.options.Kinds == nil {
		r.options.Kinds = map[string]table.Kind{}
	}
	r.options.Kinds[text[:i]] = kind
	return nil
}

// pairs are the values of a flag with pairs A=B, separated by commas. A pair with a comma is in double quotes.
type pairs []string

func (p *pairs) Set(text string) error {
	list, err := splitPairs(text)
	for _, pair := range list {
		if i := strings.IndexByte(pair, '='); err == nil && (i < 0 || i == len(pair)-1) {
			err = fmt.Errorf("%q is not a pair A=B; put a pair with a comma in double quotes, as in '\"a,b=c\"'", pair)
		}
	}
	*p = append(*p, list...)
	return err
}

func splitPairs(text string) ([]string, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.LazyQuotes = true
	list, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("%q is not a list of pairs: %w", text, err)
	}
	return list, nil
}

// numbers splits pairs whose second part is a number; the first may contain the mark =.
func (p pairs) numbers() map[string]string { return p.split(strings.LastIndexByte) }

// of splits pairs after the longest of the names that begins the pair, if any.
func (p pairs) of(names []string) map[string]string {
	return p.split(func(pair string, mark byte) int {
		at := strings.IndexByte(pair, mark)
		for _, name := range names {
			if len(name) > at && strings.HasPrefix(pair, name+string(mark)) {
				at = len(name)
			}
		}
		return at
	})
}

// to splits pairs before the longest of the names that ends the pair, if any.
func (p pairs) to(names []string) map[string]string {
	return p.split(func(pair string, mark byte) int {
		at := strings.LastIndexByte(pair, mark)
		for _, name := range names {
			if before := len(pair) - len(name) - 1; before < at && strings.HasSuffix(pair, string(mark)+name) {
				at = before
			}
		}
		return at
	})
}

func (p pairs) split(index func(pair string, mark byte) int) map[string]string {
	m := map[string]string{}
	for _, pair := range p {
		at := index(pair, '=')
		m[strings.TrimSpace(pair[:at])] = strings.TrimSpace(pair[at+1:])
	}
	return m
}

// wanted describes the values of a type of flag.
var wanted = map[string]string{
	"bool": "true or false", "int": "a whole number", "uint64": "a whole number of at least 0",
	"float64":  "a number",
	"duration": "a time such as 90s or 1m30s",
}

// synonyms are the flags for names that other programs use.
var synonyms = map[string]string{"class": "target", "label": "target", "delimiter": "separator", "exclude": "drop",
	"ignore": "drop", "output": "out", "save": "model", "folds": "cv"}

func flagError(cmd *cobra.Command, err error) error {
	if help, _ := cmd.Flags().GetBool("help"); help {
		return pflag.ErrHelp // --help, or -help as package flag allows
	}
	if cmd.HasSubCommands() && cmd.Flags().NArg() > 0 { // their flags are also unknown
		return unknownVerb(cmd, cmd.Flags().Args())
	}
	var (
		unknown *pflag.NotExistError
		bad     *pflag.InvalidValueError
		missing *pflag.ValueRequiredError
	)
	switch {
	case errors.As(err, &unknown):
		one := unknown.GetSpecifiedShortnames()
		name, _, _ := strings.Cut(cmp.Or(one, unknown.GetSpecifiedName()), "=")
		if one != "" && cmd.Flags().Lookup(name) != nil {
			return misuse{fmt.Errorf("unknown flag -%s: flags have two dashes, --%s", name, name)}
		}
		if len(name) == 1 {
			return misuse{fmt.Errorf("unknown flag -%s: flags have two dashes and no short forms", name)}
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		like := didYouMean(name, "--", names)
		if other := synonyms[name]; cmd.Flags().Lookup(other) != nil {
			like = "; did you mean --" + other + "?"
		}
		for _, verb := range cmd.Root().Commands() {
			if like == "" && verb.Flags().Lookup(name) != nil {
				like = "; it is a flag of " + verb.Name()
			}
		}
		err = fmt.Errorf("unknown flag --%s%s", name, like)
	case errors.As(err, &bad):
		f, why := bad.GetFlag(), bad.Unwrap().Error()
		if plain, ok := wanted[f.Value.Type()]; ok {
			why = "not " + plain
		}
		if strings.HasPrefix(why, "not ") {
			why = fmt.Sprintf("%q is %s", bad.GetValue(), why)
		}
		err = fmt.Errorf("--%s: %s", f.Name, why)
	case errors.As(err, &missing):
		err = fmt.Errorf("--%s needs a value", missing.GetSpecifiedName())
	}
	return misuse{err}
}

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
