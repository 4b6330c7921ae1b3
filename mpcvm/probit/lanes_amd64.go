//go:build !purego

package probit

import "github.com/mpcvm/mpcvm/mpcvm/internal/cpu"

//go:generate sh -c "cd ../../tools/avo && go run ./probit -out ../../mpcvm/probit/kernel_amd64.s -stubs ../../mpcvm/probit/kernel_amd64.go -pkg probit"

// slope takes a step of Newton's iteration in the lanes that are alive. A lane stays alive
// if the step was at least 1e-2 of the width. Six digits are enough, because the
// quadrature does not depend on the exact mode.
func (b *block) slope() (alive uint32) {
	if b.level == cpu.AVX512 {
		return slopeAVX512(&b.origin[0], &b.gap[0], b.n)
	}
	return slopeAVX2(&b.origin[0], &b.gap[0], b.n)
}

// node evaluates the integrand at the kth node of each lane that is alive. It adds the
// value to sum, and the value times r_j to acc. A lane is no longer alive after its last
// node.
func (b *block) node(k float64, flags int) (alive uint32) {
	node := nodeAVX2
	switch {
	case b.level == cpu.AVX512 && b.fast:
		node = nodeFastAVX512
	case b.level == cpu.AVX512:
		node = nodeAVX512
	case b.fast:
		node = nodeFastAVX2
	}
	return node(&b.origin[0], &b.gap[0], &b.r[0], &b.acc[0], b.n, k, flags)
}
