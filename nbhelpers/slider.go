package nbhelpers

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/comms"
)

// Slider shows a chart that a running kernel draws anew while the reader moves the
// slider, for instance of a model fitted at the chosen value. Frames need no kernel.
//
//	nbhelpers.Slider{Name: "θ", Values: floats.LogSpan(make([]float64, 31), 0.03, 30), Start: 15}.Run(
//		func(ctx context.Context, theta float64) (nbhelpers.Chart, error) {
//			model, _, err := mpcvm.BottomUp{Kernel: kernel.RBF{Theta: theta}}.Fit(ctx, set.X, set.T)
//			if err != nil {
//				return nbhelpers.Chart{}, err
//			}
//			return nbhelpers.Regions(model, set, nbhelpers.RegionsOptions{}), nil
//		})
type Slider struct {
	// Name says what the slider sets, such as "θ".
	Name string
	// Values are the values of the slider, from left to right.
	Values []float64
	// Start is the number of the first value shown, from 0.
	Start int
	// Format writes a value next to the slider, as for fmt.Sprintf. If it is empty,
	// "%.3g" is used.
	Format string
}

// Run shows the chart of the starting value below the slider, and another one for each
// value that the reader moves it to. If the reader moves on and draw takes more than 0.3
// s, its context ends, and what it returns is not shown. The cell runs until the reader
// presses Done or stops the cell. The last chart stays, without the slider, and Run
// returns nil. Run returns the error of a draw whose context had not ended.
//
// Without a reader (in nbconvert, or if the browser does not connect to the kernel
// within 20 s, as behind some proxies) Run shows the first chart only. Outside of a
// notebook it calls draw once and shows nothing. It panics if there is no value of
// number Start.
func (s Slider) Run(draw func(ctx context.Context, value float64) (Chart, error)) error {
	if s.Start < 0 || s.Start >= len(s.Values) {
		panic(fmt.Sprintf("nbhelpers: Start is %d, but there are %d values", s.Start, len(s.Values)))
	}
	ctx, stop := Context()
	defer stop()
	if !Interactive() {
		chart, err := draw(ctx, s.Values[s.Start])
		if err == nil {
			display(shownValue{s, s.Start, chart})
		}
		return err
	}
	w := wire{address: "/mpcvm/slider/" + gonbui.UniqueId(), update: gonbui.UpdateHTML, knock: connect, again: 3 * time.Second, patience: 20 * time.Second}
	w.moves = make(chan int, 1)
	comms.Subscribe(w.address, func(_, message string) { w.take(message) }) // for as long as the cell runs
	defer gonbui.Sync()
	return s.serve(ctx, &w, draw)
}

// wire is the connection to the page.
type wire struct {
	address  string
	update   func(id, html string) // of an output of the cell
	knock    func()                // has GoNB connect with the page anew if that does not answer
	again    time.Duration         // between two knocks, until the page is heard
	patience time.Duration         // with a page that does not answer
	moves    chan int              // the newest number chosen, done at the end

	mu   sync.Mutex
	last int
}

const done = -1

// connect has GoNB connect to a page that does not answer, and waits for the connection.
// A first connection can fail for good: if the answer of GoNB takes 0.5 s, the page
// gives up; and the answer is lost if the server listens to the kernel only after the
// page has asked.
func connect() {
	comms.Start()
	gonbui.Sync()
}

// take records a message of the page, "count:number", unless a later one came before it:
// messages may overtake one another.
func (w *wire) take(message string) {
	var count, number int
	if _, err := fmt.Sscanf(message, "%d:%d", &count, &number); err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if count <= w.last {
		return
	}
	w.last = count
	select {
	case <-w.moves: // not seen yet, and stale
	default:
	}
	w.moves <- number
}

// serve draws until the page or ctx ends it.
func (s Slider) serve(ctx context.Context, w *wire, draw func(context.Context, float64) (Chart, error)) error {
	chart, err := draw(ctx, s.Values[s.Start])
	if err != nil {
		return err
	}
	id, shown, wanted := "mpcvm-"+gonbui.UniqueId(), s.Start, s.Start
	w.update(id, s.live(id, w.address, chart))
	defer func() {
		w.update(id+"-news", "")
		w.update(id, shownValue{s, shown, chart}.fragment(id+"-last").whole())
	}()
	type drawn struct {
		number int
		chart  Chart
		err    error
	}
	var (
		results   = make(chan drawn)
		drawing   context.Context // under way; nil: none
		cancel    context.CancelFunc
		begin     time.Time
		late      <-chan time.Time // when it is given up for a newer one
		nobody    = time.After(w.patience)
		knocks    = time.NewTicker(w.again)
		knocking  chan struct{} // closed when it is over; nil: not under way
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
		move = func(number int) {
			switch {
			case number == done:
				ended = true
			case number >= 0 && number < len(s.Values) && !ended:
				if wanted = number; drawing != nil && late == nil {
					late = time.After(time.Until(begin.Add(finishWithin)))
				}
				drawNewer()
			}
		}
	)
	defer knocks.Stop()
	for !ended || drawing != nil {
		select {
		case number := <-w.moves:
			if nobody != nil && knocking == nil {
				nobody = nil
				knocks.Stop()
				w.update(id+"-news", call("show.news", id, "", nil)) // that it is heard
			}
			move(number)
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
				shown, chart = r.number, r.chart
				w.update(id+"-news", call("show.news", id, "drawn in "+clock(time.Since(begin)), &chart))
			}
			drawNewer() // the last, too, when all is done
		case <-ctx.Done():
			if drawing != nil { // it ends as well
				<-results
				cancel()
			}
			return nil
		case <-knocks.C:
			if knocking == nil {
				over := make(chan struct{})
				knocking = over
				go func() {
					w.knock()
					close(over)
				}()
			}
		case <-knocking:
			knocking = nil
			select {
			case number := <-w.moves: // maybe by the connection that there was before
				move(number)
			default:
			}
		case <-nobody:
			ended = true
		}
	}
	return nil
}

// finishWithin is the time that a drawing has to finish when the slider has moved on.
// While it is dragged, the reader should see something.
const finishWithin = 300 * time.Millisecond

// call is a script that calls a function of page.js for an existing chart.
func call(function, id, status string, c *Chart) string {
	arguments := quote(id) + "," + quote(status)
	if c != nil {
		arguments += "," + c.arguments(true)
	}
	return run(function + "(" + arguments + ")")
}

func (s Slider) label(i int) string {
	return plain(fmt.Sprintf(cmp.Or(s.Format, "%.3g"), s.Values[i]))
}

// live is the slider over its first chart.
func (s Slider) live(id, address string, c Chart) string {
	labels := make([]string, len(s.Values))
	for i := range labels {
		labels[i] = s.label(i)
	}
	return shownValue{s, s.Start, c}.body(id) +
		run(fmt.Sprintf(`show.live(%s,{name:%s,labels:%s,start:%d,address:%s},%s)`,
			quote(id), quote(plain(s.Name)), quote(labels), s.Start, quote(address), c.arguments(false)))
}

// shownValue is a slider that cannot move: a chart with its value.
type shownValue struct {
	s      Slider
	number int
	chart  Chart
}

func (v shownValue) block(id func(Chart) string) part { return v.fragment(id(v.chart)) }

func (v shownValue) fragment(id string) part { return part{v.body(id), v.chart.script(id)} }

func (v shownValue) body(id string) string {
	label := v.s.label(v.number)
	if name := plain(v.s.Name); name != "" {
		label = name + ": " + label
	}
	return fmt.Sprintf(frameBar, html.EscapeString("slider of "+plain(v.s.Name)), v.chart.Width, html.EscapeString(fontFamily), "", html.EscapeString(label)) +
		v.chart.div(id) + "</div>"
}
