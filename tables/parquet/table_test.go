package parquet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go/deprecated"

	"github.com/mpcvm/mpcvm/tables/table"
)

// Each Parquet type becomes a column of the matching kind. A null is a missing cell.
func TestReadTable(t *testing.T) {
	when := time.Date(2021, 5, 1, 12, 30, 15, 0, time.UTC)
	days := int64(when.Unix() / 86400)
	type row struct {
		Milli  int64            `parquet:"milli,timestamp(millisecond)"`
		Micro  int64            `parquet:"micro,timestamp(microsecond)"`
		Nano   int64            `parquet:"nano,timestamp(nanosecond)"`
		Day    int32            `parquet:"day,date"`
		Int96  deprecated.Int96 `parquet:"int96"`
		Number *float64         `parquet:"number,optional"`
		Text   *string          `parquet:"text,optional"`
		Long   uint64           `parquet:"long"`
		UUID   [16]byte         `parquet:"uuid,uuid"`
	}
	rows := make([]row, 30)
	for i := range rows {
		v, s := float64(i%3)/2, fmt.Sprint("t", i%3)
		nanos := uint64(when.UnixNano()) - uint64(days)*86400e9
		rows[i] = row{when.UnixMilli(), when.UnixMicro(), when.UnixNano(), int32(days),
			deprecated.Int96{uint32(nanos), uint32(nanos >> 32), uint32(days + 2440588)},
			&v, &s, math.MaxUint64 - uint64(i%4), [16]byte{byte(i)}}
	}
	rows[4].Number, rows[4].Text = nil, nil
	infinite := math.Inf(1)
	rows[5].Number = &infinite
	bits := file(t, rows)
	for _, as := range []table.Kind{-1, table.Category} {
		o := table.Options{Drop: []string{"nano"}, Kinds: map[string]table.Kind{}}
		want := []string{"milli date 2021-05-01T12:30:15", "micro date 2021-05-01T12:30:15", "day date 2021-05-01",
			"int96 date 2021-05-01T12:30:15",
			"number number 0", "text category t0", "long category 18446744073709551615"}
		if as == table.Category {
			for _, name := range []string{"milli", "micro", "day", "int96", "number"} {
				o.Kinds[name] = as
			}
			want = []string{"milli category 2021-05-01T12:30:15", "micro category 2021-05-01T12:30:15",
				"day category 2021-05-01", "int96 category 2021-05-01T12:30:15",
				"number category 0", "text category t0", "long category 18446744073709551615"}
		}
		got, err := ReadTable(context.Background(), bytes.NewReader(bits), int64(len(bits)), "s", o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got.Columns {
			c := &got.Columns[i]
			if cell := c.Name + " " + c.Kind.String() + " " + c.Text(0); i >= len(want) || cell != want[i] {
				t.Errorf("%s", cell)
			}
			if c.Missing(4) != (c.Name == "number" || c.Name == "text") {
				t.Errorf("%s: missing %t", c.Name, c.Missing(4))
			}
		}
		if as < 0 && fmt.Sprint(got.Columns[4].Faults) != "[{5 0 +Inf}]" {
			t.Errorf("faults %v", got.Columns[4].Faults)
		}
		if len(got.Columns) != len(want) || len(got.Notes) == 0 {
			t.Errorf("%d columns, notes %q", len(got.Columns), got.Notes)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ReadTable(ctx, bytes.NewReader(bits), int64(len(bits)), "s", table.Options{}); !errors.Is(err,
		context.Canceled) {
		t.Error(err)
	}
	lists := file(t, []struct{ X []float64 }{{[]float64{1}}})
	if _, err := ReadTable(context.Background(), bytes.NewReader(lists), int64(len(lists)), "s",
		table.Options{}); err == nil {
		t.Error("no error for a list")
	}
}
