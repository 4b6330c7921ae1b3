package nbhelpers

import (
	"html"
	"strconv"
	"strings"

	"github.com/janpfeifer/gonb/gonbui"
)

// TableBlock is a table for a notebook cell or a page; see Table.
type TableBlock struct {
	// Caption stands above the table; empty means none.
	Caption string
	// Header names the columns; nil means no header.
	Header []string
	// Rows are the cells, as text. Columns of numbers are set flush right.
	Rows [][]string
}

// Table makes a table of a header and rows.
func Table(header []string, rows [][]string) TableBlock {
	return TableBlock{Header: header, Rows: rows}
}

// Display shows the table as output of the notebook cell. Outside of a notebook
// it does nothing.
func (t TableBlock) Display() {
	gonbui.DisplayHTML(t.HTML())
	gonbui.Sync()
}

func (t TableBlock) block(func(Chart) string) string { return t.HTML() }

// HTML returns the table as a piece of HTML. The styles are in the elements,
// because a notebook does not keep a style sheet; colours are those around it.
func (t TableBlock) HTML() string {
	columns := len(t.Header)
	for _, row := range t.Rows {
		columns = max(columns, len(row))
	}
	styles := make([]string, columns)
	for j := range styles {
		styles[j] = "padding:4px 12px;text-align:left;border:0;border-bottom:1px solid rgba(128,128,128,.28)"
		if t.numeric(j) {
			styles[j] = strings.Replace(styles[j], "left", "right;font-variant-numeric:tabular-nums", 1)
		}
	}
	var b strings.Builder
	b.WriteString(`<div style="overflow-x:auto;margin:1em 0"><table style="border-collapse:collapse;font-size:14px;line-height:1.4;background:none;color:inherit">`)
	if t.Caption != "" {
		b.WriteString(`<caption style="text-align:left;padding:0 12px 6px;font-weight:600;color:inherit">` + html.EscapeString(t.Caption) + "</caption>")
	}
	if t.Header != nil {
		b.WriteString("<thead>")
		writeRow(&b, t.Header, styles, `th scope="col"`, ";font-weight:600;border-bottom:2px solid rgba(128,128,128,.7)")
		b.WriteString("</thead>")
	}
	b.WriteString("<tbody>")
	for _, row := range t.Rows {
		writeRow(&b, row, styles, "td", "")
	}
	b.WriteString("</tbody></table></div>\n")
	return b.String()
}

func writeRow(b *strings.Builder, cells, styles []string, element, more string) {
	b.WriteString("<tr>")
	for j, style := range styles {
		cell := ""
		if j < len(cells) {
			cell = html.EscapeString(cells[j])
		}
		b.WriteString("<" + element + ` style="` + style + more + `">` + cell + "</" + element[:2] + ">")
	}
	b.WriteString("</tr>")
}

// numeric reports whether column j has numbers only, such as "1,234", "−0.5",
// "12 %" or "0.91 ± 0.02"; empty cells and dashes do not count.
func (t TableBlock) numeric(j int) bool {
	found := false
	for _, row := range t.Rows {
		if j >= len(row) || strings.Trim(row[j], "-–— ") == "" {
			continue
		}
		s := strings.NewReplacer(",", "", "−", "-", "%", "", " ", "", " ", "", "*", "").Replace(row[j])
		for _, part := range strings.Split(s, "±") {
			if _, err := strconv.ParseFloat(part, 64); err != nil {
				return false
			}
		}
		found = true
	}
	return found
}
