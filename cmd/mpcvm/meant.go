package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/tables/table"
)

// didYouMean suggests the names most similar to a word, as cobra does for verbs, or returns "".
func didYouMean(word, dashes string, names []string) string {
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
		text += didYouMean(filepath.Base(in.Path), "", files)
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
