//go:build !js

package data

import "embed"

//go:embed iris.csv wine.csv glass.csv breast.csv letter.csv.gz overlap.csv overclass.csv partitions
var embedded embed.FS
