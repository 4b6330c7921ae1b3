package main

import (
	"cmp"
	"strings"

	"github.com/mpcvm/mpcvm/internal/words"
	"github.com/mpcvm/mpcvm/tables/table"
)

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
