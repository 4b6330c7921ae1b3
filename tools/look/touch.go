package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// nth returns a JavaScript expression for chart number i, from 0.
func nth(i int) string { return fmt.Sprintf(`document.querySelectorAll(".mpcvm-chart")[%d]`, i) }

// slider returns a JavaScript expression for the slider of a chart, if it has one.
func slider(i int) string { return nth(i) + `.closest(".mpcvm-frames")?.querySelector("input")` }

// touch operates chart i with the mouse and the keyboard and returns its faults.
func (l looker) touch(ctx context.Context, i int) (faults []string) {
	offers, err := chromedp.Run(ctx, chromedp.Evaluate[struct{ Readout, Slider bool }](fmt.Sprintf(
		`(() => { const d = %s; d.scrollIntoView({block: "center"}); return {Readout: !!d.querySelector(".mpcvm-hover"), Slider: !!(%s)} })()`, nth(i), slider(i))))
	if err != nil {
		return []string{err.Error()}
	}
	if offers.Readout {
		if _, err := readout(ctx, i); err != nil {
			faults = append(faults, err.Error())
		}
	}
	if offers.Slider {
		if err := l.slide(ctx, i); err != nil {
			faults = append(faults, err.Error())
		}
	}
	return faults
}

// readout moves the mouse over chart i until it shows the probabilities at the pointer.
func readout(ctx context.Context, i int) (said string, err error) {
	type box struct{ X, Y, Width, Height float64 }
	b, err := chromedp.Run(ctx, chromedp.Evaluate[box](fmt.Sprintf(
		`(() => { const r = %s.getBoundingClientRect(); return {X: r.x, Y: r.y, Width: r.width, Height: r.height} })()`, nth(i))))
	if err != nil {
		return "", err
	}
	for k := range 30 { // samples have their own tooltips
		x, y := b.X+b.Width*(.3+.08*float64(k%6)), b.Y+b.Height*(.4+.07*float64(k/6))
		if err := chromedp.Do(ctx, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y)); err != nil {
			return "", err
		}
		said, err = chromedp.Run(ctx,
			chromedp.Evaluate[string](nth(i)+`.querySelector(".mpcvm-hover:not([hidden])")?.innerText ?? ""`))
		if err != nil || strings.Count(said, "\n") >= 2 {
			return said, err
		}
	}
	return said, fmt.Errorf("no probabilities at the pointer, but %q", said)
}

// slide presses an arrow key on the slider of chart i, which must change the chart.
func (l looker) slide(ctx context.Context, i int) error {
	state := fmt.Sprintf(`%s.getAttribute("aria-valuetext") + %s.querySelector("svg").outerHTML`, slider(i),
		nth(i))
	key, err := chromedp.Run(ctx, chromedp.Evaluate[string](fmt.Sprintf(
		`(() => { const s = %s; s.focus(); window.mpcvmBefore = %s; return s.min === s.max ? "" : s.value === s.max ? "left" : "right" })()`, slider(i), state)))
	if err != nil || key == "" {
		return err
	}
	keys := map[string]string{"left": kb.ArrowLeft, "right": kb.ArrowRight}
	if err := chromedp.Do(ctx, chromedp.KeyEvent(keys[key])); err != nil {
		return err
	}
	return within(ctx, l.wait, "the slider has no effect", state+` !== window.mpcvmBefore`)
}

// within waits for a JavaScript condition to become true.
func within(ctx context.Context, most time.Duration, fault, condition string) error {
	for deadline := time.Now().Add(most); ; time.Sleep(pollEvery / 5) {
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](condition))
		if err != nil || ok {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s (%s)", fault, condition)
		}
	}
}
