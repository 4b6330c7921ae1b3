package assess_test

import (
	"github.com/mpcvm/mpcvm/tables"
	"github.com/mpcvm/mpcvm/tables/assess"
	"github.com/mpcvm/mpcvm/tables/table"
)

func init() {
	assess.Open = func(path string, drop, id []string) (*table.Table, error) {
		return tables.Open(path, tables.Options{Drop: drop, ID: id})
	}
}
