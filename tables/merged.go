package tables

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/table"
)

// merge is a range of merged cells, with rows and columns counted from 0.
type merge struct {
	top, left, bottom, right int
	text                     string // of the top left cell
}

// maxMerged is the maximum number of merged ranges of a sheet.
const maxMerged = 1 << 16

// scan calls f for each piece of a file of an archive. A piece begins with the last 200 bytes of the piece
// before it, so that anything shorter lies within one piece.
func scan(ctx context.Context, part *zip.File, f func(piece []byte, overlap int) error) error {
	r, err := part.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	piece, overlap := make([]byte, 1<<20), 0
	for {
		n, err := io.ReadFull(stopping{ctx, r}, piece[overlap:])
		if e := f(piece[:overlap+n], overlap); e != nil {
			return e
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil
		}
		if err != nil {
			return err
		}
		overlap = copy(piece, piece[len(piece)-200:])
	}
}

// maxStrings is the number of shared strings that every workbook may have, or its size in bytes if larger.
const maxStrings = 1 << 18

// checkStrings returns an error if a workbook has far more shared strings than its size allows.
func (f file) checkStrings(part *zip.File) error {
	count, most := int64(0), max(maxStrings, f.size)
	return scan(context.Background(), part, func(piece []byte, overlap int) error {
		count += int64(bytes.Count(piece[max(0, overlap-3):], []byte("si>")) +
			bytes.Count(piece[max(0, overlap-3):], []byte("si/>")))
		if count > 2*most {
			return table.Finding{Code: texts.LargeBook, N: int(most), Cause: ErrTooLarge}
		}
		return nil
	})
}

var mergeCell = regexp.MustCompile(
	`<(?:\w+:)?mergeCell\s+ref="\$?([A-Z]{1,3})\$?(\d{1,7}):\$?([A-Z]{1,3})\$?(\d{1,7})"`)

func merges(ctx context.Context, z *zip.Reader, sheet string) (merged []merge, err error) {
	part := sheetPart(z, sheet)
	if part == nil {
		return nil, nil
	}
	err = scan(ctx, part, func(piece []byte, overlap int) error {
		for _, at := range mergeCell.FindAllSubmatchIndex(piece, -1) {
			if at[1] <= overlap {
				continue // found in the previous piece
			}
			text := func(k int) string { return string(piece[at[2*k]:at[2*k+1]]) }
			top, _ := strconv.Atoi(text(2))
			bottom, _ := strconv.Atoi(text(4))
			merged = append(merged, merge{top: top - 1, left: columnNumber(text(1)), bottom: bottom - 1,
				right: columnNumber(text(3))})
			if len(merged) > maxMerged {
				return table.Finding{Code: texts.LargeMerges, Texts: []string{sheet}, N: maxMerged, Cause: ErrTooLarge}
			}
		}
		return nil
	})
	slices.SortStableFunc(merged, func(a, b merge) int { return cmp.Compare(a.top, b.top) })
	return merged, err
}

// columnNumber returns the number of a column such as AB, counted from 0.
func columnNumber(letters string) (n int) {
	for _, c := range letters {
		n = 26*n + int(c-'A') + 1
	}
	return n - 1
}

// sheetPart returns the file of an archive that holds a sheet, or nil.
func sheetPart(z *zip.Reader, sheet string) *zip.File {
	var book struct {
		Sheets []struct {
			Name string     `xml:"name,attr"`
			Any  []xml.Attr `xml:",any,attr"`
		} `xml:"sheets>sheet"`
	}
	var relations struct {
		List []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	find := func(name string) *zip.File {
		for _, part := range z.File {
			if strings.EqualFold(part.Name, name) {
				return part
			}
		}
		return nil
	}
	decode := func(name string, to any) {
		if part := find(name); part != nil {
			if r, err := part.Open(); err == nil {
				_ = xml.NewDecoder(io.LimitReader(r, 16<<20)).Decode(to) // if it fails, no cell counts as merged
				_ = r.Close()
			}
		}
	}
	decode("xl/workbook.xml", &book)
	decode("xl/_rels/workbook.xml.rels", &relations)
	for _, s := range book.Sheets {
		if s.Name != sheet {
			continue
		}
		for _, a := range s.Any {
			for _, relation := range relations.List {
				if a.Name.Local == "id" && relation.ID == a.Value {
					if target, ok := strings.CutPrefix(relation.Target, "/"); ok {
						return find(target)
					}
					return find(path.Join("xl", relation.Target))
				}
			}
		}
	}
	return nil
}

// fill fills the blank cells of row i that are merged with a cell above or to the left, and stores the texts
// of the merged ranges that begin in the row. Above the data, cells merged within a single row are titles and
// are not filled.
func (x *sheet) fill(i int, row []string, above bool) []string {
	if i == 0 {
		x.begun, x.open = 0, nil
	}
	x.open = slices.DeleteFunc(x.open, func(m merge) bool { return m.bottom < i })
	for ; x.begun < len(x.merged) && x.merged[x.begun].top <= i; x.begun++ {
		m := x.merged[x.begun]
		if m.left < len(row) {
			m.text = row[m.left]
		}
		x.open = append(x.open, m)
	}
	for _, m := range x.open {
		if m.text == "" || above && m.top == m.bottom {
			continue
		}
		for j := m.left; j <= min(m.right, 1<<14-1); j++ {
			for len(row) <= j {
				row = append(row, "")
			}
			if strings.TrimSpace(row[j]) == "" {
				row[j] = m.text
				x.filled++
			}
		}
	}
	return row
}
