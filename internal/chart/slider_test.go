package chart

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mpcvm/mpcvm/internal/testkit/drawn"
	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// desk simulates a page with a slider: it remembers what each output shows.
type desk struct {
	*wire
	mu      sync.Mutex
	outputs map[string]string
	news    []string
	listens int
}

func newDesk(patience time.Duration) *desk {
	d := &desk{outputs: map[string]string{}}
	d.wire = &wire{kernel: "k", address: "/a", patience: patience, moves: make(chan move, 1),
		update: func(id, html string) {
			d.mu.Lock()
			defer d.mu.Unlock()
			html = drawn.Unfolded(html)
			d.outputs[id] = html
			if strings.HasSuffix(id, "-news") && html != "" {
				d.news = append(d.news, html)
			}
		}}
	d.listen = func() {
		if main, _ := d.last(); main != "" { // otherwise GoNB may delay it
			d.listens++
		}
	}
	return d
}

// last returns the content of the main output and of the output of news.
func (d *desk) last() (main, news string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, html := range d.outputs {
		if strings.HasSuffix(id, "-news") {
			news = html
		} else {
			main = html
		}
	}
	return main, news
}

func (d *desk) heard() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.news)
}

// until waits until all goroutines are blocked, and then fails the test if not ok.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	if synctest.Wait(); !ok() {
		t.Fatal(what)
	}
}

func numbered(value float64) Chart {
	f := &Figure{Title: fmt.Sprintf("chart of %g", value),
		Panels: []Panel{{X: ValueAxis("", 0, 1, 1), Y: ValueAxis("", 0, 1, 1)}}}
	return f.Chart(f.Title, 300)
}

func TestSlider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(time.Minute)
		s := Slider{Name: "θ <b>", Values: []float64{.1, 1, 10, 100}, Start: 1}
		var drew []float64
		ended := make(chan error)
		go func() {
			ended <- s.serve(t.Context(), d.wire, func(_ context.Context, v float64) (Chart, error) {
				drew = append(drew, v) // never two at a time
				return numbered(v), nil
			})
		}()
		until(t, "no slider", func() bool { main, _ := d.last(); return main != "" })
		if main, _ := d.last(); !strings.Contains(main, `show.live(`) ||
			!strings.Contains(main, "chart of 1") ||
			!strings.Contains(main, `"labels":["0.1","1","10","100"]`) &&
				!strings.Contains(main, `labels:["0.1","1","10","100"]`) || strings.Contains(main, "<b>:") {
			t.Errorf("the slider is %.600q", main)
		}
		d.take("p 1 1")
		until(t, "no answer", func() bool { return d.heard() == 1 })
		d.take("p 1 1") // the answer was lost
		until(t, "no answer again", func() bool { return d.heard() == 2 })
		if _, news := d.last(); !strings.Contains(news, `,"p",1,""`) {
			t.Errorf("the answer is %.300q", news)
		}
		d.take("p 1000002 3")
		until(t, "no news", func() bool { return d.heard() == 4 }) // acknowledgement and chart
		if _, news := d.last(); !strings.Contains(news, "chart of 100") ||
			!strings.Contains(news, "drawn in") {
			t.Errorf("the news is %.300q", news)
		}
		d.take("p 1000004 0")
		d.take("p 1000003 2") // overtaken
		d.take("nonsense")
		until(t, "no news", func() bool { return d.heard() == 6 })
		d.take("q 1 3") // the notebook is also open in another page
		until(t, "no news", func() bool { return d.heard() == 8 })
		d.take("p 1000005 77")
		until(t, "no answer", func() bool { return d.heard() == 9 })
		d.take("p 1000006 -1")
		must.OK(t, <-ended)
		must.Equal(t, d.listens, 1)
		main, news := d.last()
		if !strings.Contains(main, "chart of 100") || !strings.Contains(main, "θ &lt;b&gt;: 100</span>") ||
			strings.Contains(main, "show.live") || news != "" {
			t.Errorf("the final output is %.300q and %q", main, news)
		}
		if !slices.Equal(drew, []float64{1, 100, .1, 100}) {
			t.Errorf("drew %v", drew)
		}
	})
}

// TestSliderMovesOn checks that a long drawing is cancelled for a newer value, also if the value is
// the same again, and that its error is ignored.
func TestSliderMovesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(time.Minute)
		s := Slider{Values: []float64{1, 2, 3}}
		begun, ended := make(chan float64, 9), make(chan error)
		patient := make(chan bool)
		go func() {
			ended <- s.serve(t.Context(), d.wire, func(ctx context.Context, v float64) (Chart, error) {
				begun <- v
				if v == 2 {
					select {
					case <-ctx.Done():
						return Chart{}, ctx.Err()
					case <-patient:
					}
				}
				return numbered(v), nil
			})
		}()
		d.take("p 1 1")
		<-begun // 1
		must.Equal(t, <-begun, 2)
		d.take("p 2 2")
		must.Equal(t, <-begun, 3)
		d.take("p 3 1")
		must.Equal(t, <-begun, 2)
		d.take("p 4 0")
		until(t, "the move is not seen", func() bool { return len(d.moves) == 0 })
		d.take("p 5 1") // back, before it is cancelled
		must.Equal(t, <-begun, 2)
		close(patient)
		d.take("p 6 -1")
		must.OK(t, <-ended)
		if main, _ := d.last(); !strings.Contains(main, "chart of 2") {
			t.Errorf("the final output is %.300q", main)
		}
	})
}

func TestSliderEnds(t *testing.T) {
	failed := errors.New("failed")
	s := Slider{Name: "n", Values: []float64{1, 2}}
	t.Run("stopped", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		d := newDesk(time.Minute)
		d.take("p 1 1")
		err := s.serve(ctx, d.wire, func(ctx context.Context, v float64) (Chart, error) {
			if v == 2 {
				cancel()
				<-ctx.Done()
				return Chart{}, ctx.Err()
			}
			return numbered(v), nil
		})
		if main, _ := d.last(); err != nil || !strings.Contains(main, "chart of 1") ||
			strings.Contains(main, "show.live") {
			t.Errorf("%v, the final output is %.300q", err, main)
		}
	})
	t.Run("failed", func(t *testing.T) {
		d := newDesk(time.Minute)
		d.take("p 1 1")
		err := s.serve(t.Context(), d.wire, func(_ context.Context, v float64) (Chart, error) {
			if v == 2 {
				return Chart{}, failed
			}
			return numbered(v), nil
		})
		if !errors.Is(err, failed) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("nobody", func(t *testing.T) {
		d := newDesk(time.Millisecond)
		err := s.serve(t.Context(), d.wire,
			func(_ context.Context, v float64) (Chart, error) { return numbered(v), nil })
		if main, _ := d.last(); err != nil || strings.Contains(main, "show.live") {
			t.Errorf("%v, the final output is %.300q", err, main)
		}
	})
	t.Run("no reader", func(t *testing.T) {
		t.Setenv("GONB_JUPYTER_KERNEL_ID", "")
		calls := 0
		if err := s.Run(func(context.Context, float64) (Chart, error) {
			calls++
			return numbered(1), nil
		}); err != nil || calls != 1 {
			t.Errorf("%v, %d calls", err, calls)
		}
		err := s.Run(func(context.Context, float64) (Chart, error) { return Chart{}, failed })
		if !errors.Is(err, failed) {
			t.Errorf("error is %v", err)
		}
	})
	must.PanicWith(t, "start", "nbhelpers: ", func() { _ = Slider{}.Run(nil) })
}
