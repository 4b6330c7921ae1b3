package mpcvm

import (
	"fmt"
	"unicode/utf8"
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
	seen := make(map[string]bool, len(names))
	for i, name := range names {
		switch {
		case !utf8.ValidString(name):
			return fmt.Errorf("%s[%d]: %q is not valid UTF-8", what, i, name)
		case seen[name]:
			return fmt.Errorf("%s[%d]: name %q twice", what, i, name)
		}
		seen[name] = true
	}
	return nil
}
