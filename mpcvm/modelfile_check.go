package mpcvm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// What no model comes near, and a hostile file may not exceed: the number of classes, of
// which each takes more memory than its few bytes in the file, and the length of a name
// in bytes, which written with escapes must be no longer than strictjson reads.
const (
	maxClasses = 1 << 19
	maxName    = 1 << 16
)

// check says what is wrong with the document, and where.
func (doc *document) check() error {
	c, d := len(doc.classes), len(doc.features)
	if _, err := doc.kernel.kernel(); err != nil {
		return err
	}
	if n := len(doc.kernel.Thetas); n > 0 && n != d {
		return fmt.Errorf("kernel.thetas: %d widths for %d features", n, d)
	}
	if c < 2 {
		return fmt.Errorf("classes: %d, two are needed", c)
	}
	if c > maxClasses {
		return fmt.Errorf("classes: %d, a model has %d at most", c, maxClasses)
	}
	if d < 1 {
		return fmt.Errorf("features: none")
	}
	if err := checkNames("classes", doc.classes); err != nil {
		return err
	}
	if err := checkNames("features", doc.features); err != nil {
		return err
	}
	if len(doc.bias) != c {
		return fmt.Errorf("bias: %d numbers for %d classes", len(doc.bias), c)
	}
	for i, b := range doc.bias {
		if !isFinite(b) {
			return fmt.Errorf("bias[%d]: not finite: %v", i, b)
		}
	}
	if doc.mean != nil {
		if err := checkScaling(doc.mean, doc.scale, d); err != nil {
			return err
		}
	}
	if doc.temperature != 0 {
		if err := checkTemperature(doc.temperature); err != nil {
			return err
		}
	}
	if len(doc.vectors) > 0 && doc.width != d {
		return fmt.Errorf("vectors[0].x: %d numbers for %d features", doc.width, d)
	}
	last := -1
	for i, v := range doc.vectors {
		if v.Index <= last {
			return fmt.Errorf("vectors[%d].index: %d does not ascend from %d", i, v.Index, last)
		}
		last = v.Index
		for j, x := range doc.x[i*d : (i+1)*d] {
			if !isFinite(x) {
				return fmt.Errorf("vectors[%d].x[%d]: not finite: %v", i, j, x)
			}
		}
		if err := v.check(c); err != nil {
			return fmt.Errorf("vectors[%d].%w", i, err)
		}
	}
	return nil
}

// check says what is wrong with label and weights of a vector among c classes.
func (v fileVector) check(c int) error {
	if v.Label < 0 || v.Label >= c {
		return fmt.Errorf("label: %d is none of %d classes", v.Label, c)
	}
	if len(v.Weights) == 0 {
		return fmt.Errorf("weights: none")
	}
	last := -1
	for j, w := range v.Weights {
		switch {
		case w.Class < 0 || w.Class >= c:
			return fmt.Errorf("weights[%d].class: %d is none of %d classes", j, w.Class, c)
		case w.Class <= last:
			return fmt.Errorf("weights[%d].class: %d does not ascend from %d", j, w.Class, last)
		case !isFinite(w.Weight):
			return fmt.Errorf("weights[%d].weight: not finite: %v", j, w.Weight)
		case w.Weight == 0:
			return fmt.Errorf("weights[%d].weight: zero", j)
		case (w.Weight > 0) != (w.Class == v.Label): // eq. (truncatd_gaussian)
			return fmt.Errorf("weights[%d].weight: %v of a vector of class %d in class %d has the wrong sign",
				j, w.Weight, v.Label, w.Class)
		}
		last = w.Class
	}
	return nil
}

// checkNames says which of the names could not be read back or told apart.
func checkNames(what string, names []string) error {
	order := make([]int32, len(names)) // not a map: that takes more memory than the names
	for i, name := range names {
		if !utf8.ValidString(name) {
			return fmt.Errorf("%s[%d]: %.40q is not valid UTF-8", what, i, name)
		}
		if len(name) > maxName {
			return fmt.Errorf("%s[%d]: name of %d bytes, it may have %d", what, i, len(name), maxName)
		}
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int {
		return cmp.Or(strings.Compare(names[i], names[j]), cmp.Compare(i, j))
	})
	twice := len(names)
	for k := 1; k < len(order); k++ {
		if names[order[k]] == names[order[k-1]] {
			twice = min(twice, int(order[k]))
		}
	}
	if twice < len(names) {
		return fmt.Errorf("%s[%d]: name %.40q twice", what, twice, names[twice])
	}
	return nil
}
