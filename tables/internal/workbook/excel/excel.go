// Package excel implements package workbook with the library excelize.
package excel

import (
	"io"
	"math"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/mpcvm/mpcvm/tables/internal/workbook"
)

func init() { workbook.Open = open }

func open(r io.Reader) (workbook.Book, error) {
	// The caller has checked the sizes of the parts.
	f, err := excelize.OpenReader(r, excelize.Options{RawCellValue: true, UnzipSizeLimit: math.MaxInt64 / 2})
	if err != nil {
		return nil, err
	}
	props, err := f.GetWorkbookProps()
	return book{f, err == nil && props.Date1904 != nil && *props.Date1904}, nil
}

type book struct {
	*excelize.File
	since1904 bool // whether dates count from 1904 instead of 1900
}

func (b book) Sheets() []string { return b.GetSheetList() }

func (b book) Time(number float64) (time.Time, error) {
	return excelize.ExcelDateToTime(number, b.since1904)
}

func (b book) Close() error { return b.File.Close() }

func (b book) Rows(sheet string) (workbook.Rows, error) {
	r, err := b.File.Rows(sheet)
	if err != nil {
		return nil, err
	}
	return rows{r}, nil
}

type rows struct{ *excelize.Rows }

func (r rows) Columns(raw bool) ([]string, error) {
	return r.Rows.Columns(excelize.Options{RawCellValue: raw})
}
