package celltext

import "golang.org/x/text/unicode/norm"

// nfc converts a text to Unicode's normalization form C.
func nfc(text string) string { return norm.NFC.String(text) }
