package tables

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/mpcvm/mpcvm/internal/cell"
	"github.com/mpcvm/mpcvm/tables/internal/detect"
	"github.com/mpcvm/mpcvm/tables/internal/dialect"
	"github.com/mpcvm/mpcvm/tables/internal/texts"
	"github.com/mpcvm/mpcvm/tables/internal/workbook"
	"github.com/mpcvm/mpcvm/tables/table"
)

// probeRows is the number of rows of a sheet used to locate its table and to find the columns with dates.
const probeRows = 200

// sheet is the table of a sheet of an Excel file.
type sheet struct {
	book     workbook.Book
	name     string
	first    int // row of the header or, without a header, of the first data, from 0
	header   bool
	from, to int         // range of columns, excluding to
	merged   []merge     // sorted by top row
	begun    int         // number of merged ranges that begin at or above the current row
	open     []merge     // ranges that overlap the current row
	filled   int         // number of merged cells that were filled
	formats  map[int]int // dateFormat or truthFormat, by column
	ctx      context.Context
	file     string
	rows     workbook.Rows
	row      int           // current row, from 1
	read     int           // rows of the table read so far
	outside  table.Finding // cells outside the table
	remarked int           // rows with such cells
	cells    [][]byte
	notes    []table.Finding
}

const (
	dateFormat = iota + 1
	truthFormat
)

func (f file) readXLSX(ctx context.Context, o Options) (*table.Table, error) {
	z, err := f.openZip()
	if err != nil {
		return nil, err
	}
	if workbook.Open == nil {
		return nil, table.Finding{Code: texts.NoExcel, Cause: ErrFormat}
	}
	book, err := workbook.Open(stopping{ctx, io.NewSectionReader(f.at, 0, f.size)})
	if err != nil {
		return nil, fmt.Errorf("workbook: %w", err)
	}
	defer book.Close()
	x, err := f.findSheet(ctx, book, o)
	if err != nil {
		return nil, err
	}
	if x.merged, err = merges(ctx, z, x.name); err != nil {
		return nil, err
	}
	names, err := x.find(ctx, o)
	if err != nil {
		return nil, err
	}
	plan, err := detect.New(detect.Source{File: f.name, Columns: names}, o)
	if err != nil {
		return nil, err
	}
	x.ctx, x.file, x.cells = ctx, f.name, make([][]byte, len(names))
	defer x.close()
	t, err := plan.Read(func() (detect.Rows, error) { return x, x.begin() }, o.Lenient)
	if err != nil {
		return nil, err
	}
	if x.outside.N > 0 {
		x.notes = append(x.notes, x.outside)
	}
	if x.filled > 0 {
		x.notes = append(x.notes, table.Finding{Code: texts.MergedCells, N: x.filled})
	}
	t.Notes = slices.Concat(x.notes, t.Notes)
	t.Reading = fmt.Sprintf("Excel, sheet %q", x.name)
	if !x.header {
		t.Reading += ", no header"
	}
	return t, nil
}

// openZip returns an error if an archive is not a workbook or expands too much.
func (f file) openZip() (*zip.Reader, error) {
	z, err := zip.NewReader(f.at, f.size)
	if err != nil {
		return nil, err
	}
	total, book := uint64(0), false
	for _, part := range z.File {
		if strings.EqualFold(part.Name, "xl/sharedStrings.xml") {
			if err := f.checkStrings(part); err != nil {
				return nil, err
			}
		}
		if total += part.UncompressedSize64; part.UncompressedSize64 > math.MaxInt64/4 ||
			total > uint64(max(maxUnzipped, maxRatio*f.size)) {
			return nil, table.Finding{Code: texts.LargeUnpacked, N: maxRatio, Cause: ErrTooLarge}
		}
		book = book || strings.EqualFold(part.Name, "xl/workbook.xml")
	}
	if !book {
		return nil, refused("a zip archive", "")
	}
	return z, nil
}

// findSheet returns the sheet named in the options. Without a name, it returns the first sheet with at least
// three rows and two columns or, failing that, the first sheet with data.
func (f file) findSheet(ctx context.Context, book workbook.Book, o Options) (*sheet, error) {
	names := book.Sheets()
	if o.Sheet != "" && !slices.Contains(names, o.Sheet) {
		return nil, table.Finding{Code: texts.NoSuchSheet, Option: "Sheet", Value: o.Sheet, Texts: names}
	}
	x := &sheet{book: book, name: o.Sheet}
	if len(names) == 1 {
		x.name = names[0]
	}
	if x.name != "" {
		return x, nil
	}
	isTable := false
	for _, name := range names {
		rows, columns, err := extent(ctx, book, name)
		if err != nil {
			return nil, err
		}
		if can := rows > 2 && columns > 1; rows > 0 && (x.name == "" || can && !isTable) {
			x.name, isTable = name, can
		}
	}
	if x.name == "" {
		return nil, ErrEmpty
	}
	others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == x.name })
	x.notes = []table.Finding{{Code: texts.SheetChosen, N: len(names), Texts: append([]string{x.name},
		others...)}}
	return x, nil
}

// extent returns the number of nonempty rows of a sheet, 0 for a chart, and of the cells in the widest.
func extent(ctx context.Context, book workbook.Book, name string) (n, columns int, err error) {
	rows, err := book.Rows(name)
	if err != nil {
		return 0, 0, nil
	}
	defer rows.Close()
	for rows.Next() {
		if n%256 == 0 && ctx.Err() != nil {
			return 0, 0, ctx.Err()
		}
		cells, err := rows.Columns(true)
		if err != nil {
			break
		}
		if k := filled(cells); k > 0 {
			n, columns = n+1, max(columns, k)
		}
	}
	return n, columns, nil
}

func filled(cells []string) (n int) {
	for _, c := range cells {
		if strings.TrimSpace(c) != "" {
			n++
		}
	}
	return n
}

// head returns the first rows, both as stored and as displayed by Excel.
func (x *sheet) head(ctx context.Context) (raw, shown [][]string, err error) {
	for i, to := range []*[][]string{&raw, &shown} {
		rows, err := x.book.Rows(x.name)
		if err != nil {
			return nil, nil, err
		}
		for rows.Next() && len(*to) < probeRows && ctx.Err() == nil {
			cells, err := rows.Columns(i == 0)
			if err != nil {
				_ = rows.Close()
				return nil, nil, err
			}
			*to = append(*to, x.fill(len(*to), cells, true))
		}
		if err := errors.Join(rows.Error(), rows.Close(), ctx.Err()); err != nil {
			return nil, nil, err
		}
	}
	return raw, shown, nil
}

// find finds the table in the sheet and returns the names of its columns.
func (x *sheet) find(ctx context.Context, o Options) (names []string, err error) {
	raw, shown, err := x.head(ctx)
	if err != nil {
		return nil, err
	}
	if err := x.findRange(raw, o.Skip); err != nil {
		return nil, err
	}
	// A row with a number is not a header.
	x.header = o.Header != "none" && (o.Header != "" || x.numbers(raw, x.first, x.from, x.to) == 0)
	data := x.first
	var notes []table.Finding
	if x.header {
		if data++; o.Skip == 0 && x.grouped(raw) {
			x.first, data = data, data+1
		}
		x.dropRemarks(raw, data)
		for j := x.from; j < x.to; j++ {
			names = append(names, cellAt(shown, x.first, j))
		}
		names, notes = dialect.UniqueNames(names)
	} else {
		names, notes = dialect.Numbered(x.to - x.from)
	}
	x.notes = append(x.notes, notes...)
	if x.first > o.Skip {
		x.notes = append(x.notes, table.Finding{Code: texts.TableBelow, Row: x.first + 1,
			Option: "Skip", Value: strconv.Itoa(x.first)})
	}
	x.findFormats(raw, shown, data)
	return names, nil
}

func cellAt(rows [][]string, i, j int) string {
	if j < len(rows[i]) {
		return strings.TrimSpace(rows[i][j])
	}
	return ""
}

// numbers counts the cells of a row that are numbers, in a range of columns.
func (x *sheet) numbers(rows [][]string, i, from, to int) (n int) {
	for j := from; j < to; j++ {
		if _, err := strconv.ParseFloat(cellAt(rows, i, j), 64); err == nil {
			n++
		}
	}
	return n
}

// grouped reports whether the first row has merged cells over groups of columns named in the second row.
func (x *sheet) grouped(raw [][]string) bool {
	if x.first+2 >= len(raw) || x.numbers(raw, x.first+1, x.from, x.to) > 0 {
		return false
	}
	return slices.ContainsFunc(x.merged, func(m merge) bool {
		names := 0
		for j := m.left; j <= m.right && cellAt(raw, x.first+1, j) != ""; j++ {
			names++
		}
		return m.top == x.first && m.bottom == m.top && names > 1 && names == m.right-m.left+1 &&
			x.numbers(raw, x.first+2, m.left, m.right+1) > 0
	})
}

// dropRemarks removes columns at the right end that do not belong to the table: at most a tenth of their
// cells have values, and the column has no name or the column to its left is empty. data is the first row
// of values.
func (x *sheet) dropRemarks(raw [][]string, data int) {
	count := func(j int) (n int) {
		for i := data; i < len(raw); i++ {
			if cellAt(raw, i, j) != "" {
				n++
			}
		}
		return n
	}
	named := func(j int) bool { return cellAt(raw, x.first, j) != "" }
	for j := x.to - 1; j > x.from && 10*count(j) <= len(raw)-data &&
		(!named(j) || !named(j-1) && count(j-1) == 0); j-- {
		x.to = j
	}
}

// findRange finds the rows and columns of the table. It begins with the first row that has at least two
// thirds of the median number of cells. Titles have fewer.
func (x *sheet) findRange(raw [][]string, skip int) error {
	var counts []int
	for i, row := range raw {
		if n := filled(row); i >= skip && n > 0 {
			counts = append(counts, n)
		}
	}
	if len(counts) == 0 {
		return ErrEmpty
	}
	slices.Sort(counts)
	typical := counts[len(counts)/2]
	narrow := func(n int) bool { return n == 0 || skip == 0 && 3*n < 2*typical }
	for x.first = skip; narrow(filled(raw[x.first])); x.first++ {
	}
	x.from = math.MaxInt
	for i := x.first; i < len(raw); i++ {
		for j := range raw[i] {
			if cellAt(raw, i, j) != "" {
				x.from, x.to = min(x.from, j), max(x.to, j+1)
			}
		}
	}
	if x.to-x.from > cell.MaxCells {
		return ErrTooWide
	}
	return nil
}

// findFormats finds the columns that Excel shows as dates or truth values. data is the first row of values.
func (x *sheet) findFormats(raw, shown [][]string, data int) {
	x.formats = map[int]int{}
	for j := x.from; j < x.to; j++ {
		dates, truths, others := 0, 0, 0
		for i := data; i < min(len(raw), len(shown)); i++ {
			value, look := cellAt(raw, i, j), cellAt(shown, i, j)
			number, err := strconv.ParseFloat(value, 64)
			switch {
			case value == "":
			case err == nil && x.showsDate(number, look):
				dates++
			case (value == "0" || value == "1") && (look == "FALSE" || look == "TRUE"):
				truths++
			case err == nil:
				others++
			}
		}
		switch {
		case dates > others:
			x.formats[j] = dateFormat
		case truths > others:
			x.formats[j] = truthFormat
		}
	}
}

// showsDate reports whether a number is displayed as a date: the displayed text has at least two groups of
// digits, or the name of a month, and all of them match the date that the number represents.
func (x *sheet) showsDate(v float64, shown string) bool {
	when, err := x.book.Time(v)
	if err != nil || v < 0 || strings.ContainsAny(shown, "%$€£") {
		return false
	}
	parts := []int{when.Year(), when.Year() % 100, int(when.Month()), when.Day(), when.Hour(),
		(when.Hour()+11)%12 + 1, when.Minute(), when.Second(), (when.Second() + 1) % 60}
	groups := strings.FieldsFunc(shown, func(r rune) bool { return !unicode.IsDigit(r) })
	months := 0
	for _, name := range strings.FieldsFunc(shown, func(r rune) bool { return !unicode.IsLetter(r) }) {
		begins := func(word string) bool {
			return len(name) >= 3 && strings.HasPrefix(strings.ToLower(word), strings.ToLower(name))
		}
		switch {
		case begins(when.Month().String()), begins(when.Weekday().String()):
			months++
		case strings.EqualFold(name, "am"), strings.EqualFold(name, "pm"), name == "T", name == "Z":
		default:
			return false
		}
	}
	for _, group := range groups {
		if n, err := strconv.Atoi(group); err != nil || !slices.Contains(parts, n) {
			return false
		}
	}
	marks := strings.ContainsAny(shown, "-/:") || strings.Count(shown, ".") > 1
	return len(groups)+months >= 2 && (marks || months > 0)
}

func (x *sheet) begin() (err error) {
	x.close()
	x.filled, x.row, x.read, x.remarked, x.outside = 0, 0, 0, 0, table.Finding{Code: texts.OutsideCells}
	x.rows, err = x.book.Rows(x.name)
	return err
}

func (x *sheet) close() {
	if x.rows != nil {
		_ = x.rows.Close()
	}
}

// Next returns the cells of the next row of the table; see detect.Rows.
func (x *sheet) Next() ([][]byte, int, error) {
	first := x.first
	if x.header {
		first++
	}
	for x.rows.Next() {
		x.row++
		i := x.row - 1
		if i%256 == 0 && x.ctx.Err() != nil {
			return nil, 0, x.ctx.Err()
		}
		row, err := x.rows.Columns(true)
		if err != nil {
			return nil, 0, err
		}
		blank := filled(row) == 0
		if row = x.fill(i, row, i < first); i < x.first || blank || x.remark(row) || i < first {
			continue
		}
		x.read++
		for j := range x.cells {
			x.cells[j] = x.cells[j][:0]
			if x.from+j < len(row) {
				x.cells[j] = x.appendCell(x.cells[j], x.from+j, row[x.from+j])
			}
		}
		return x.cells, x.row, nil
	}
	if err := x.rows.Error(); err != nil || 10*x.remarked <= x.read+9 {
		return nil, 0, cmp.Or(err, io.EOF)
	}
	return nil, 0, &cell.Error{Name: x.file, Row: int64(x.outside.Row),
		Err: table.Finding{Code: texts.OutsideTable,
			N: x.outside.N, Texts: []string{strconv.Itoa(x.from + 1), strconv.Itoa(x.to), x.name}, Cause: ErrRagged}}
}

// remark counts the cells of a row outside the table, and reports whether the row has no others.
func (x *sheet) remark(row []string) bool {
	outside := slices.Concat(row[:min(x.from, len(row))], row[min(x.to, len(row)):])
	n := filled(outside)
	if n == 0 {
		return false
	}
	if x.remarked++; x.outside.N == 0 {
		first := slices.IndexFunc(outside, func(c string) bool { return strings.TrimSpace(c) != "" })
		x.outside.Row, x.outside.Texts = x.row, []string{outside[first]}
	}
	x.outside.N += n
	return n == filled(row)
}

func (x *sheet) appendCell(to []byte, column int, raw string) []byte {
	switch x.formats[column] {
	case dateFormat:
		v, err := strconv.ParseFloat(raw, 64)
		if err != nil {
			break
		}
		when, err := x.book.Time(v)
		if err != nil {
			break
		}
		return append(to, table.FormatDate(float64(when.Round(time.Second).Unix()))...)
	case truthFormat:
		switch raw {
		case "0":
			return append(to, "FALSE"...)
		case "1":
			return append(to, "TRUE"...)
		}
	}
	return append(to, raw...)
}

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
// of the merged ranges that begin in the row. Above the data, cells merged within a row are titles.
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
