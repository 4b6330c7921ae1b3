//go:build race

package dense

const racing = true
