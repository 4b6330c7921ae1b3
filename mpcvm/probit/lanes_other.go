//go:build !amd64 || purego

package probit

// These methods are never called, because blocks are used only with assembly.

func (b *block) slope() (alive uint32)                    { return 0 }
func (b *block) node(k float64, flags int) (alive uint32) { return 0 }
