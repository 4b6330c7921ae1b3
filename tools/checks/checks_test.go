// Package checks holds tests of the repository as a whole: what its packages export and
// import, what they leave running, what its scripts fetch, and the README.
package checks

import (
	"fmt"
	"os"
	"testing"
)

// module is the module path, which is written here and in the go.mod files alone.
const module = "github.com/mpcvm/mpcvm"

// TestMain runs the tests at the top of the repository.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
