package mpcvm

import (
	"fmt"

	"github.com/mpcvm/mpcvm/mpcvm/internal/strictjson"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// kernelFile is a kernel in a model file: its name and the parameters it has.
type kernelFile struct {
	Name   string    `json:"name"`             // rbf, laplacian, ard, laplacian-ard, linear, polynomial
	Theta  *float64  `json:"theta,omitempty"`  // rbf, laplacian
	Thetas []float64 `json:"thetas,omitempty"` // ard, laplacian-ard
	Degree *int      `json:"degree,omitempty"` // polynomial
	Scale  *float64  `json:"scale,omitempty"`  // polynomial
	Offset *float64  `json:"offset,omitempty"` // linear, polynomial
}

// newKernelFile is an error for a kernel that the format does not know.
func newKernelFile(k kernel.Kernel) (kernelFile, error) {
	switch k := k.(type) {
	case kernel.RBF:
		return kernelFile{Name: "rbf", Theta: &k.Theta}, nil
	case kernel.Laplacian:
		return kernelFile{Name: "laplacian", Theta: &k.Theta}, nil
	case kernel.ARD:
		return kernelFile{Name: "ard", Thetas: k.Theta}, nil
	case kernel.LaplacianARD:
		return kernelFile{Name: "laplacian-ard", Thetas: k.Theta}, nil
	case kernel.Linear:
		return kernelFile{Name: "linear", Offset: &k.Offset}, nil
	case kernel.Polynomial:
		k = k.Resolved()
		return kernelFile{Name: "polynomial", Degree: &k.Degree, Scale: &k.Scale, Offset: &k.Offset}, nil
	case nil:
		return kernelFile{}, kernel.Validate(nil)
	default:
		return kernelFile{}, fmt.Errorf("kernel: %s has no name in the format (%T)", k, k)
	}
}

// read reads a kernel whose parameters may still be wrong.
func (f *kernelFile) read(r *strictjson.Reader, thetas func()) {
	number := func(dst **float64) func() {
		return func() { v := r.Number(); *dst = &v }
	}
	r.Object(
		strictjson.Field{Key: "name", Read: func() { f.Name = r.Text() }},
		strictjson.Field{Key: "theta", Optional: true, Read: number(&f.Theta)},
		strictjson.Field{Key: "thetas", Optional: true, Read: thetas},
		strictjson.Field{Key: "degree", Optional: true, Read: func() { v := r.Int(); f.Degree = &v }},
		strictjson.Field{Key: "scale", Optional: true, Read: number(&f.Scale)},
		strictjson.Field{Key: "offset", Optional: true, Read: number(&f.Offset)},
	)
}

// kernel makes the kernel, which must have its parameters and no others.
func (f kernelFile) kernel() (kernel.Kernel, error) {
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
	want, err := newKernelFile(k)
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
