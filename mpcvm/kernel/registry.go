package kernel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

type registered struct {
	kernel  named // the zero value of its type
	formula string
}

// named is a kernel that model files and the command line identify by name. It must be a struct whose fields
// are its parameters, of type float64, int or []float64, with names given by the tag "json". A width that the
// learner can choose is named theta, and a list of widths for the features is named thetas.
type named interface {
	Kernel
	name() string
}

// Name returns the name of a kernel in model files and flags, or "" if it is not one of those listed by
// Descriptions.
func Name(k Kernel) string {
	if k, ok := k.(named); ok {
		return k.name()
	}
	return ""
}

// registry lists the named kernels.
var registry = []registered{
	{RBF{}, "exp(-theta |x-y|²)"},
	{Laplacian{}, "exp(-theta Σ|x-y|)"},
	{ARD{}, "exp(-Σ thetas (x-y)²)"},
	{LaplacianARD{}, "exp(-Σ thetas |x-y|)"},
	{Matern32{}, "(1+a) exp(-a), a² = 6 theta |x-y|²"},
	{Matern32ARD{}, "the same, a² = 6 Σ thetas (x-y)²"},
	{Matern52{}, "(1+a+a²/3) exp(-a), a² = 10 theta |x-y|²"},
	{Matern52ARD{}, "the same, a² = 10 Σ thetas (x-y)²"},
	{RationalLaplacian{}, "1/(1 + theta Σ|x-y|)"},
	{RationalLaplacianARD{}, "1/(1 + Σ thetas |x-y|)"},
	{RationalQuadratic{}, "(1 + theta |x-y|²/alpha)^-alpha"},
	{Linear{}, "x·y + offset"},
	{Polynomial{}, "(scale x·y + offset)^degree"},
}

// Description describes a named kernel.
type Description struct {
	Name       string
	Formula    string   // for display
	Parameters []string // names of the parameters
}

// Descriptions returns descriptions of all named kernels, the most common ones first.
func Descriptions() []Description {
	list := make([]Description, len(registry))
	for i, r := range registry {
		list[i] = Description{r.kernel.name(), r.formula, parameters(reflect.TypeOf(r.kernel))}
	}
	return list
}

// New returns the kernel with the given name and parameters. The values of given are numbers, or numbers
// separated by commas for thetas. Missing parameters take their default values. If theta is missing or
// "auto", the learner chooses it. New returns an error if the name, a parameter or a value is invalid.
func New(name string, given map[string]string) (Kernel, error) {
	v, known, err := prototype(name)
	if err != nil {
		return nil, fmt.Errorf("kernel: %w", err)
	}
	for key := range given {
		if !slices.Contains(known, key) {
			return nil, fmt.Errorf("kernel: %s has no parameter %s; it has %s", name, key, strings.Join(known, ", "))
		}
	}
	open := true // whether theta is left to the learner
	for i, key := range known {
		text, ok := given[key]
		if !ok || key == "theta" && text == "auto" {
			continue
		}
		open = open && key != "theta"
		if err := setText(v.Field(i), text); err != nil {
			want := expected(v.Field(i))
			if key == "theta" {
				want = "a number or auto"
			}
			return nil, fmt.Errorf("kernel: %s: %s: %.40q is not %s", name, key, text, want)
		}
		if v.Field(i).IsZero() && hasDefault(v, i) {
			return nil, fmt.Errorf("kernel: %s: %s must be positive: 0", name, key)
		}
	}
	k := v.Interface().(named)
	if t, ok := Untuned(k); ok && open {
		return k, Validate(t.WithTheta(1))
	}
	return k, Validate(k)
}

// Marshal returns the kernel as a JSON object with its name and parameters, such as
// {"name":"rbf","theta":0.5}. Unmarshal restores exactly the same kernel. Marshal returns an error if k is
// not one of the kernels listed by Descriptions.
func Marshal(k Kernel) ([]byte, error) {
	if k == nil {
		return nil, Validate(nil)
	}
	stored, ok := k.(named)
	if !ok || !slices.ContainsFunc(registry,
		func(r registered) bool { return reflect.TypeOf(r.kernel) == reflect.TypeOf(k) }) {
		return nil, fmt.Errorf("kernel: %s (%T) cannot be stored in a model file", k, k)
	}
	if d, ok := k.(withDefaults); ok {
		stored = d.withDefaults()
	}
	text, err := json.Marshal(stored)
	if err != nil {
		return nil, fmt.Errorf("kernel: %s: %w", k, err)
	}
	return append(fmt.Appendf(nil, `{"name":%q,`, stored.name()), text[1:]...), nil
}

// Unmarshal returns the kernel encoded by Marshal. The text must be a single JSON object. Unmarshal returns
// an error if a key is unknown, missing or repeated, or if a parameter has the wrong type or is out of range.
// The error starts with the path of the key, such as kernel.theta.
func Unmarshal(text []byte) (Kernel, error) {
	values, err := object(text)
	if err != nil {
		return nil, fmt.Errorf("kernel: %w", err)
	}
	var name string
	switch raw, ok := values["name"]; {
	case !ok:
		return nil, errors.New(`kernel: key "name" is missing`)
	case raw[0] != '"' || json.Unmarshal(raw, &name) != nil:
		return nil, errors.New("kernel.name: must be a string")
	}
	delete(values, "name")
	v, known, err := prototype(name)
	if err != nil {
		return nil, fmt.Errorf("kernel.name: unknown kernel %.40q", name)
	}
	for i, key := range known {
		raw, ok := values[key]
		if !ok {
			return nil, fmt.Errorf("kernel.%s: missing", key)
		}
		delete(values, key)
		// json.Unmarshal accepts null and leaves the number unchanged.
		if json.Unmarshal(raw, v.Field(i).Addr().Interface()) != nil || bytes.Contains(raw, []byte("null")) {
			want := expected(v.Field(i))
			return nil, fmt.Errorf("kernel.%s: not %s, or out of range: %.40s", key, want, raw)
		}
		if v.Field(i).IsZero() && hasDefault(v, i) { // model files contain the defaults
			return nil, fmt.Errorf("kernel.%s: must be positive: 0", key)
		}
	}
	for key := range values {
		return nil, fmt.Errorf("kernel.%.40s: %s has no such parameter", key, name)
	}
	k := v.Interface().(named)
	if s, ok := k.(interface{ validStored() error }); ok {
		return k, s.validStored()
	}
	return k, Validate(k)
}

// withDefaults is a kernel with a parameter for which zero means a default.
type withDefaults interface{ withDefaults() named }

// hasDefault reports whether zero means a default for the i-th parameter of v.
func hasDefault(v reflect.Value, i int) bool {
	k, ok := v.Interface().(withDefaults)
	return ok && !reflect.ValueOf(k.withDefaults()).Field(i).IsZero()
}

// prototype returns a new kernel with the given name, and the names of its parameters.
func prototype(name string) (reflect.Value, []string, error) {
	var names []string
	for _, r := range registry {
		if t := reflect.TypeOf(r.kernel); r.kernel.name() == name {
			return reflect.New(t).Elem(), parameters(t), nil
		}
		names = append(names, r.kernel.name())
	}
	return reflect.Value{}, nil, fmt.Errorf("%.40q is not one of %s", name, strings.Join(names, ", "))
}

// parameters returns the names of the fields of a kernel.
func parameters(t reflect.Type) []string {
	names := make([]string, t.NumField())
	for i := range names {
		names[i] = t.Field(i).Tag.Get("json")
	}
	return names
}

// setText parses the text of a parameter, which is a number, or numbers separated by
// commas if the parameter is a list.
func setText(v reflect.Value, text string) error {
	switch v.Kind() {
	case reflect.Int:
		n, err := strconv.Atoi(text)
		v.SetInt(int64(n))
		return err
	case reflect.Float64:
		x, err := strconv.ParseFloat(text, 64)
		v.SetFloat(x)
		return err
	}
	for part := range strings.SplitSeq(text, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			return err
		}
		v.Set(reflect.Append(v, reflect.ValueOf(x)))
	}
	return nil
}

// expected describes the expected type of a parameter.
func expected(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Int:
		return "an integer"
	case reflect.Float64:
		return "a number"
	}
	return "a list of numbers"
}

// object returns the values of a JSON object.
func object(text []byte) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("not an object")
	}
	values := map[string]json.RawMessage{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		if _, twice := values[key.(string)]; twice {
			return nil, fmt.Errorf("duplicate key %.40q", key)
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, err
		}
		values[key.(string)] = raw
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("unexpected data after the end of the object")
	}
	return values, nil
}
