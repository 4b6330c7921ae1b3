package nbhelpers

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mpcvm/mpcvm/data"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/mpcvm"
	"github.com/mpcvm/mpcvm/mpcvm/kernel"
)

// fakeProgress has a clock that advances by tick each time it is read.
func fakeProgress(tick time.Duration) (*Progress, *strings.Builder, *[]string) {
	var out strings.Builder
	var shown []string
	now := time.Unix(0, 0)
	p := NewProgress("mPCVM₂ <b>")
	p.w, p.notebook, p.terminal = &out, false, false
	p.now = func() time.Time { now = now.Add(tick); return now }
	p.show = func(id, html string) { shown = append(shown, id+" "+html) }
	p.start = now
	return p, &out, &shown
}

func observeAll(p *Progress, n int) mpcvm.Result {
	trace := steps(n)
	for i := range trace {
		p.Observe(&trace[i])
	}
	return mpcvm.Result{Status: mpcvm.Converged, Iterations: n, Objective: -141.2, Trace: trace,
		Seconds: 12.3}
}

func TestProgressPlain(t *testing.T) {
	p, out, _ := fakeProgress(100 * time.Millisecond)
	r := observeAll(p, 120) // 12 s
	p.Done(r)
	p.Done(r)
	p.Observe(&r.Trace[0])
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 || strings.ContainsAny(out.String(), "\r\x1b") {
		t.Fatalf("lines are %q, want two of progress and a last one", lines)
	}
	want := "mPCVM₂ <b>: converged after 120 iterations, 12 s: objective −141.2, 19 weights"
	must.Equal(t, lines[2], want)
	quick, out, _ := fakeProgress(time.Millisecond)
	quick.Done(observeAll(quick, 50))
	must.Equal(t, strings.Count(out.String(), "\n"), 1)
}

func TestProgressTerminal(t *testing.T) {
	p, out, _ := fakeProgress(100 * time.Millisecond)
	p.terminal = true
	p.Done(observeAll(p, 30))
	if n := strings.Count(out.String(), "\r"); n < 9 || n > 13 {
		t.Errorf("the line is updated %d times in 3 s", n)
	}
	if !strings.HasSuffix(out.String(), "weights\n") {
		t.Errorf("the last line is %q", out.String())
	}
}

func TestProgressNotebook(t *testing.T) {
	p, out, shown := fakeProgress(100 * time.Millisecond)
	p.notebook = true
	p.Done(observeAll(p, 50))
	if out.Len() != 0 {
		t.Errorf("a notebook has lines on standard error: %q", out)
	}
	for i, s := range *shown {
		if output, html, _ := strings.Cut(s, " "); output != p.id || !strings.HasPrefix(html, "<div") ||
			strings.Contains(html, "<b><b>") || strings.Contains(html, "<script>") {
			t.Errorf("update %d is %.100q", i, s)
		}
	}
	if n := len(*shown); n < 15 || n > 19 {
		t.Errorf("%d updates in 5 s", n)
	}
}

// TestProgressStopped checks that the bar of a stopped fit shows how far the fit got.
func TestProgressStopped(t *testing.T) {
	p, _, shown := fakeProgress(100 * time.Millisecond)
	p.notebook = true
	ctx, cancel := context.WithCancel(t.Context())
	set, err := data.Load("overlap")
	must.OK(t, err)
	_, r, err := mpcvm.TopDown{Kernel: kernel.RBF{Theta: 1}, Tol: -1, MaxIterations: 80}.Fit(ctx,
		mpcvm.Samples{X: set.X, T: set.T}, func(s *mpcvm.Step) {
			p.Observe(s)
			if s.Iteration == 20 {
				cancel()
			}
		})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	p.Done(r)
	last := (*shown)[len(*shown)-1]
	if !strings.Contains(last, `aria-valuenow="25"`) || !strings.Contains(last, "width:25.0%") ||
		!strings.Contains(last, brokenColor) || !strings.Contains(last, "stopped after 20 iterations") {
		t.Errorf("the line is %s", last)
	}
	p, _, shown = fakeProgress(100 * time.Millisecond)
	p.notebook = true
	p.Done(observeAll(p, 9))
	if last := (*shown)[len(*shown)-1]; !strings.Contains(last, `aria-valuenow="100"`) ||
		strings.Contains(last, brokenColor) {
		t.Errorf("the line of a converged fit is %s", last)
	}
}

func TestProgressFromManyGoroutines(t *testing.T) {
	p, _, _ := fakeProgress(time.Second)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() { observeAll(p, 20) })
	}
	wait.Wait()
	p.Done(mpcvm.Result{})
}

func TestRemaining(t *testing.T) {
	if left, ok := remaining(10*time.Second, 100, 250); !ok || left != 15*time.Second {
		t.Errorf("left %v, %v", left, ok)
	}
	for _, c := range [][2]int{{0, 10}, {5, 0}, {7, 5}} {
		if _, ok := remaining(time.Second, c[0], c[1]); ok {
			t.Errorf("iteration %d of %d has a remaining time", c[0], c[1])
		}
	}
}

// TestOutsideNotebook checks that Display does nothing and does not fail.
func TestOutsideNotebook(t *testing.T) {
	Init()
	Init()
	Sparsity(centres{names: []string{"a"}}, 3).Display()
	Table(nil, [][]string{{"1"}}).Display()
}
