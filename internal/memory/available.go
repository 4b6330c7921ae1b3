package memory

import (
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
)

// available returns the memory in bytes that this process can still take: what the system has left
// according to /proc/meminfo, the limits of the control group and its ancestors, and ulimit -v, plus
// what the runtime holds unused. It is +Inf on systems other than Linux.
func available() float64 {
	unused := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(unused)
	root, free := os.DirFS("/"), float64(unused[0].Value.Uint64())
	return min(availableIn(root)+free, addresses(root)+free+float64(unused[1].Value.Uint64()))
}

// addresses returns the address space left under the limit of the process (ulimit -v), less the
// overhead of the runtime, which reserves addresses in arenas of 64 MiB and has tables of them.
// Released memory keeps its addresses.
func addresses(root fs.FS) float64 {
	const arenas = 3 * 64 << 20
	text, _ := fs.ReadFile(root, "proc/self/limits")
	_, line, ok := strings.Cut(string(text), "Max address space ")
	if !ok {
		return math.Inf(1)
	}
	limit, err := strconv.ParseFloat(strings.Fields(line + " unlimited")[0], 64)
	statm, _ := fs.ReadFile(root, "proc/self/statm")
	pages, errTaken := strconv.ParseFloat(strings.Fields(string(statm) + " ?")[0], 64)
	if err != nil || errTaken != nil {
		return math.Inf(1)
	}
	return limit - pages*float64(os.Getpagesize()) - arenas
}

// availableIn returns what the system and the control groups have left, for any root of their files.
func availableIn(root fs.FS) float64 {
	left := math.Inf(1)
	if kib, ok := fields(root, "proc/meminfo")["MemAvailable:"]; ok {
		left = kib * 1024
	}
	text, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3) // number:controllers:path
		switch {
		case len(parts) < 3:
		case parts[1] == "":
			left = min(left, version2.left(root, parts[2]))
		case slices.Contains(strings.Split(parts[1], ","), "memory"):
			left = min(left, version1.left(root, parts[2]))
		}
	}
	return left
}

// groups lists the files in which a version of control groups keeps its numbers.
type groups struct {
	mount, limit, usage string
	file                []string // entries of memory.stat: pages that the system can reclaim
}

var (
	version1 = groups{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
		[]string{"total_active_file", "total_inactive_file"}}
	version2 = groups{"sys/fs/cgroup", "memory.max", "memory.current", []string{"active_file", "inactive_file"}}
)

// left returns the smallest amount left in a group and its ancestors. In a container the path may be
// a path of the host that does not exist there; then the mount point is the group.
func (g groups) left(root fs.FS, group string) float64 {
	left := math.Inf(1)
	for group = path.Clean("/" + group); ; group = path.Dir(group) {
		dir := path.Join(g.mount, group)
		limit, okLimit := number(root, path.Join(dir, g.limit)) // "max", for no limit, is not a number
		usage, okUsage := number(root, path.Join(dir, g.usage))
		if okLimit && okUsage {
			stat := fields(root, path.Join(dir, "memory.stat"))
			for _, name := range g.file {
				usage -= stat[name]
			}
			left = min(left, limit-max(usage, 0))
		}
		if group == "/" {
			return left
		}
	}
}

// number reads a file that holds a number.
func number(root fs.FS, name string) (v float64, ok bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	v, err = strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	return v, err == nil
}

// fields reads a file of lines "name number".
func fields(root fs.FS, name string) map[string]float64 {
	text, _ := fs.ReadFile(root, name)
	m := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) >= 2 {
			if v, err := strconv.ParseFloat(f[1], 64); err == nil {
				m[f[0]] = v
			}
		}
	}
	return m
}
