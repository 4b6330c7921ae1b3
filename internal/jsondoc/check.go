package jsondoc

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Check returns an error that gives the position of an invalid value in the struct that v points to. Numbers
// must be finite, integers must not be negative, and texts must be UTF-8. The tag valid of a field has further
// rules, separated by blanks:
//
//	len=N   a list has at most N elements
//	max=N   a text has at most N bytes, or a number is at most N
//	line    a text can be printed on one line
//	of=A|B  a text is one of these
func Check(v any) error { return checkValue(reflect.ValueOf(v), "") }

func checkValue(v reflect.Value, rules string) error {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return checkValue(v.Elem(), rules)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if err := checkValue(v.Field(i), v.Type().Field(i).Tag.Get("valid")); err != nil {
				return At("."+Key(v, i), err)
			}
		}
	case reflect.Slice:
		if most, ok := limit(rules, "len="); ok && v.Len() > int(most) {
			return fmt.Errorf("%d, the limit is %v", v.Len(), most)
		}
		for i := range v.Len() {
			if err := checkValue(v.Index(i), rules); err != nil {
				return At(fmt.Sprintf("[%d]", i), err)
			}
		}
	case reflect.String:
		return checkText(v.String(), rules)
	case reflect.Int:
		return checkNumber(float64(v.Int()), rules, false)
	case reflect.Float64:
		return checkNumber(v.Float(), rules, true)
	}
	return nil
}

// rule returns the value of a rule.
func rule(rules, name string) (value string, ok bool) {
	for r := range strings.FieldsSeq(rules) {
		if value, ok = strings.CutPrefix(r, name); ok {
			return value, true
		}
	}
	return "", false
}

func limit(rules, name string) (most float64, ok bool) {
	value, _ := rule(rules, name)
	most, err := strconv.ParseFloat(value, 64)
	return most, err == nil
}

func checkText(text, rules string) error {
	most, limited := limit(rules, "max=")
	long := limited && len(text) > int(most)
	all, closed := rule(rules, "of=")
	_, line := rule(rules, "line")
	switch {
	case line && (long || !utf8.ValidString(text) ||
		strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })):
		return fmt.Errorf("%.40q is not a printable text of at most %v bytes", text, most)
	case !utf8.ValidString(text):
		return fmt.Errorf("%.40q is not valid UTF-8", text)
	case long:
		return fmt.Errorf("text of %d bytes, the limit is %v", len(text), most)
	case closed && !slices.Contains(strings.Split(all, "|"), text):
		return fmt.Errorf("%.40q is not %s", text, strings.ReplaceAll(strings.Trim(all, "|"), "|", " or "))
	}
	return nil
}

// checkNumber checks an integer or, if fraction is true, a float64.
func checkNumber(v float64, rules string, fraction bool) error {
	most, limited := limit(rules, "max=")
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return fmt.Errorf("%v is not finite", v)
	case v < 0 && (limited || !fraction):
		return fmt.Errorf("%v is negative", v)
	case limited && v > most:
		return fmt.Errorf("%v, the limit is %v", v, most)
	}
	return nil
}
