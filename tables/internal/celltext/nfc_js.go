//go:build small

package celltext

import "syscall/js"

// nfc converts a text to Unicode's normalization form C with JavaScript, which saves the 100 kB of norm's
// tables.
func nfc(text string) string { return js.ValueOf(text).Call("normalize", "NFC").String() }
