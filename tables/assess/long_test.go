//go:build long

package assess

import (
	"os"
	"testing"
)

func TestLongCoverage(t *testing.T) { coverage(t, 200) }

func TestLongHeldOutByAuto(t *testing.T) { heldOutByAuto(t) }

// TestLongNoCollapse tries 30 tables, or 200 with MPCVM_HARSH.
func TestLongNoCollapse(t *testing.T) {
	tables := uint64(30)
	if os.Getenv("MPCVM_HARSH") != "" {
		tables = 200
	}
	for seed := range tables {
		noCollapse(t, seed)
	}
}

func TestLongSystems(t *testing.T) { systemsRun(t, Systems(1)) }
