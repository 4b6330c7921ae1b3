//go:build !js || parquet

package tables

import (
	"context"
	"io"
	"slices"
	"sync/atomic"

	"github.com/mpcvm/mpcvm/tables/parquet"
	"github.com/mpcvm/mpcvm/tables/table"
)

func (f file) readParquet(ctx context.Context, o Options) (*table.Table, error) {
	return parquet.ReadTable(ctx, f.at, f.size, f.name, o)
}

func (p *Reader) parquet(f file) error {
	in, err := parquet.OpenTable(f.at, f.size, f.name)
	if err != nil {
		return err
	}
	p.names = in.Names()
	var row atomic.Int64
	p.share = func() float64 { return float64(row.Load()) / float64(max(in.Rows(), 1)) }
	p.next = func(ctx context.Context, rows int) (parse, error) {
		if row.Load() == in.Rows() {
			return nil, io.EOF
		}
		o := p.o
		o.Drop = slices.DeleteFunc(slices.Clone(p.names), func(name string) bool {
			return slices.ContainsFunc(p.like(), func(c table.Column) bool { return c.Name == name })
		})
		t, err := in.ReadRows(ctx, rows, o)
		if err != nil {
			return nil, err
		}
		row.Add(int64(t.Rows))
		return func() (*table.Table, error) { return t, nil }, nil
	}
	return nil
}
