package main

import (
	"cmp"
	"fmt"
	"go/doc/comment"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpcvm/mpcvm/internal/progress"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// topic is a page of the help. It explains the flags of its sections for all verbs that have them.
type topic struct {
	name, short, long string
	sections          []string
}

// The sections of the topics.
const (
	theFile, theCells, theColumns                   = "The file", "Cells", "Columns"
	theLearner, theKernel, theClasses, theSelection = "Learner", "Kernel", "Classes and weights", "Evaluation"
)

var topics = []topic{
	{"reading", "how a file is read: format, cells, columns", `
FILE is a text with separated cells (.csv, .tsv, .txt, .dat), an .arff file, or rows of LIBSVM, each also
compressed as .gz; a .parquet file; or the first table of an .xlsx file. FILE can be - for standard input.

The encoding, the separator, the decimal mark, the header and the kinds of the columns are detected, and
"mpcvm look FILE" prints what was found. If two readings are equally good, the error names the flag that
decides. Every flag below overrides what is detected.

An empty cell is missing, and so are NA, n.a., ?, ., NaN, null and \N, in any case. predict and explain read
a file as the training file was read: they find the columns of the model by name, in any order. predict
has no flags about columns.`,
		[]string{theFile, theCells, theColumns}},
	{"choosing", "learner, kernel, weights and evaluation", `
Three algorithms are available. auto chooses the learner, the kernel and the temperature of the
probabilities by cross-validation. mpcvm1 starts with all samples and prunes them (top down). mpcvm2 starts
with one sample of each class and adds more (bottom up); it is the default if --kernel, --theta or
--candidates K is given.

Costs of wrong decisions are pairs truth:decision=cost. Pairs that are not named cost 1, and right decisions
cost 0. In a CSV file of costs, the header names the decisions, and each line begins with a true class. The
model stores its costs and predicts the class with the lowest expected cost.`,
		[]string{theLearner, theKernel, theClasses, theSelection}},
	{"output", "tables, JSON, prediction sets, exit status", `
Tables show the log loss in nats and the AUC between 0 and 1. --precision N sets the decimals of both, and the
error in percent has two fewer. The output of --json has all digits and a number "schema", which grows when a
key changes its meaning.

predict writes CSV, or the format that the name of --out ends in: .parquet, or .jsonl for one JSON object
for each row. A row that cannot be used has no class, and its column "problem" gives the reason.

With --sets P the column "set" lists the plausible classes of each row, separated by " | ". If the rows are
drawn like the training rows, the true class is in the set with probability P or more. A row unlike all
training rows can have an empty set. In JSON a set is a list.

The exit status is 0 on success, 1 if the work failed, 64 if the arguments are wrong, 130 if a signal
(SIGINT, SIGTERM or SIGHUP) stopped the work, and 70 if mpcvm itself has a fault. Files appear when they are
complete. A stopped fit saves its best model so far, and a stopped compare prints the complete folds.`, nil},
}

// of reports whether a flag is explained by the topic.
func (t topic) of(f *pflag.Flag) bool { return slices.Contains(t.sections, sectionOf(f)) }

// command returns the topic as a command without work: cobra's help finds it.
func (t topic) command() *cobra.Command {
	return &cobra.Command{Use: t.name, Short: t.short, Long: t.long, DisableFlagsInUseLine: true}
}

// topicsOf returns the topics that explain flags of a verb.
func topicsOf(cmd *cobra.Command) []topic {
	return slices.DeleteFunc(slices.Clone(topics), func(t topic) bool {
		any := false
		cmd.Flags().VisitAll(func(f *pflag.Flag) { any = any || t.of(f) })
		return !any
	})
}

// sectionKey is the annotation of a flag with the title of its section.
const sectionKey = "section"

// sectionOf is the title of the section of a flag.
func sectionOf(f *pflag.Flag) string { return append(f.Annotations[sectionKey], "Flags")[0] }

// section adds the flags that add defines to a verb. Its help, or the topic of the section, shows them
// under a title, in the order of their definition.
func section(cmd *cobra.Command, title string, add func(*pflag.FlagSet)) {
	flags := newFlags(title)
	add(flags)
	flags.VisitAll(func(f *pflag.Flag) { f.Annotations = map[string][]string{sectionKey: {title}} })
	cmd.Flags().SortFlags = false
	cmd.Flags().AddFlagSet(flags)
}

func newFlags(title string) *pflag.FlagSet {
	flags := pflag.NewFlagSet(title, pflag.ContinueOnError)
	flags.SortFlags = false
	return flags
}

// page is a page of the help that is being written.
type page struct {
	strings.Builder
	width int
}

// text writes paragraphs, which begin at an indentation.
func (p *page) text(indent int, text string) {
	c := comment.Printer{TextPrefix: strings.Repeat(" ", indent), TextWidth: max(p.width-indent, 1)}
	p.Write(c.Text(new(comment.Parser).Parse(text)))
}

// entries writes pairs of a name and its meaning. If little room is left next to the names, the meanings are on
// lines of their own.
func (p *page) entries(title string, pairs [][2]string) {
	const least, below = 20, 6
	if len(pairs) == 0 {
		return
	}
	indent := 0
	for _, pair := range pairs {
		indent = max(indent, len(pair[0])+4)
	}
	gap := ""
	if p.width-indent < least {
		indent, gap = below, "\n"+strings.Repeat(" ", below)
	}
	fmt.Fprintf(p, "\n%s:\n", title)
	for _, pair := range pairs {
		meaning := page{width: p.width}
		meaning.text(indent, pair[1])
		name := pair[0] + gap
		if gap == "" {
			name = fmt.Sprintf("%-*s", indent-2, name)
		}
		p.WriteString("  " + name + strings.TrimLeft(meaning.String(), " "))
	}
}

// flags writes the sections of flags that are wanted.
func (p *page) flags(of *pflag.FlagSet, wanted func(*pflag.Flag) bool) {
	var sections []*pflag.FlagSet
	of.VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" || f.Hidden || !wanted(f) {
			return
		}
		i := slices.IndexFunc(sections, func(s *pflag.FlagSet) bool { return s.Name() == sectionOf(f) })
		if i < 0 {
			i, sections = len(sections), append(sections, newFlags(sectionOf(f)))
		}
		sections[i].AddFlag(f)
	})
	for _, s := range sections {
		var pairs [][2]string
		for line := range strings.Lines(s.FlagUsages()) {
			name, usage, _ := strings.Cut(strings.TrimSpace(line), "   ")
			pairs = append(pairs, [2]string{name, strings.TrimSpace(usage)})
		}
		p.entries(s.Name(), pairs)
	}
}

// help writes how a verb is used, an example and its most used flags, or a topic, as wide as the terminal.
func help(w io.Writer, cmd *cobra.Command) {
	p := &page{width: terminalWidth(w)}
	if i := slices.IndexFunc(topics, func(t topic) bool { return t.name == cmd.Name() }); i >= 0 {
		p.topic(cmd, topics[i])
	} else {
		p.verb(cmd)
	}
	_, _ = io.WriteString(w, p.String()) // TestClosedOutput: a closed output is reported by main
}

// verb writes the help of a verb.
func (p *page) verb(cmd *cobra.Command) {
	p.text(0, "Usage: "+cmd.UseLine())
	p.WriteByte('\n')
	p.text(0, cmp.Or(cmd.Long, strings.ToUpper(cmd.Short[:1])+cmd.Short[1:]+"."))
	if cmd.HasExample() {
		p.WriteString("\nExample:\n")
		for line := range strings.Lines(cmd.Example + "\n") {
			if line = strings.TrimRight(line, "\n"); len(line) > p.width {
				line = strings.ReplaceAll(line, " --", " \\\n    --")
			}
			p.WriteString(line + "\n")
		}
	}
	var verbs, pages [][2]string
	for _, verb := range cmd.Commands() {
		switch {
		case verb.IsAvailableCommand():
			verbs = append(verbs, [2]string{verb.Name(), verb.Short})
		case verb.IsAdditionalHelpTopicCommand():
			pages = append(pages, [2]string{verb.Name(), verb.Short})
		}
	}
	p.entries("Verbs", verbs)
	p.entries("Help topics", pages)
	above := topicsOf(cmd)
	if cmd.HasParent() { // the usage has the flag --version
		p.flags(cmd.Flags(), func(f *pflag.Flag) bool {
			return !slices.ContainsFunc(above, func(t topic) bool { return t.of(f) })
		})
	}
	more := ""
	for _, t := range above {
		more += fmt.Sprintf(", mpcvm help %s (%s)", t.name, t.short)
	}
	if more != "" {
		p.WriteByte('\n')
		p.text(0, "More flags: "+more[2:])
	}
}

// topic writes a topic with the flags that verbs have of it.
func (p *page) topic(cmd *cobra.Command, t topic) {
	p.text(0, strings.ToUpper(t.short[:1])+t.short[1:])
	if t.long != "" {
		p.WriteByte('\n')
		p.text(0, t.long)
	}
	if slices.Contains(t.sections, theKernel) {
		var kernels [][2]string
		for _, d := range kernel.Descriptions() {
			kernels = append(kernels, [2]string{d.Name, d.Formula})
		}
		p.entries("Kernels", kernels)
	}
	all := newFlags("")
	for _, verb := range cmd.Parent().Commands() {
		verb.Flags().VisitAll(func(f *pflag.Flag) {
			if t.of(f) && all.Lookup(f.Name) == nil {
				all.AddFlag(f)
			}
		})
	}
	for _, title := range t.sections {
		p.flags(all, func(f *pflag.Flag) bool { return sectionOf(f) == title })
	}
}

// terminalWidth is the number of columns of the terminal that w writes to.
func terminalWidth(w io.Writer) int {
	if o, ok := w.(*output); ok {
		w = o.Writer
	}
	return progress.Width(w)
}

// inBold reports whether out is a terminal whose user has nothing against colours; see
// https://no-color.org.
func inBold(out io.Writer) bool {
	if o, ok := out.(*output); ok {
		out = o.Writer
	}
	return os.Getenv("NO_COLOR") == "" && progress.Terminal(out)
}
