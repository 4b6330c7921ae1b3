package main

import (
	"fmt"
	"go/doc/comment"
	"io"
	"os"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mpcvm/mpcvm/internal/progress"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// topic is a help page. It explains the flags of its sections for all verbs that have them.
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
FILE is a delimited text file (.csv, .tsv, .txt, .dat), JSON Lines (.jsonl), an .arff file or a LIBSVM file,
optionally compressed (.gz); a .parquet file; or the first table of an .xlsx file. FILE can be - for standard
input. fit, look and compare read several files with the same columns as one table. The files can be given by
a pattern such as '*.csv'.

The encoding, the separator, the decimal mark, the header and the kinds of the columns are detected, and
"mpcvm look FILE" prints the result. If two readings are equally plausible, the error names the flag that
decides. The flags below override the detection.

Empty cells are missing, as are NA, n.a., ?, ., NaN, null and \N, in upper or lower case. predict and explain
read a file like the training file and find the columns of the model by name, in any order. predict does not
have flags for columns.`,
		[]string{theFile, theCells, theColumns}},
	{"choosing", "learner, kernel, weights and evaluation", `
Three algorithms are available. auto chooses the learner, the kernel and the temperature of the
probabilities by cross-validation. mpcvm1 starts with all samples and prunes them (top down). mpcvm2 starts
with one sample of each class and adds more (bottom up); it is the default if --kernel, --theta or
--candidates K is given.

Costs of wrong decisions are given as pairs truth:decision=cost. All other wrong decisions cost 1, and right
decisions cost 0. In a CSV file of costs, the header names the decisions, and each line begins with a true
class. The model stores its costs and predicts the class with the lowest expected cost.`,
		[]string{theLearner, theKernel, theClasses, theSelection}},
	{"output", "tables, JSON, prediction sets, exit status", `
Tables show the log loss in nats and the AUC between 0 and 1. --precision N sets the number of decimals of
both; the error in percent has two fewer. The output of --json has all digits and a number "schema", which
increases when the meaning of a key changes.

predict writes CSV, or the format given by the extension of --out: .parquet, or .jsonl for one JSON object per
row. Three columns report what the model cannot know: "unlike" is yes if the row is unlike all training rows,
"beyond" lists the columns whose value is outside their range, and "new_levels" the levels that they do not
have, as column=level. A row that cannot be used has no class, and its column "problem" gives the reason.

With --sets P, the column "set" lists the plausible classes of each row, separated by " | ". If the rows come
from the same distribution as the training rows, the set contains the true class with probability P or more. A
row unlike all training rows can have an empty set. In JSON, a set is a list.

The exit status is 0 on success, 1 if the command failed, 64 if the arguments are wrong, 130 if a signal
(SIGINT, SIGTERM or SIGHUP) stopped the command, and 70 after an internal error of mpcvm. Files are written
atomically, and links are followed. An interrupted fit saves its best model so far. If FILE.json of --model is
the model of a complete fit, it is kept, and the new one is saved to FILE.partial.json. An interrupted compare
prints the scores of the completed folds.`, nil},
}

// command returns the topic as a command without a function, so that cobra's help finds it.
func (t topic) command() *cobra.Command {
	return &cobra.Command{Use: t.name, Short: t.short, Long: t.long, DisableFlagsInUseLine: true}
}

// of reports whether a flag is explained by the topic.
func (t topic) of(f *pflag.Flag) bool { return slices.Contains(t.sections, sectionOf(f)) }

// sectionKey is the annotation of a flag with the title of its section.
const sectionKey = "section"

func sectionOf(f *pflag.Flag) string { return append(f.Annotations[sectionKey], "Flags")[0] }

// section adds the flags defined by add to a verb. The help of the verb, or of the topic, shows them under a
// title, in the order of their definition.
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

// helpTemplate is the template for the help of verbs and topics; only verbs can be run.
const helpTemplate = `{{if .Runnable}}{{wrap (print "Usage: " .UseLine)}}
{{wrap (or .Long (print (capital .Short) "."))}}{{else}}{{wrap (capital .Short)}}
{{wrap .Long}}{{end}}{{with .Example}}
Example:
{{.}}
{{end}}{{if .HasAvailableSubCommands}}
Verbs:
{{range .Commands}}{{if .IsAvailableCommand}}  {{rpad .Name .NamePadding}} {{.Short}}
{{end}}{{end}}{{end}}{{if .HasHelpSubCommands}}
Help topics:
{{range .Commands}}{{if .IsAdditionalHelpTopicCommand}}  {{rpad .Name .NamePadding}} {{.Short}}
{{end}}{{end}}{{end}}{{if .HasParent}}{{flags .}}{{end}}{{with more .}}
{{wrap .}}{{end}}`

func init() {
	cobra.AddTemplateFuncs(template.FuncMap{
		"wrap": func(text string) string {
			p := comment.Printer{TextWidth: progress.Width(os.Stdout)}
			return string(p.Text(new(comment.Parser).Parse(text)))
		},
		"capital": func(text string) string { return strings.ToUpper(text[:1]) + text[1:] },
		"flags":   flagsHelp,
		"more":    moreFlags,
	})
}

// flagsHelp returns the flags explained by a topic, or the flags of a verb that no topic explains.
func flagsHelp(cmd *cobra.Command) string {
	titles, verbs := []string{"Flags"}, []*cobra.Command{cmd}
	if i := slices.IndexFunc(topics, func(t topic) bool { return t.name == cmd.Name() }); i >= 0 {
		titles, verbs = topics[i].sections, cmd.Parent().Commands()
	}
	var b strings.Builder
	shown := newFlags("")
	for _, title := range titles {
		if title == theKernel {
			b.WriteString("\nKernels:\n")
			for _, d := range kernel.Descriptions() {
				fmt.Fprintf(&b, "  %-22s  %s\n", d.Name, d.Formula)
			}
		}
		flags := newFlags(title)
		for _, verb := range verbs {
			verb.Flags().VisitAll(func(f *pflag.Flag) {
				if sectionOf(f) == title && f.Name != "help" && shown.Lookup(f.Name) == nil {
					flags.AddFlag(f)
					shown.AddFlag(f)
				}
			})
		}
		const margin = "    " // for a letter such as -h, which no flag has
		if lines := flags.FlagUsagesWrapped(progress.Width(os.Stdout) + len(margin)); lines != "" {
			fmt.Fprintf(&b, "\n%s:%s", title, strings.ReplaceAll("\n"+lines, "\n"+margin, "\n"))
		}
	}
	return b.String()
}

func moreFlags(cmd *cobra.Command) string {
	var list []string
	for _, t := range topics {
		any := false
		cmd.Flags().VisitAll(func(f *pflag.Flag) { any = any || t.of(f) })
		if any {
			list = append(list, fmt.Sprintf("mpcvm help %s (%s)", t.name, t.short))
		}
	}
	if list == nil {
		return ""
	}
	return "More flags: " + strings.Join(list, ", ")
}

// inBold reports whether out is a terminal and NO_COLOR is not set; see https://no-color.org.
func inBold(out io.Writer) bool {
	if o, ok := out.(*output); ok {
		out = o.Writer
	}
	return os.Getenv("NO_COLOR") == "" && progress.Terminal(out)
}
