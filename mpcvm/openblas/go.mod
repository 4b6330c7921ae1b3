module github.com/mpcvm/mpcvm/mpcvm/openblas

go 1.26

require (
	github.com/mpcvm/mpcvm v0.0.0-00010101000000-000000000000
	gonum.org/v1/gonum v0.17.0
)

require golang.org/x/sys v0.46.0 // indirect

replace github.com/mpcvm/mpcvm => ../..
