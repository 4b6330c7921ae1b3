//go:build unix

package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Time is what some work took.
type Time struct {
	CPU  float64 `json:"cpu"`  // seconds of user and system time, all threads
	Wall float64 `json:"wall"` // seconds
}

// measure runs f as often as fills atLeast seconds of CPU time, once at least, and
// returns the mean time of a run. Garbage collection is part of it.
func measure(atLeast float64, f func() error) (Time, error) {
	start, cpu := time.Now(), cpuSeconds()
	for runs := 1; ; runs++ {
		if err := f(); err != nil {
			return Time{}, err
		}
		if used := cpuSeconds() - cpu; used >= atLeast {
			return Time{used / float64(runs), time.Since(start).Seconds() / float64(runs)}, nil
		}
	}
}

func cpuSeconds() float64 {
	u := usage()
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// peakMB is the largest memory (resident set) that the process had so far, in 10⁶
// bytes. Where there is a Linux kernel it is asked, since the figure of Getrusage
// begins with that of the process which started this one.
func peakMB() float64 {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		var kB float64
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kB); n == 1 {
			return kB * 1024 / 1e6
		}
	}
	unit := 1024.0 // the BSDs count kilobytes
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	return float64(usage().Maxrss) * unit / 1e6
}

func usage() (u syscall.Rusage) {
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it knows no failure but a wrong argument
	}
	return u
}
