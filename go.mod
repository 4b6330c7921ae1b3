module github.com/mpcvm/mpcvm

go 1.26.0

require (
	github.com/go-echarts/go-echarts/v2 v2.7.2
	github.com/janpfeifer/gonb v0.11.4
	golang.org/x/sys v0.49.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/stretchr/testify v1.11.1 // indirect
	golang.org/x/tools v0.51.0 // indirect
)
