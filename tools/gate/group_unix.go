//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// ownGroup runs a command in its own process group, which is terminated as a whole.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}
