//go:build long

package mpcvm_test

import (
	"testing"
)

func TestLongLoadMemory(t *testing.T) { loadMemoryWhole(t) }
