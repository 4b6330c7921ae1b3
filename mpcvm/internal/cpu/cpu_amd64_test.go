//go:build !purego

package cpu

import (
	"testing"

	"golang.org/x/sys/cpu"
)

// TestDetect: a level needs all of its instructions.
func TestDetect(t *testing.T) {
	present := cpu.X86
	defer func() { cpu.X86 = present }()
	all := present
	for _, has := range []*bool{&all.HasAVX2, &all.HasFMA, &all.HasAVX512F, &all.HasAVX512DQ, &all.HasAVX512BW,
		&all.HasAVX512VL} {
		*has = true
	}
	for name, tt := range map[string]struct {
		lacks func()
		want  Level
	}{
		"AVX-512": {func() {}, AVX512},
		"no F":    {func() { cpu.X86.HasAVX512F = false }, AVX2},
		"no DQ":   {func() { cpu.X86.HasAVX512DQ = false }, AVX2},
		"no BW":   {func() { cpu.X86.HasAVX512BW = false }, AVX2},
		"no VL":   {func() { cpu.X86.HasAVX512VL = false }, AVX2},
		"no FMA":  {func() { cpu.X86.HasFMA = false }, Portable},
		"no AVX2": {func() { cpu.X86.HasAVX2 = false }, Portable},
	} {
		cpu.X86 = all
		tt.lacks()
		if got := detect(); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
