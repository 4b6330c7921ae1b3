//go:build js && small

package data

import (
	"embed"
	"fmt"
)

// The playground's engine omits the largest set and the partitions to stay small. It has no files.

//go:embed iris.csv wine.csv glass.csv breast.csv overlap.csv overclass.csv
var embedded embed.FS

func readOther(info Info) ([]byte, error) {
	return nil, fmt.Errorf("data: %s: %w, and there are no files in the playground", info.Name, ErrNotEmbedded)
}
