// Package checks contains tests of the whole repository: the exported API and the imports of its packages,
// leaked goroutines, downloads by its scripts, and the README.
package checks

import (
	"fmt"
	"os"
	"testing"
)

// module is the module path, which otherwise occurs only in the go.mod files.
const module = "github.com/mpcvm/mpcvm"

// TestMain runs the tests in the top folder of the repository.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
