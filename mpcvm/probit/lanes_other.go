//go:build !amd64 || purego

package probit

// Without assembly no block is ever used.

func (b *block) slope() (alive uint32)                    { return 0 }
func (b *block) node(k float64, flags int) (alive uint32) { return 0 }
