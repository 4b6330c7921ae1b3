package mpcvm

import (
	"encoding/json"

	"github.com/mpcvm/mpcvm/mpcvm/internal/strictjson"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// kernelFile is a kernel in a model file, in the format of kernel.Marshal.
type kernelFile struct {
	Name   string    `json:"name"`
	Theta  *float64  `json:"theta,omitempty"`
	Alpha  *float64  `json:"alpha,omitempty"`
	Thetas []float64 `json:"thetas,omitzero"`
	Degree *int      `json:"degree,omitempty"`
	Scale  *float64  `json:"scale,omitempty"`
	Offset *float64  `json:"offset,omitempty"`
}

// newKernelFile is an error for a kernel that the format does not know.
func newKernelFile(k kernel.Kernel) (f kernelFile, err error) {
	text, err := kernel.Marshal(k)
	if err == nil {
		err = json.Unmarshal(text, &f)
	}
	return f, err
}

// read reads a kernel whose parameters may still be wrong.
func (f *kernelFile) read(r *strictjson.Reader, thetas func()) {
	number := func(dst **float64) func() {
		return func() { v := r.Number(); *dst = &v }
	}
	r.Object(
		strictjson.Field{Key: "name", Read: func() { f.Name = r.Text() }},
		strictjson.Field{Key: "theta", Optional: true, Read: number(&f.Theta)},
		strictjson.Field{Key: "alpha", Optional: true, Read: number(&f.Alpha)},
		strictjson.Field{Key: "thetas", Optional: true, Read: thetas},
		strictjson.Field{Key: "degree", Optional: true, Read: func() { v := r.Int(); f.Degree = &v }},
		strictjson.Field{Key: "scale", Optional: true, Read: number(&f.Scale)},
		strictjson.Field{Key: "offset", Optional: true, Read: number(&f.Offset)},
	)
}

// kernel makes the kernel, which must have its parameters and no others.
func (f kernelFile) kernel() (kernel.Kernel, error) {
	text, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	return kernel.Unmarshal(text)
}
