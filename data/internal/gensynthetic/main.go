// Command gensynthetic writes the synthetic sets overlap.csv and overclass.csv to the current
// folder. Run it with go generate in the folder data.
package main

import (
	"bytes"
	"log"
	"os"

	"github.com/mpcvm/mpcvm/data"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("gensynthetic: ")
	for _, s := range []*data.Set{data.Overlap(data.OverlapSeed), data.Overclass(data.OverclassSeed)} {
		var text bytes.Buffer
		if err := data.WriteCSV(&text, s); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(s.Name+".csv", text.Bytes(), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
