//go:build unix

// Package measure measures the time and memory of a program.
package measure

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
)

// Time is the time that some work took.
type Time struct {
	CPU  float64 `json:"cpu"`  // seconds of user and system time, all threads
	Wall float64 `json:"wall"` // seconds
}

// Repeat runs f at least once, and until it has used atLeast seconds of CPU time. It returns the
// mean time of a run, including garbage collection.
func Repeat(atLeast float64, f func() error) (Time, error) {
	start, cpu := time.Now(), CPU()
	for runs := 1; ; runs++ {
		if err := f(); err != nil {
			return Time{}, err
		}
		if used := CPU() - cpu; used >= atLeast {
			return Time{used / float64(runs), time.Since(start).Seconds() / float64(runs)}, nil
		}
	}
}

// CPU returns the user and system time of the process in seconds.
func CPU() float64 {
	u := usage()
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// Peak returns the peak memory (resident set) of this process so far, in bytes.
func Peak() float64 {
	// Prefer /proc, because Getrusage starts with the peak of the parent.
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		var kB float64
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kB); n == 1 {
			return kB * 1024
		}
	}
	if runtime.GOOS == "darwin" {
		return float64(usage().Maxrss)
	}
	return float64(usage().Maxrss) * 1024 // the BSDs count kilobytes
}

// ResetPeak frees unused memory and resets Peak, on Linux only.
func ResetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

func usage() (u syscall.Rusage) {
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // fails only for a wrong argument
	return u
}
