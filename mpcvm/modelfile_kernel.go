package mpcvm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// fileKernel is a kernel in a model file: its name and the parameters it has.
type fileKernel struct {
	Name   string    `json:"name"`             // rbf, laplacian, ard, laplacian-ard, linear, polynomial
	Theta  *float64  `json:"theta,omitempty"`  // rbf, laplacian
	Thetas []float64 `json:"thetas,omitempty"` // ard, laplacian-ard
	Degree *int      `json:"degree,omitempty"` // polynomial
	Scale  *float64  `json:"scale,omitempty"`  // polynomial
	Offset *float64  `json:"offset,omitempty"` // linear, polynomial
}

// newFileKernel is an error for a kernel that the format does not know.
func newFileKernel(k kernel.Kernel) (f fileKernel, err error) {
	switch k := k.(type) {
	case kernel.RBF:
		f = fileKernel{Name: "rbf", Theta: &k.Theta}
	case kernel.Laplacian:
		f = fileKernel{Name: "laplacian", Theta: &k.Theta}
	case kernel.ARD:
		f = fileKernel{Name: "ard", Thetas: k.Theta}
	case kernel.LaplacianARD:
		f = fileKernel{Name: "laplacian-ard", Thetas: k.Theta}
	case kernel.Linear:
		f = fileKernel{Name: "linear", Offset: &k.Offset}
	case kernel.Polynomial:
		k = k.Resolved()
		f = fileKernel{Name: "polynomial", Degree: &k.Degree, Scale: &k.Scale, Offset: &k.Offset}
	case nil:
		err = kernel.Validate(nil)
	default:
		err = fmt.Errorf("kernel: %s has no name in the format (%T)", k, k)
	}
	return f, err
}

// marshalKernel writes the kernel as JSON.
func marshalKernel(k kernel.Kernel) ([]byte, error) {
	f, err := newFileKernel(k)
	if err != nil {
		return nil, err
	}
	if err := kernel.Validate(k); err != nil { // NaN has no JSON
		return nil, err
	}
	return json.Marshal(f)
}

// unmarshalKernel reads the kernel, which must have its parameters and no others.
func unmarshalKernel(text []byte) (kernel.Kernel, error) {
	var f fileKernel
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var typ *json.UnmarshalTypeError
	switch err := dec.Decode(&f); {
	case errors.As(err, &typ):
		return nil, fmt.Errorf("kernel.%s: %.40s is not a %s", typ.Field, typ.Value, typ.Type)
	case err != nil:
		return nil, fmt.Errorf("kernel: %w", err)
	case bytes.Contains(text, []byte("null")): // encoding/json reads it as zero
		return nil, errors.New("kernel: null")
	}
	var k kernel.Kernel
	switch f.Name {
	case "rbf":
		k = kernel.RBF{Theta: value(f.Theta)}
	case "laplacian":
		k = kernel.Laplacian{Theta: value(f.Theta)}
	case "ard":
		k = kernel.ARD{Theta: f.Thetas}
	case "laplacian-ard":
		k = kernel.LaplacianARD{Theta: f.Thetas}
	case "linear":
		k = kernel.Linear{Offset: value(f.Offset)}
	case "polynomial":
		k = kernel.Polynomial{Degree: value(f.Degree), Scale: value(f.Scale), Offset: value(f.Offset)}
	default:
		return nil, fmt.Errorf("kernel.name: %.40q is no kernel of this version", f.Name)
	}
	want, err := newFileKernel(k)
	if err != nil {
		return nil, err
	}
	for _, p := range []struct {
		name      string
		has, must bool
	}{
		{"theta", f.Theta != nil, want.Theta != nil},
		{"thetas", f.Thetas != nil, f.Name == "ard" || f.Name == "laplacian-ard"},
		{"degree", f.Degree != nil, want.Degree != nil},
		{"scale", f.Scale != nil, want.Scale != nil},
		{"offset", f.Offset != nil, want.Offset != nil},
	} {
		switch {
		case p.must && !p.has:
			return nil, fmt.Errorf("kernel.%s: missing", p.name)
		case p.has && !p.must:
			return nil, fmt.Errorf("kernel.%s: %s has no such parameter", p.name, f.Name)
		}
	}
	if k, ok := k.(kernel.Polynomial); ok && (k.Degree == 0 || k.Scale == 0) {
		return nil, fmt.Errorf("kernel: degree %d or scale %v is zero", k.Degree, k.Scale) // no defaults in a file
	}
	return k, kernel.Validate(k)
}

// value is *p, or zero for nil.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
