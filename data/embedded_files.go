//go:build !js || !small

package data

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"os"
)

//go:embed iris.csv wine.csv glass.csv breast.csv letter.csv.gz overlap.csv overclass.csv
var embedded embed.FS

// readOther reads a set that is not embedded and checks its content.
func readOther(info Info) ([]byte, error) {
	path, err := Path(info.Name)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	if sum := checksum(text); sum != info.SHA256 {
		return nil, fmt.Errorf("data: %s: %w: SHA-256 is %s, want %s", path, errChecksum, sum, info.SHA256)
	}
	return text, nil
}

// checksum returns the SHA-256 sum in hexadecimal.
func checksum(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }
