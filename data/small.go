//go:build js && small

package data

import (
	"embed"
	"fmt"
)

// To stay small, the playground's engine omits the largest set. It cannot read files.

//go:embed iris.csv wine.csv glass.csv breast.csv overlap.csv overclass.csv
var embedded embed.FS

func readOther(info Info) ([]byte, error) {
	return nil, fmt.Errorf("data: %s: %w, and the playground cannot read files", info.Name, ErrNotEmbedded)
}
