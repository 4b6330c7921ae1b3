//go:build !js

package data

import _ "github.com/mpcvm/mpcvm/internal/workbook/excel" // reads Excel files
