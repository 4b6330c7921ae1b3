package analysis

import (
	"reflect"
	"strings"

	"github.com/mpcvm/mpcvm/tables/table"
)

// voice puts findings into the words of the page, which has controls where Go has options.
var voice = &table.Voice{Option: control, Sentences: map[table.Code]string{
	"no-target": "The class column could not be determined; choose it under “Use: classes”.",
	"refused": "Column {column} cannot be used as classes: {cause}. Choose another column under “Use: classes”, or " +
		"convert numbers into groups first, such as low and high.",
	"not-classes":    "{cause}; choose another column under “Use: classes”",
	"target-unknown": "the class column could not be determined: choose it under “Use: classes”; the columns are {columns}",
	"rows": "The table has {n:row}, and the cost of training is quadratic in the number of rows. With more than " +
		"{of:row}, learners use a subset of the rows as candidates.",
}}

// control names the control of the page that sets an option, and what it is set to. What has no control on
// the page is an option of the command.
func control(name, value string) string {
	if i := strings.LastIndex(value, "="); name == "Kinds" && i >= 0 {
		return "“Kind: " + value[i+1:] + "” for “" + value[:i] + "”"
	}
	if strings.ContainsAny(value, " \t") {
		value = "“" + value + "”"
	}
	label := "the command's " + strings.ToLower(name)
	if option, ok := reflect.TypeFor[Options]().FieldByName(name); ok {
		label = "“" + option.Tag.Get("label") + "”"
		if strings.HasPrefix(option.Tag.Get("label"), "Use: ") && value != "" {
			label += " for"
		}
	}
	return strings.TrimSpace(label + " " + value)
}

// sentence is an error in the words of the page.
type sentence struct {
	error
	text string
}

func (e sentence) Error() string { return e.text }
func (e sentence) Unwrap() error { return e.error }

// inWords returns an error in the words of the page.
func inWords(err error) error {
	if err == nil {
		return nil
	}
	return sentence{err, voice.Explain(err)}
}
