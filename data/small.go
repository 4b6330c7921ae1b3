//go:build small

package data

import (
	"embed"
	"fmt"
)

// The playground's engine has no room for the largest set and for partitions. It has no files.

//go:embed iris.csv wine.csv glass.csv breast.csv overlap.csv overclass.csv
var embedded embed.FS

func readOther(info Info) ([]byte, error) {
	return nil, fmt.Errorf("data: %s: %w, and there are no files in the playground", info.Name, ErrNotEmbedded)
}
