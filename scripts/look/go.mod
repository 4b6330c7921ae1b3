module github.com/mpcvm/mpcvm/scripts/look

go 1.26.0

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.22.1
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/go-echarts/go-echarts/v2 v2.7.2 // indirect
	github.com/go-logr/logr v1.4.2 // indirect
	github.com/gofrs/flock v0.13.1 // indirect
	github.com/gofrs/uuid v4.4.0+incompatible // indirect
	github.com/janpfeifer/gonb v0.11.4 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	golang.org/x/exp v0.0.0-20250106191152-7588d65b2ba8 // indirect
	golang.org/x/sys v0.47.0 // indirect
	k8s.io/klog/v2 v2.130.1 // indirect
)

require (
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/mpcvm/mpcvm v0.0.0
)

replace github.com/mpcvm/mpcvm => ../..
