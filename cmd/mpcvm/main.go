// Command mpcvm trains, evaluates and applies multi-class probabilistic classification vector machines. Run
// it without arguments for a list of its verbs.
//
// The exit status is 0 on success, 1 if the command failed, 64 if the arguments are wrong (EX_USAGE of
// sysexits.h), and 130 if SIGINT, SIGTERM or SIGHUP stopped the command. It is 70 (EX_SOFTWARE) after an
// internal error, and a file then contains the stack. Any other status, such as 2 from the Go runtime when
// memory runs out, means that the process was killed. Files are written atomically, except that an
// interrupted prediction to standard output keeps the rows written so far.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/mpcvm/mpcvm/internal/memory"
	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/table"
)

func main() {
	limitMemory()
	// Signals that are ignored, such as SIGHUP under nohup, stay ignored.
	stops := slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
	ctx, stop := signal.NotifyContext(context.Background(), stops...)
	context.AfterFunc(ctx, stop) // a second signal kills the process
	os.Exit(run(ctx, os.Args[1:], stdout(), os.Stderr))
}

// limitMemory limits the runtime to nine tenths of the available memory, unless GOMEMLIMIT is set.
func limitMemory() {
	if bytes := memory.Available(); !math.IsInf(bytes, 1) && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(0.9 * bytes))
	}
}

// misuse is an error in the arguments.
type misuse struct{ error }

func (m misuse) Unwrap() error { return m.error }

// output is standard output. It records the first write error.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// Exit statuses for failures.
const (
	failed      = 1
	misused     = 64
	faulty      = 70
	interrupted = 130
)

// stdout is standard output, or closed{} if the process was started without one (mpcvm ... >&-). The Go
// runtime then opens /dev/null instead, for reading and writing.
func stdout() io.Writer {
	if isReadWriteNull(os.Stdout) {
		return closed{}
	}
	return os.Stdout
}

type closed struct{}

func (closed) Write(p []byte) (int, error) { return len(p), nil }

// warnLost warns if the result of a verb will be lost because standard output is closed. This is not an error,
// because some programs start others with /dev/null for reading and writing, which looks the same.
func warnLost(cmd *cobra.Command, _ []string) {
	files := []string{"out", "report"}
	switch cmd.Name() {
	case "help", "demo", "fetch":
		return
	case "fit":
		files = append(files, "model")
	}
	for _, name := range files {
		if f := cmd.Flags().Lookup(name); f != nil && f.Value.String() != "" {
			return
		}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s: warning: standard output is closed, so the result is lost; redirect it to "+
		"a file\n", cmd.CommandPath())
}

type argsKey struct{}

// run executes the command line args and returns the exit status. It fails if output could not be written,
// because readers would not notice that it is incomplete.
func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	o := &output{Writer: out}
	root := newRoot(o, errOut)
	root.SetArgs(append([]string{}, args...)) // for nil, cobra would take the arguments of the process
	if _, lost := out.(closed); lost {
		root.PersistentPreRun = warnLost
	}
	shape.Store(nil)
	cmd := root
	err := guarded(func() (err error) {
		cmd, err = root.ExecuteContextC(context.WithValue(ctx, argsKey{}, args))
		return err
	})
	if err == nil {
		err = o.err
	}
	if f, ok := errors.AsType[*fault](err); ok {
		if verb, _, err := root.Find(args); err == nil {
			cmd = verb
		}
		f.report(errOut, cmd.CommandPath())
		return faulty
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errNoVerb):
		return misused
	case errors.As(err, new(misuse)):
		fmt.Fprintf(errOut, "%s: %s (run '%s --help')\n", cmd.CommandPath(), explain(err), cmd.CommandPath())
		return misused
	}
	code := failed
	if ctx.Err() != nil {
		code, err = interrupted, fmt.Errorf("interrupted: %w", err)
	}
	fmt.Fprintf(errOut, "%s: %s\n", cmd.CommandPath(), explain(err))
	return code
}

// fault is a panic as an error. User data should never cause one.
type fault struct {
	value any
	stack []byte // of the goroutine that panicked
}

func (f *fault) Error() string { return fmt.Sprint(f.value) }

// guarded calls f and returns its error, or a *fault if f panics. Every goroutine of the command runs in
// guarded, so that unfinished files are removed.
func guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &fault{v, debug.Stack()}
		}
	}()
	return f()
}

// report writes one line about a fault of a verb, with the name of a file that contains the stack.
func (f *fault) report(errOut io.Writer, verb string) {
	none := "no table was read"
	shape := *cmp.Or(shape.Load(), &none)
	what, _, _ := strings.Cut(f.Error(), "\n")
	stack := fmt.Sprintf("%s\n%s: %s\n%s\n\n%s", mpcvm.Version(), verb, shape, f.Error(), f.stack)
	where := "the stack could not be saved"
	if file, err := os.CreateTemp("", "mpcvm-fault-*.txt"); err == nil {
		_, err = file.WriteString(stack)
		if errors.Join(err, file.Close()) == nil {
			where = "the stack is in " + file.Name()
		}
	}
	fmt.Fprintf(errOut, "%s: internal error, please report it: %s (version %s; %s; %s)\n", verb, what,
		mpcvm.Version(), shape, where)
}

// shape describes the last table read, for the report of a fault.
var shape atomic.Pointer[string]

func readTable(ctx context.Context, r io.Reader, name string, o tables.Options) (*table.Table, error) {
	t, err := tables.Read(ctx, r, name, o)
	if err == nil {
		text := fmt.Sprintf("table of %d rows and %d columns", t.Rows, len(t.Columns))
		shape.Store(&text)
	}
	return t, err
}

// didYouMean suggests the names most similar to a word, as cobra does for verbs, or returns "".
func didYouMean(word, dashes string, names []string) string {
	for _, name := range names {
		if strings.EqualFold(name, word) {
			return "; did you mean " + dashes + words.Shell(name) + "?"
		}
	}
	c, blanks := &cobra.Command{}, strings.NewReplacer(" ", "\u00a0") // cobra ends a name at a blank
	for _, name := range names {
		c.AddCommand(&cobra.Command{Use: blanks.Replace(name), Run: func(*cobra.Command, []string) {}})
	}
	for c.SuggestionsMinimumDistance = 1; c.SuggestionsMinimumDistance <= min(2, len(word)-1); {
		if near := c.SuggestionsFor(blanks.Replace(word)); len(near) > 0 {
			for i, name := range near {
				near[i] = dashes + words.Shell(strings.ReplaceAll(name, "\u00a0", " "))
			}
			return "; did you mean " + strings.Join(near, " or ") + "?"
		}
		c.SuggestionsMinimumDistance++
	}
	return ""
}

// oneOf returns an error if a value of a flag, or of an argument, is not one of the names.
func oneOf(flag, value string, names []string) error {
	if slices.Contains(names, value) {
		return nil
	}
	return misuse{fmt.Errorf("%s: %q is not one of %s%s", flag, value, strings.Join(names, ", "),
		didYouMean(value, "", names))}
}

// explain returns the message of an error with the names that may have been meant.
func explain(err error) string {
	text := voice.Explain(err)
	if f, ok := errors.AsType[table.Finding](err); ok {
		misspelt, names := unknown(f)
		for _, name := range misspelt {
			text += didYouMean(name, "", names)
		}
	}
	if in, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(in, fs.ErrNotExist) {
		text = strings.Replace(text, in.Op+" "+in.Path, in.Path, 1)
		var files []string
		list, _ := os.ReadDir(filepath.Dir(in.Path)) // without a folder, nothing is suggested
		for _, f := range list {
			files = append(files, f.Name())
		}
		switch slashes := strings.ReplaceAll(in.Path, `\`, "/"); {
		case slashes != in.Path && exists(slashes):
			text += "; did you mean " + slashes + "?"
		case strings.Contains(slashes, "://"):
			text += "; download the file first"
		case len(slashes) > 2 && slashes[1] == ':' && slashes[2] != '/': // the shell has removed backslashes
			text += "; put a path with backslashes in quotes"
		default:
			text += didYouMean(filepath.Base(in.Path), "", files)
		}
	}
	return text
}

// unknown returns the names in a finding that do not exist, and the names that do.
func unknown(f table.Finding) (misspelt, names []string) {
	switch f.Code {
	case table.NoSuchColumn, "no-such-target":
		return []string{f.Value}, f.Columns
	case "not-a-class", "no-such-class", "no-such-sheet", "invalid-value", "invalid-separator":
		return []string{f.Value}, f.Texts
	case "not-of-model", "lacking-score":
		return []string{f.Column}, f.Texts
	case "lacking-columns", "lacking-kept":
		return f.Columns, f.Texts
	}
	return nil, nil
}

// voice puts findings into the words of the command, where options are flags.
var voice = &table.Voice{Option: flagFor}

// flagNames are the flags for options whose names differ.
var flagNames = map[string]string{"Missing": "na", "Kinds": "kind", "Merge": "merge-labels",
	"ClassWeights": "class-weights", "Find": "recall", "Kept": "keep"}

// flagFor returns the flag for an option with its value, as the user can type it.
func flagFor(option, value string) string {
	flag := "--" + cmp.Or(flagNames[option], strings.ToLower(option))
	if value == "" {
		return flag
	}
	return flag + " " + words.Shell(value)
}
