//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a command into a process group of its own, which is ended as a whole.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}
