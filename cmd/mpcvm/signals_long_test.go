//go:build linux && long

package main

import (
	"bytes"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/spoil"
)

// A command that receives a signal at any moment ends with status 130 and does not leave incomplete files. If
// it has just finished, it succeeds with all files. The signal kills it only before it starts to work, when
// it has not written anything.
func TestLongSignals(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	times := 2
	if spoil.Long() {
		times = 20
	}
	// A server that accepts connections and never answers.
	server := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer server.Close()
	signals := []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}
	if signal.Ignored(syscall.SIGHUP) { // the test runs under nohup, so the command ignores it, too
		signals = signals[:2]
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for name, w := range works(t, dir, out) {
		t.Run(name, func(t *testing.T) {
			begin := func() (*exec.Cmd, *bytes.Buffer) {
				must.OK(t, os.RemoveAll(out))
				must.OK(t, os.Mkdir(out, 0o755))
				c, _, errOut := process(w.args, faultServer+"="+server.Addr().String())
				must.OK(t, c.Start())
				return c, errOut
			}
			whole := 2 * time.Second
			if !w.listen {
				start := time.Now()
				c, errOut := begin()
				if err := c.Wait(); err != nil {
					t.Fatalf("%v: %s", err, errOut)
				}
				whole = time.Since(start)
			}
			stopped, done, early, slowest := 0, 0, 0, time.Duration(0)
			for i := range times {
				signal := signals[i%len(signals)]
				c, errOut := begin()
				time.Sleep(time.Duration((float64(i) + rng.Float64()) / float64(times) * float64(whole)))
				_ = c.Process.Signal(signal) // it may have ended already
				start := time.Now()
				_ = c.Wait()
				slowest = max(slowest, time.Since(start))
				status := c.ProcessState.Sys().(syscall.WaitStatus)
				names := left(t, out)
				for _, f := range names {
					if strings.HasPrefix(f, ".") {
						t.Errorf("%v: %s is left", signal, f)
					}
				}
				switch {
				case status.Signaled() && status.Signal() == signal: // before it handled signals, and so before its work
					if early++; len(names) > 0 || errOut.Len() > 0 {
						t.Errorf("%v: killed, with %q: %s", signal, names, errOut)
					}
				case status.ExitStatus() == 0:
					if done++; !slices.Equal(names, w.outputs) {
						t.Errorf("%v: done, with %q", signal, names)
					}
				case status.ExitStatus() == 130:
					// complete files, in their order
					if stopped++; !w.listen && !slices.Equal(names, w.outputs[:min(len(names), len(w.outputs))]) {
						t.Errorf("%v: stopped, with %q", signal, names)
					}
					if said := errOut.String(); !strings.Contains(said, "cancel") &&
						!strings.Contains(said, "signal received") {
						t.Errorf("%v: %s", signal, said)
					}
				default:
					t.Errorf("%v: status %v: %s", signal, status, errOut)
				}
			}
			// how many are stopped depends on the clock; TestStop sends the signal at a known moment
			t.Logf("stopped %d times, done %d, too early %d; the slowest took %v of %v", stopped, done, early,
				slowest.Round(time.Millisecond), whole.Round(time.Millisecond))
		})
	}
}
