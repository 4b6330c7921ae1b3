module github.com/mpcvm/mpcvm/experiments

go 1.26.0

require (
	github.com/gofrs/flock v0.13.1
	github.com/mpcvm/mpcvm v0.0.0
	github.com/spf13/cobra v1.10.2
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/go-echarts/go-echarts/v2 v2.7.2 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/janpfeifer/gonb v0.11.4 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
)

replace github.com/mpcvm/mpcvm => ..
