package chart

import (
	"html"
	"strconv"
	"strings"
)

// TableBlock is a table for a notebook cell or a page; see nbhelpers.TableBlock.
type TableBlock struct {
	Caption string   // none if empty
	Header  []string // none if nil
	Rows    [][]string
	Bold    [][]bool // may be shorter than Rows

	pictures []string // HTML of the cells of the second column; nil if it contains text
	systems  bool     // columns and rows named after a system have a line in its colour
}

// Display shows the table as output of the notebook cell. It does nothing outside a notebook.
func (t TableBlock) Display() { Display(t) }

// HTML returns the table as an HTML fragment. Styles are in the elements, because a notebook does
// not keep a style sheet.
func (t TableBlock) HTML() string {
	columns := len(t.Header)
	for _, row := range t.Rows {
		columns = max(columns, len(row))
	}
	styles, numeric := make([]string, columns), make([]bool, columns)
	for j := range styles {
		if numeric[j] = t.numeric(j); !numeric[j] {
			styles[j] = ` style="text-align:left"`
		}
	}
	var b strings.Builder
	b.WriteString(
		`<div tabindex="0" style="overflow-x:auto;margin:1em 0">` +
			`<table cellpadding="6" style="border-collapse:collapse;text-align:right;font-size:14px;` +
			`font-variant-numeric:tabular-nums;line-height:1.4;background:none;color:inherit">`)
	if t.Caption != "" {
		b.WriteString(`<caption style="text-align:left;padding:0 12px 6px;font-weight:600;color:inherit">` +
			html.EscapeString(t.Caption) + "</caption>")
	}
	cell := func(element, style, inside string) {
		b.WriteString("<" + element + style + ">" + inside + "</" + element[:2] + ">")
	}
	if t.Header != nil {
		b.WriteString(`<thead><tr style="border-bottom:2px solid rgba(128,128,128,.7)">`)
		for j, style := range styles {
			if name := textAt(t.Header, j); t.systems && IsSystem(name) {
				style = withStyle(style, "border-top:4px solid "+SystemColor(name))
			}
			if name := textAt(t.Header, j); name != "" {
				cell(`th scope="col"`, style, html.EscapeString(name))
			} else {
				cell("td", style, "") // a column without a name
			}
		}
		b.WriteString("</tr></thead>")
	}
	b.WriteString("<tbody>")
	for i, row := range t.Rows {
		b.WriteString(`<tr style="border-bottom:1px solid rgba(128,128,128,.28)">`)
		for j, style := range styles {
			inside := html.EscapeString(textAt(row, j))
			if j == 1 && i < len(t.pictures) {
				inside = t.pictures[i]
			}
			if numeric[j] {
				inside = strings.ReplaceAll(inside, " ", "\u00a0") // on one line
				if value, deviation, ok := strings.Cut(inside, "\u00a0±\u00a0"); ok {
					inside = value + "<small>\u00a0±\u00a0" + deviation + "</small>"
				}
			}
			if i < len(t.Bold) && j < len(t.Bold[i]) && t.Bold[i][j] {
				inside = "<b>" + inside + "</b>"
			}
			if name := textAt(row, j); t.systems && j == 0 && IsSystem(name) {
				style = withStyle(style, "border-left:4px solid "+SystemColor(name))
			}
			cell("td", style, inside)
		}
		b.WriteString("</tr>")
	}
	b.WriteString("</tbody></table></div>\n")
	return b.String()
}

// withStyle adds a declaration to a style attribute, which may be empty.
func withStyle(attribute, declaration string) string {
	if attribute == "" {
		return ` style="` + declaration + `"`
	}
	return strings.TrimSuffix(attribute, `"`) + ";" + declaration + `"`
}

// textAt returns cell j of a row that may be too short.
func textAt(row []string, j int) string {
	if j < len(row) {
		return row[j]
	}
	return ""
}

// numeric reports whether column j contains only numbers, such as "1,234", "−0.5", "12 %" or "0.91 ±
// 0.02". Empty cells and dashes are ignored.
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

// OfSystems returns the table with lines in the colours of the systems that its columns and rows are
// named after.
func OfSystems(t TableBlock) TableBlock {
	t.systems = true
	return t
}

// WithPictures returns the table with HTML in the cells of the second column.
func WithPictures(t TableBlock, pictures []string) TableBlock {
	t.pictures = pictures
	return t
}
