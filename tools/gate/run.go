package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"
)

// run specifies how commands are run: their context, output, folder and environment.
type run struct {
	ctx context.Context
	out io.Writer // if possible a file, so that remaining child processes do not block its reader
	dir string    // the top of the checkout if empty
	env []string  // in addition to the process's own
	tty bool      // whether to stay in the foreground group, so that sudo can ask for a password
	cpu *atomic.Int64
}

// in returns a run in another folder.
func (r run) in(dir string) run { r.dir = dir; return r }

// with returns a run with additional environment variables, each as NAME=VALUE.
func (r run) with(env ...string) run { r.env = append(r.env[:len(r.env):len(r.env)], env...); return r }

func (r run) printf(format string, args ...any) { fmt.Fprintf(r.out, format, args...) }

func (r run) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(r.ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = r.dir, append(os.Environ(), r.env...), r.out, r.out
	if !r.tty {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a group of its own, which is stopped as a whole
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	}
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// do runs a command and returns an error if it fails.
func (r run) do(name string, args ...string) error { return r.wait(r.command(name, args...)) }

// output returns the standard output of a command.
func (r run) output(name string, args ...string) (string, error) {
	cmd := r.command(name, args...)
	cmd.Stdout = nil
	cmd.Stderr = nil
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %v: %w", name, args, err)
	}
	return string(text), nil
}

func (r run) wait(cmd *exec.Cmd) error {
	err := cmd.Run()
	if r.cpu != nil && cmd.ProcessState != nil {
		r.cpu.Add(int64(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", cmd.Args[0], err)
	}
	return nil
}

// bash runs a function of tools/lib.sh.
func (r run) bash(function string, args ...string) error {
	return r.do("bash", append([]string{"-euc", `. tools/lib.sh; "$@"`, "bash", function}, args...)...)
}

// step prints a name, calls f, and prints whether it passed, with its elapsed time and processor time.
func (r run) step(name string, f func(r run) error) error {
	outer, cpu, start, verdict := r.cpu, new(atomic.Int64), time.Now(), "passed"
	r.cpu = cpu
	r.printf("\n== %s\n", name)
	err := f(r)
	if err != nil {
		r.printf("%v\n", err)
		verdict = "FAILED"
	}
	r.printf("-- %s: %s, %.0f s (processors: %.0f s)\n", name, verdict, time.Since(start).Seconds(),
		time.Duration(cpu.Load()).Seconds())
	if outer != nil {
		outer.Add(cpu.Load())
	}
	return err
}

func have(program string) bool { _, err := exec.LookPath(program); return err == nil }
func exists(file string) bool  { _, err := os.Stat(file); return err == nil }
