package eval_test

import (
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/eval"
	"github.com/mpcvm/mpcvm/tables/table"
)

func init() {
	eval.Open = func(path string, drop, id []string) (*table.Table, error) {
		return tables.Open(path, tables.Options{Drop: drop, ID: id})
	}
}
