package memory

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
	"github.com/mpcvm/mpcvm/internal/testkit/watch"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func TestAvailable(t *testing.T) {
	const meminfo = "MemTotal:       24000000 kB\nMemAvailable:    1000 kB\nHugePages_Total:       0\n"
	for name, tt := range map[string]struct {
		root fstest.MapFS
		want float64
	}{
		"nothing": {fstest.MapFS{}, math.Inf(1)},
		"meminfo": {fstest.MapFS{"proc/meminfo": file(meminfo)}, 1024000},
		"version 2, group": {fstest.MapFS{
			"proc/meminfo": file(meminfo), "proc/self/cgroup": file("0::/a/b\n"),
			"sys/fs/cgroup/a/b/memory.max": file("900000\n"), "sys/fs/cgroup/a/b/memory.current": file("500000\n"),
			"sys/fs/cgroup/a/b/memory.stat": file("anon 7\nactive_file 100000\ninactive_file 200000\n"),
		}, 700000},
		"version 2, group above": {fstest.MapFS{
			"proc/meminfo": file(meminfo), "proc/self/cgroup": file("0::/a/b\n"),
			"sys/fs/cgroup/a/b/memory.max": file("max\n"), "sys/fs/cgroup/a/b/memory.current": file("500000\n"),
			"sys/fs/cgroup/a/memory.max": file("600000\n"), "sys/fs/cgroup/a/memory.current": file("500000\n"),
		}, 100000},
		"version 2, container": {fstest.MapFS{
			"proc/meminfo": file(meminfo), "proc/self/cgroup": file("0::/../../docker/1\n"),
			"sys/fs/cgroup/memory.max": file("600000\n"), "sys/fs/cgroup/memory.current": file("700000\n"),
		}, -100000},
		"version 1": {fstest.MapFS{
			"proc/meminfo": file(meminfo), "proc/self/cgroup": file("8:pids:/a\n4:cpu,memory:/a\n0::/\n"),
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": file(
				"800000"), "sys/fs/cgroup/memory/a/memory.usage_in_bytes": file("300000"),
			"sys/fs/cgroup/memory/a/memory.stat": file("active_file 1\ntotal_active_file " +
				"50000\ntotal_inactive_file 50000\n"),
			"sys/fs/cgroup/memory/memory.limit_in_bytes": file(
				"9223372036854771712"), "sys/fs/cgroup/memory/memory.usage_in_bytes": file("1"),
		}, 600000},
		"nonsense": {fstest.MapFS{"proc/meminfo": file("MemAvailable: x\n\n:"),
			"proc/self/cgroup": file("::\nx\n0::")}, math.Inf(1)},
	} {
		if got := availableIn(tt.root); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	if runtime.GOOS == "linux" {
		if _, err := os.Stat("/proc/meminfo"); err == nil && (math.IsInf(available(), 1) || available() < 1<<20) {
			t.Errorf("%v bytes on this machine", available())
		}
	}
}

func TestAddresses(t *testing.T) {
	const limits = "Limit                     Soft Limit           Hard Limit           Units     \n" +
		"Max data size             unlimited            unlimited            bytes     \n" +
		"Max address space         %s           unlimited            bytes     \nMax file locks            " +
		"unlimited            unlimited            locks     \n"
	page := float64(os.Getpagesize())
	for _, tt := range []struct {
		limit, statm string
		want         float64
	}{
		{"4294967296", "10 423 395 5 0 123 0\n", 1<<32 - 10*page - 192<<20}, {"1000", "10 1", 1000 - 10*page -
			192<<20},
		{"unlimited", "10 1", math.Inf(1)}, {"1000", "", math.Inf(1)},
	} {
		root := fstest.MapFS{"proc/self/limits": file(fmt.Sprintf(limits, tt.limit)),
			"proc/self/statm": file(tt.statm)}
		if got := addresses(root); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
	if got := addresses(fstest.MapFS{"proc/self/limits": file("Max address space")}); !math.IsInf(got, 1) {
		t.Error(got)
	}
}

// Memory granted within ulimit -v can be allocated; otherwise the runtime would exit with status 2.
func TestAddressLimit(t *testing.T) {
	if watch.Race {
		t.Skip("the race detector reserves more addresses than the limits of this test")
	}
	if os.Getenv("MPCVM_TEST_ADDRESSES") != "" { // in the child process
		granted, refused := 64.*(1<<20), 1e12
		for refused-granted > 1<<20 {
			middle := (granted + refused) / 2
			if Check(middle, "work", "advice") == nil {
				granted = middle
			} else {
				refused = middle
			}
		}
		taken := make([]byte, int(granted))
		for i := 0; i < len(taken); i += 1 << 24 {
			taken[i] = 1
		}
		fmt.Printf("took %.0f MiB\n", granted/(1<<20))
		return
	}
	if runtime.GOOS != "linux" || available() < 3<<30 {
		t.Skip("needs Linux and 3 GiB of memory")
	}
	if err := exec.Command("sh", "-c", `ulimit -v 2000000 && exec "$0" -test.run='^$'`,
		os.Args[0]).Run(); err != nil {
		t.Skip("NOT TESTED: nothing runs within ulimit -v, as with the race detector")
	}
	for _, mib := range []int{2000, 2500, 3000} {
		c := exec.Command("sh", "-c", fmt.Sprintf(`ulimit -v %d && exec "$0" -test.run='^TestAddressLimit$'`,
			mib<<10), os.Args[0])
		c.Env = append(os.Environ(), "MPCVM_TEST_ADDRESSES=1")
		out, err := c.CombinedOutput()
		var took float64
		if _, errScan := fmt.Sscanf(string(out), "took %f MiB", &took); err != nil || errScan != nil ||
			took < float64(mib)-1800 || took > float64(mib) {
			t.Errorf("ulimit -v of %d MiB: %v, %.300s", mib, err, out)
		}
		t.Logf("ulimit -v of %d MiB: %.0f MiB taken", mib, took)
	}
}

// The tests of waiting use the clock of synctest, which advances when all goroutines wait.

// Parallel work is added up before it has touched its memory, and not counted twice afterwards.
func TestReserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now, collected := 100.0, 0
		a := newAccount(func() float64 { return now }, func() { collected++ }, 10)
		must := func(bytes float64) func() {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			release := must.Get(a.reserve(ctx, bytes, "work", "advice"))(t)
			return release
		}
		refused := func(bytes, have float64) {
			t.Helper()
			_, err := a.reserve(t.Context(), bytes, "work", "advice")
			var e *Error
			if !errors.As(err, &e) || e.Need != bytes || e.Have != have {
				t.Fatalf("%v bytes: %v, want a refusal with %v available", bytes, err, have)
			}
		}
		waits := func(bytes float64) {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			if _, err := a.reserve(ctx, bytes, "work", "advice"); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("%v bytes: %v, want Reserve to wait", bytes, err)
			}
		}
		first := must(60) // not touched yet
		waits(41)
		refused(101, 100)
		second := must(40)
		waits(10)
		must(9) // granted unchecked
		now = 40
		waits(10) // the first has taken what it reserved
		second()
		second() // releasing twice has no effect
		must(40)()
		now = 0 // the rest went to other processes
		waits(10)
		first()
		refused(10, 0)
		now = 30
		must(30)()
		refused(31, 30)
		a.collect = func() { now = 80 } // the collection frees memory
		must(80)()
		if collected == 0 {
			t.Error("refused without a garbage collection")
		}
		// Memory that others release during the work is noticed.
		now = 10
		long := must(10)
		now = 50
		must(40)()
		long()
		if a.promised != 0 {
			t.Errorf("%v bytes are still promised", a.promised)
		}
		a.available = func() float64 { return math.Inf(1) }
		must(1e30)()
	})
}

// Parallel work of any sizes that fit one by one all completes, with never more reserved than
// available, and only requests that do not fit alone are refused.
func TestReserveInParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer Pretend(100)()
		var wg sync.WaitGroup
		var held, refused atomic.Int64
		for i := range 200 {
			wg.Go(func() {
				bytes := int64(1 + i*37%120)
				release, err := Reserve(float64(bytes), "work", "advice")
				if bytes > 100 {
					if err == nil {
						t.Errorf("%d bytes of 100 were granted", bytes)
					}
					refused.Add(1)
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				if sum := held.Add(bytes); sum > 100 {
					t.Errorf("%d bytes of 100 are reserved", sum)
				}
				time.Sleep(100 * time.Microsecond)
				held.Add(-bytes)
				release()
			})
		}
		wg.Wait()
		if refused.Load() == 0 || Available() != 100 {
			t.Errorf("%d refused, %v bytes available", refused.Load(), Available())
		}
	})
}

// A waiting request ends with its context.
func TestReserveContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer Pretend(100)()
		release := must.Get(Reserve(60, "work", "advice"))(t)
		defer release()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Millisecond, cancel)
		if _, err := ReserveContext(ctx, 60, "work", "advice"); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// The account can be replaced while others use it.
func TestPretend(t *testing.T) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				if err := Check(1, "work", "advice"); err != nil {
					t.Error(err)
				}
				_ = Available()
			}
		})
	}
	for i := range 100 {
		Pretend(float64(i + 4))() // one byte for each request above
	}
	wg.Wait()
}

func TestError(t *testing.T) {
	defer Pretend(3 << 29)()
	err := Check(8*90000*90000, "mpcvm: BottomUp of 90000 samples", "set Single")
	if err == nil || err.Error() != "mpcvm: BottomUp of 90000 samples needs 60.3 GiB of memory, 1.5 GiB is "+
		"available: set Single" {
		t.Error(err)
	}
	if err := Check(3<<29, "", ""); err != nil {
		t.Error(err)
	}
	must.Equal(t, Available(), 3<<29)
	if s := size(12) + size(2048) + size(math.Pow(2, 70)); !strings.HasPrefix(s, "12 bytes2 KiB1.02e+03 EiB") {
		t.Error(s)
	}
}

// The overhead must be negligible for a small fit.
func BenchmarkReserve(b *testing.B) {
	for name, bytes := range map[string]float64{"small": 1 << 20, "large": 80 << 20} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				must.OK(b, Check(bytes, "", ""))
			}
		})
	}
}
