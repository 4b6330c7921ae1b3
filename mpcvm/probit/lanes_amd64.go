//go:build !purego

package probit

import (
	"math"

	"github.com/mpcvm/mpcvm/mpcvm/internal/cpu"
)

//go:generate sh -c "cd ../../tools/avo && go run ./probit -out ../../mpcvm/probit/kernel_amd64.s -stubs ../../mpcvm/probit/kernel_amd64.go -pkg probit"

func (b *block) slopes(limit int) {
	slope := slopeAVX2
	if b.level == cpu.AVX512 {
		slope = slopeAVX512
	}
	for i := 0; i < limit && slope(&b.origin[0], &b.gap[0], b.n) != 0; i++ {
	}
}

func (b *block) nodes(k, step float64, flags int) (alive uint32) {
	node := nodeAVX2
	switch {
	case b.level == cpu.AVX512 && b.fast:
		node = nodeFastAVX512
	case b.level == cpu.AVX512:
		node = nodeAVX512
	case b.fast:
		node = nodeFastAVX2
	}
	for {
		alive = node(&b.origin[0], &b.gap[0], &b.r[0], &b.acc[0], b.n, k, flags)
		if alive == 0 || step == 0 {
			return alive
		}
		k += step
	}
}

func addProduct(sum, a, b float64) float64 { return math.FMA(a, b, sum) }
