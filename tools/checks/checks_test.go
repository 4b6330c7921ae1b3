// Package checks contains tests of the whole repository: the exported API and the imports of its packages,
// leaked goroutines, downloads by its scripts, the number of its lines, and the README.
package checks

import (
	"fmt"
	"os"
	"testing"
)

// module is the path of the module, which otherwise occurs only in the go.mod files.
const module = "github.com/mpcvm/mpcvm"

// temporary lists the folders to remove at the end.
var temporary []string

// TestMain runs the tests in the top folder of the repository.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	for _, dir := range temporary {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}
