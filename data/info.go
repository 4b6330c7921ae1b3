package data

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Info describes a known set. See SOURCES.md for details.
type Info struct {
	Name        string `json:"name"`
	Rows        int    `json:"rows"`
	Features    int    `json:"features"`
	Classes     int    `json:"classes"`
	Description string `json:"description"`
	Source      string `json:"source"`
	DOI         string `json:"doi"` // "" for our own sets
	Licence     string `json:"licence"`
	SHA256      string `json:"sha256"`      // checksum of the uncompressed CSV text, in hexadecimal
	Embedded    bool   `json:"embedded"`    // included in the package
	Partitioned bool   `json:"partitioned"` // has fixed partitions
	// From lists the sets that Load derives this set from; nil if it is not derived. SHA256 is then
	// the checksum of the derived text.
	From []string `json:"from,omitempty"`
}

// Sets returns all known sets: embedded sets, sets that "mpcvm data fetch" can download, and sets
// derived from others.
func Sets() []Info { return slices.Clone(catalogue()) }

// Lookup returns the description of a known set. For an unknown name the error is ErrUnknownSet.
func Lookup(name string) (Info, error) {
	var names []string
	for _, info := range catalogue() {
		if info.Name == name {
			return info, nil
		}
		names = append(names, info.Name)
	}
	return Info{}, fmt.Errorf("data: %w %q; known are %s", ErrUnknownSet, name, strings.Join(names, ", "))
}

//go:embed sets.json
var catalogueText []byte

// catalogue lists every known set in the order of Sets.
var catalogue = sync.OnceValue(func() (all []Info) {
	if err := json.Unmarshal(catalogueText, &all); err != nil {
		panic("data: sets.json: " + err.Error())
	}
	return all
})
