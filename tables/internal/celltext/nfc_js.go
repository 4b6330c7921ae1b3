//go:build small

package celltext

import "syscall/js"

// nfc composes a text by the means of the page, which saves the 100 kB of norm's tables.
func nfc(text string) string { return js.ValueOf(text).Call("normalize", "NFC").String() }
