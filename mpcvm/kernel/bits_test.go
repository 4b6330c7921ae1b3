package kernel

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// TestBits: kernel values have the same bits on every machine. The digests were recorded
// on amd64 and confirmed on arm64.
func TestBits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	x := mat.NewDense(200, 3, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return 4*random.Float64() - 2 }, x)
	for k, want := range map[Kernel]uint64{
		RBF{Theta: 0.07}:                 0x74a13482fb023dd5,
		Laplacian{Theta: 0.1}:            0xd4ac02cddbbac1a1,
		Linear{Offset: 1}:                0x790157411040d2cb,
		Polynomial{Degree: 3, Offset: 1}: 0x5654b539dc5015bc,
		RationalQuadratic{Theta: 0.7}:    0xdd6b6d183a178a75,
		RationalLaplacian{Theta: 0.7}:    0x41a1b555555c737d,
	} {
		digest := fnv.New64a()
		must.OK(t, binary.Write(digest, binary.LittleEndian, Gram(nil, k, x).RawMatrix().Data))
		if got := digest.Sum64(); got != want {
			t.Errorf("%v: digest %#x, want %#x", k, got, want)
		}
	}
}
