package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// blocks lists the blocks of Go's object files that consist of records, see cmd/internal/goobj: the index of
// the block in the header, the size of a record in bytes, and the offset in it of a number that is usually
// close to the number in the previous record.
var blocks = [][3]int{
	{3, 21, 4}, {4, 21, 4}, {5, 21, 4}, {6, 21, 4}, {7, 21, 4}, // definitions of symbols, and references
	{10, hashSize, 12},                 // hashes
	{11, 4, 0}, {12, 4, 0}, {13, 4, 0}, // where the relocations, parts and data of a symbol begin
	{14, 23, 0}, {15, 9, 5}, // relocations and parts
}

// hashes numbers the symbols that the linker merges if their hashes are the same. A published archive has the
// numbers instead of the hashes, which cannot be compressed.
type hashes map[[hashSize]byte]uint32

const hashSize = 16

// slim returns an archive of the compiler that is a third smaller after compression. The declarations, which
// only the compiler reads, are left out unless cells can import the package. The blocks of the object files
// are rearranged by columns, with differences instead of the numbers; site/notebook/archive.js undoes this.
func (h hashes) slim(archive []byte, imported bool) []byte {
	out := bytes.NewBufferString("!<arch>\n")
	for rest := archive[out.Len():]; len(rest) > 0; {
		size := checked(strconv.Atoi(strings.TrimSpace(string(rest[48:58]))))
		header, member := rest[:48], rest[60:60+size]
		rest = rest[60+size+size%2:]
		if !bytes.HasPrefix(header, []byte("__.PKGDEF")) {
			h.columns(member)
		} else if !imported {
			head, _, _ := bytes.Cut(member, []byte("\n$$B\n"))
			member = append(bytes.Clone(head), "\n$$B\n\n$$\n"...)
		}
		fmt.Fprintf(out, "%s%-10d`\n%s%s", header, len(member), member, "\n"[:len(member)%2])
	}
	return out.Bytes()
}

// columns rearranges the blocks of an object file.
func (h hashes) columns(object []byte) {
	start := bytes.Index(object[:min(len(object), 300)], []byte("\x00go120ld"))
	if start < 0 {
		check(errors.New("the format of Go's object files has changed: see blocks in site/build/archive.go"))
	}
	object = object[start:]
	offset := func(i int) uint32 { return binary.LittleEndian.Uint32(object[20+4*i:]) }
	for _, b := range blocks {
		rows, size := object[offset(b[0]):offset(b[0]+1)], b[1]
		n := len(rows) / size
		if size == hashSize {
			for row := range slices.Chunk(rows, size) {
				hash := [hashSize]byte(row)
				if _, known := h[hash]; !known {
					h[hash] = uint32(len(h))
				}
				clear(row)
				binary.LittleEndian.PutUint32(row[b[2]:], h[hash])
			}
		}
		for i := n - 1; i > 0; i-- {
			number, before := rows[size*i+b[2]:], rows[size*(i-1)+b[2]:]
			difference := binary.LittleEndian.Uint32(number) - binary.LittleEndian.Uint32(before)
			binary.LittleEndian.PutUint32(number, difference)
		}
		for i, v := range bytes.Clone(rows) {
			rows[i%size*n+i/size] = v
		}
	}
}
