package search

import (
	"fmt"

	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/gp"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// The settings that are tried. KernelPrior has no short fits: its fits are fast, and before
// the weights after a reduction are settled they say little.

func denseSetting(k kernel.Kernel, scale float64) setting {
	return setting{
		kind: dense, name: fmt.Sprintf("kernel prior s²=%g, dense", scale), kernel: k,
		learner: func(k kernel.Kernel, _ options) mpcvm.Learner { return gp.KernelPrior{Kernel: k, Scale: scale} },
	}
}

func cutSetting(k kernel.Kernel, scale, keep float64) setting {
	return setting{
		kind: cut, name: fmt.Sprintf("kernel prior s²=%g, cut to %g", scale, keep), kernel: k,
		learner: func(k kernel.Kernel, _ options) mpcvm.Learner {
			return gp.KernelPrior{Kernel: k, Scale: scale, Keep: keep}
		},
	}
}

func topDownSetting(k kernel.Kernel) setting {
	return setting{
		kind: topDown, name: "top down", kernel: k,
		learner: func(k kernel.Kernel, o options) mpcvm.Learner {
			return mpcvm.TopDown{Kernel: k, MaxIterations: o.limit, Candidates: o.candidates, Float32: o.float32}
		},
	}
}

func bottomUpSetting(k kernel.Kernel, power float64) setting {
	l := mpcvm.BottomUp{LikelihoodPower: power}
	if power >= 100 { // more bases enter; adding more at a time is faster
		l.Additions = 3
	}
	return setting{
		kind: bottomUp, name: fmt.Sprintf("bottom up, likelihood power %g", power), kernel: k,
		learner: func(k kernel.Kernel, o options) mpcvm.Learner {
			l := l
			l.Kernel, l.MaxIterations, l.Candidates, l.Float32 = k, o.limit, o.candidates, o.float32
			return l
		},
	}
}
