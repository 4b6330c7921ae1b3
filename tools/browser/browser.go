// Package browser starts headless Chromium for the checks and pictures of this repository.
package browser

import (
	"context"

	"github.com/chromedp/chromedp"
)

// Start starts a headless Chromium without network access, with optional additional options, and returns
// its context and a function that stops it.
func Start(parent context.Context, more ...chromedp.ExecAllocatorOption) (context.Context,
	context.CancelFunc) {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("proxy-server", "127.0.0.1:9"), // nothing listens there, so the network is off
		chromedp.WindowSize(1280, 900),
	)
	alloc, stop := chromedp.NewExecAllocator(parent, append(options, more...)...)
	ctx, cancel := chromedp.NewContext(alloc)
	return ctx, func() { cancel(); stop() }
}
