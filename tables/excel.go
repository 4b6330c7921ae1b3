//go:build !js || excel

package tables

import _ "github.com/mpcvm/mpcvm/tables/internal/workbook/excel" // registers the reader of Excel files
