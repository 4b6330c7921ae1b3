package chart

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"
)

// Slider implements nbhelpers.Slider, which describes the fields.
type Slider struct {
	Name   string
	Values []float64
	Start  int
	Format string
}

// Run shows a chart for each value that the reader chooses, until the reader is done; see
// nbhelpers.Slider.
func (s Slider) Run(draw func(ctx context.Context, value float64) (Chart, error)) error {
	if s.Start < 0 || s.Start >= len(s.Values) {
		panic(fmt.Sprintf("nbhelpers: Start is %d, but there are %d values", s.Start, len(s.Values)))
	}
	ctx, stop := Here.Context()
	defer stop()
	if !Here.Interactive() {
		chart, err := draw(ctx, s.Values[s.Start])
		if err == nil {
			show(s.still(newID(), chart).whole())
		}
		return err
	}
	w := wire{kernel: Here.Kernel(), address: "/mpcvm/slider/" + Here.Unique(), update: Here.Update,
		patience: 20 * time.Second}
	w.moves = make(chan move, 1)
	w.listen = func() { Here.Listen(w.address, w.take) }
	defer Here.Sync()
	return s.serve(ctx, &w, draw)
}

// wire is the connection to the page; its other end is in page.js.
type wire struct {
	kernel   string // id of the kernel on the server
	address  string
	listen   func()                // makes the host forward messages to the address
	update   func(id, html string) // updates an output of the cell
	patience time.Duration         // time to wait for the page
	moves    chan move             // the latest move

	mu   sync.Mutex
	last map[string]int // the count of the latest move of each page
}

// move is a message of a page: the index of the chosen value, or done.
type move struct {
	page          string
	count, number int
}

const done = -1

// take records a message, unless the page has sent a later one: messages may arrive out of order. A
// page repeats a message until it is answered.
func (w *wire) take(message string) {
	var m move
	if _, err := fmt.Sscanf(message, "%s %d %d", &m.page, &m.count, &m.number); err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if m.count < w.last[m.page] {
		return
	}
	if w.last == nil {
		w.last = map[string]int{}
	}
	w.last[m.page] = m.count
	select {
	case <-w.moves: // pending and stale
	default:
	}
	w.moves <- m
}

// serve draws until the page or ctx ends it.
func (s Slider) serve(ctx context.Context, w *wire,
	draw func(context.Context, float64) (Chart, error)) error {
	chart, err := draw(ctx, s.Values[s.Start])
	if err != nil {
		return err
	}
	id, shown, wanted := newID(), s.Start, s.Start
	w.update(id, s.live(id, w, chart))
	defer func() {
		w.update(id+"-news", "")
		s.Start = shown
		w.update(id, s.still(id+"-last", chart).whole())
	}()
	w.listen() // first: GoNB then waits up to 3 s for the page and shows nothing
	type drawn struct {
		number int
		chart  Chart
		err    error
	}
	var (
		results   = make(chan drawn)
		drawing   context.Context // the current drawing, or nil
		cancel    context.CancelFunc
		begin     time.Time
		late      <-chan time.Time // when to cancel it for a newer one
		nobody    = time.After(w.patience)
		heard     move
		status    string
		ended     bool
		drawNewer = func() {
			if wanted == shown || drawing != nil {
				return
			}
			drawing, cancel = context.WithCancel(ctx)
			begin, late = time.Now(), nil
			go func(ctx context.Context, number int) {
				c, err := draw(ctx, s.Values[number])
				results <- drawn{number, c, err}
			}(drawing, wanted)
		}
	)
	for !ended || drawing != nil {
		select {
		case heard = <-w.moves:
			nobody = nil
			switch n := heard.number; {
			case n == done:
				ended, status = true, "ending …"
			case n >= 0 && n < len(s.Values) && n != wanted && !ended:
				if wanted = n; drawing != nil && late == nil {
					late = time.After(time.Until(begin.Add(finishWithin)))
				}
				drawNewer()
			}
			w.update(id+"-news", news(id, heard, status, nil))
		case <-late:
			cancel()
		case r := <-results:
			givenUp := drawing.Err() != nil
			cancel()
			drawing = nil
			if !givenUp {
				if r.err != nil {
					return r.err
				}
				if shown, chart = r.number, r.chart; !ended {
					status = "drawn in " + Clock(time.Since(begin))
				}
				w.update(id+"-news", news(id, heard, status, &chart))
			}
			drawNewer() // includes the last one, when done
		case <-ctx.Done():
			if drawing != nil { // wait for it to end
				<-results
				cancel()
			}
			return nil
		case <-nobody:
			ended = true
		}
	}
	return nil
}

// finishWithin is the time that a drawing has to finish once the slider has moved on, so that the
// reader sees charts while dragging.
const finishWithin = 300 * time.Millisecond

// news acknowledges a message to the page, and shows another chart unless c is nil.
func news(id string, heard move, status string, c *Chart) string {
	arguments := fmt.Sprintf("%s,%s,%d,%s", Quote(id), Quote(heard.page), heard.count, Quote(status))
	if c != nil {
		arguments += "," + c.arguments()
	}
	return run("show.news(" + arguments + ")")
}

func (s Slider) label(i int) string {
	return Plain(fmt.Sprintf(cmp.Or(s.Format, "%.3g"), s.Values[i]))
}

// live returns the slider over its first chart.
func (s Slider) live(id string, w *wire, c Chart) string {
	labels := make([]string, len(s.Values))
	for i := range labels {
		labels[i] = s.label(i)
	}
	return s.still(id, c).html +
		run(fmt.Sprintf(`show.live(%s,{name:%s,labels:%s,start:%d,kernel:%s,address:%s},%s)`,
			Quote(id), Quote(Plain(s.Name)), Quote(labels), s.Start, Quote(w.kernel), Quote(w.address),
			c.arguments()))
}

// still returns a slider that cannot move: a chart with its value, at Start.
func (s Slider) still(id string, c Chart) part {
	label := s.label(s.Start)
	if name := Plain(s.Name); name != "" {
		label = name + ": " + label
	}
	return part{html: bar("slider of "+Plain(s.Name), c.Width, "", label) + c.div(id) + "</div>",
		code: c.script(id)}
}
