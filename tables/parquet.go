//go:build !js

package tables

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/mpcvm/mpcvm/tables/parquet"
	"github.com/mpcvm/mpcvm/tables/table"
)

func (f file) readParquet(ctx context.Context, o Options) (*table.Table, error) {
	return parquet.ReadTable(ctx, f.at, f.size, f.name, o.columns())
}

// parquet reads a Parquet file in parts.
func (p *Reader) parquet(f file) error {
	in, err := parquet.OpenTable(f.at, f.size, f.name)
	if err != nil {
		return err
	}
	p.Names = in.Names()
	var row atomic.Int64
	p.share = func() float64 { return float64(row.Load()) / float64(max(in.Rows(), 1)) }
	p.part = func(ctx context.Context, rows int) (func() (*table.Table, error), error) {
		if row.Load() == in.Rows() {
			return nil, io.EOF
		}
		o := p.o.columns()
		o.Drop = nil
		for _, name := range p.Names {
			if !p.wanted(name) {
				o.Drop = append(o.Drop, name)
			}
		}
		t, err := in.ReadRows(ctx, rows, o)
		if err != nil {
			return nil, err
		}
		row.Add(int64(t.Rows))
		return func() (*table.Table, error) { return t, nil }, nil
	}
	return nil
}
