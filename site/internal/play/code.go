package play

import (
	"cmp"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// code returns the cells of a notebook that trains the model of a setup: the imports, the points and the fit.
// "text" is a single cell with all of them. For any setup, they contain only numbers and names from this
// package.
func code(s Setup, list []Point) (map[string]string, error) {
	if _, err := newSamples(list); err != nil {
		return nil, err
	}
	l, err := s.learner()
	if err != nil {
		return nil, err
	}
	learner, packages := literal(reflect.ValueOf(l)), "\n\t\"github.com/mpcvm/mpcvm/data\"\n"
	for _, p := range []string{"mpcvm", "mpcvm/baseline/mrvm", "mpcvm/baseline/svm", "mpcvm/gp", "mpcvm/kernel",
		"mpcvm/search"} {
		if strings.Contains(learner, p[strings.LastIndex(p, "/")+1:]+".") {
			packages += fmt.Sprintf("\t\"github.com/mpcvm/mpcvm/%s\"\n", p)
		}
	}
	imports := "import (\n\t\"fmt\"\n\t\"strings\"\n" + packages +
		"\tnb \"github.com/mpcvm/mpcvm/nbhelpers\"\n)\n\n"
	var points strings.Builder
	points.WriteString("const points = `x,y,class\n")
	for _, p := range list {
		fmt.Fprintf(&points, "%v,%v,%v\n", p[0], p[1], p[2])
	}
	points.WriteString("`\n\n")
	const start = "%%\nnb.Init()\n"
	fit := "set, err := data.ReadSet(strings.NewReader(points), \"playground\")\n" +
		"if err != nil {\n\tpanic(err)\n}\n" +
		"model, result := nb.Fit(" + learner + ", set)\n" +
		"fmt.Println(result.Status, \"after\", result.Iterations, \"iterations,\", nb.Wrong(model, set), " +
		"\"points wrong\")\n" +
		"nb.Regions(model, set, nb.RegionsOptions{}).Display()\n"
	return map[string]string{"text": imports + points.String() + start + fit,
		"imports": imports + start, "points": points.String(), "fit": "%%\n" + fit}, nil
}

// stationary maps the names of stationary kernels to their Go names.
var stationary = map[string]string{
	kernel.Name(kernel.RBF{}): "kernel.RBF", kernel.Name(kernel.Laplacian{}): "kernel.Laplacian",
	kernel.Name(kernel.Matern32{}): "kernel.Matern32", kernel.Name(kernel.Matern52{}): "kernel.Matern52",
	kernel.Name(kernel.RationalLaplacian{}): "kernel.RationalLaplacian",
}

// literal writes a struct as a Go literal with its non-zero fields.
func literal(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Interface:
		return literal(v.Elem())
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.Struct:
		var fields []string
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() {
				fields = append(fields, v.Type().Field(i).Name+": "+literal(f))
			}
		}
		name := v.Type().String()
		if k, ok := v.Interface().(kernel.Kernel); ok {
			name = cmp.Or(stationary[kernel.Name(k)], name)
		}
		return name + "{" + strings.Join(fields, ", ") + "}"
	}
	return fmt.Sprint(v.Interface())
}
