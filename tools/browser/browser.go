// Package browser starts headless Chromium for the checks and pictures of this repository.
package browser

import (
	"context"

	"github.com/chromedp/chromedp"
)

// Start returns a context for a fresh headless Chromium that reaches no network, and a function
// that ends it. More options may be given.
func Start(parent context.Context, more ...chromedp.ExecAllocatorOption) (context.Context,
	context.CancelFunc) {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("proxy-server", "127.0.0.1:9"), // nobody listens: the network is off
		chromedp.WindowSize(1280, 900),
	)
	alloc, stop := chromedp.NewExecAllocator(parent, append(options, more...)...)
	ctx, cancel := chromedp.NewContext(alloc)
	return ctx, func() { cancel(); stop() }
}
