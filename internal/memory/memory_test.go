package memory

import (
	"errors"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
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
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": file("800000"), "sys/fs/cgroup/memory/a/memory.usage_in_bytes": file("300000"),
			"sys/fs/cgroup/memory/a/memory.stat":         file("active_file 1\ntotal_active_file 50000\ntotal_inactive_file 50000\n"),
			"sys/fs/cgroup/memory/memory.limit_in_bytes": file("9223372036854771712"), "sys/fs/cgroup/memory/memory.usage_in_bytes": file("1"),
		}, 600000},
		"nonsense": {fstest.MapFS{"proc/meminfo": file("MemAvailable: x\n\n:"), "proc/self/cgroup": file("::\nx\n0::")}, math.Inf(1)},
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

// Work side by side is added up before it has touched its memory, not twice after.
func TestReserve(t *testing.T) {
	now, freed := 100.0, 0
	r := &room{have: func() float64 { return now }, free: func() { freed++ }, from: 10}
	must := func(bytes float64) func() {
		t.Helper()
		release, err := r.reserve(bytes, "work", "wait")
		if err != nil {
			t.Fatal(err)
		}
		return release
	}
	refused := func(bytes, have float64) {
		t.Helper()
		_, err := r.reserve(bytes, "work", "wait")
		var e *Error
		if !errors.As(err, &e) || e.Need != bytes || e.Have != have {
			t.Fatalf("%v bytes: %v, want a refusal with %v at hand", bytes, err, have)
		}
	}
	first := must(60) // not touched yet
	refused(41, 40)
	second := must(40)
	refused(10, 0)
	must(9) // too little to look at
	now = 40
	refused(10, 0) // the first has taken what it was promised
	second()
	second() // once is enough
	must(40)()
	now = 0 // the rest went to others
	refused(10, 0)
	first()
	refused(10, 0)
	now = 30
	must(30)()
	refused(31, 30)
	r.free = func() { now = 80 } // there was garbage
	must(80)()
	if freed == 0 {
		t.Error("refused without looking for garbage")
	}
	// Memory that others gave back during the work is seen.
	now = 10
	long := must(10)
	now = 50
	must(40)()
	long()
	if r.held != 0 {
		t.Errorf("%v still held", r.held)
	}
	r.have = func() float64 { return math.Inf(1) }
	must(1e30)()
}

func TestError(t *testing.T) {
	defer Pretend(3 << 29)()
	err := Check(8*90000*90000, "mpcvm: BottomUp of 90000 samples", "set Single")
	if err == nil || err.Error() != "mpcvm: BottomUp of 90000 samples needs 60.3 GiB of memory, 1.5 GiB is at hand: set Single" {
		t.Error(err)
	}
	if err := Check(3<<29, "", ""); err != nil {
		t.Error(err)
	}
	if b := AtHand(); b != 3<<29 {
		t.Errorf("%v bytes at hand", b)
	}
	if s := size(12) + size(2048) + size(math.Pow(2, 70)); !strings.HasPrefix(s, "12 bytes2 KiB1.02e+03 EiB") {
		t.Error(s)
	}
}

// A small fit must not notice.
func BenchmarkReserve(b *testing.B) {
	for name, bytes := range map[string]float64{"small": 1 << 20, "large": 80 << 20} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := Check(bytes, "", ""); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
