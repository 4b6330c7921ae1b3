package compose

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	fault = regexp.MustCompile(`^` + place + `([^:]+):(\d+)(?::(\d+))?: (.*)$`)
	frame = regexp.MustCompile(`^\t` + place + `([^:]+):(\d+)`)
	// arguments of a call in a stack trace
	arguments = regexp.MustCompile(`\([^()]*\)$`)
)

// Explain parses the compiler's output for a program of [Compose]. Errors without a cell are assigned to the
// cell that ran.
func Explain(said, cell string) Errors {
	var list Errors
	for text := range strings.Lines(said) {
		text = strings.TrimRight(text, "\r\n")
		m := fault.FindStringSubmatch(text)
		switch {
		case m != nil:
			line, _ := strconv.Atoi(m[2])
			column, _ := strconv.Atoi(m[3]) // 0 if there is none
			list = append(list, Error{m[1], line, column, m[4]})
		case strings.HasPrefix(text, "\t") && len(list) > 0:
			list[len(list)-1].Text += "\n" + text[1:]
		case strings.TrimSpace(text) != "" && !strings.Contains(text, "too many errors"):
			list = append(list, Error{Cell: cell, Text: text})
		}
	}
	return list
}

// Trace shortens the stack trace of a panic to its message and the calls of the first goroutine in cells.
// Calls within packages are omitted.
func Trace(said string) string {
	message, calls, _ := strings.Cut(said, "\ngoroutine ")
	var out strings.Builder
	out.WriteString(strings.TrimRight(message, "\n") + "\n")
	first, _, _ := strings.Cut(calls, "\n\n")
	name := ""
	for text := range strings.Lines(first) {
		text = strings.TrimRight(text, "\r\n")
		if m := frame.FindStringSubmatch(text); m != nil {
			out.WriteString("\t" + name + ": cell " + m[1] + ", line " + m[2] + "\n")
		}
		name = strings.TrimPrefix(arguments.ReplaceAllString(text, ""), "main.")
	}
	return out.String()
}
