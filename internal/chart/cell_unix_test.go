//go:build unix

package chart

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/janpfeifer/gonb/gonbui"
)

func TestContextEndsOnInterrupt(t *testing.T) {
	ctx, stop := Context()
	defer stop()
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
}

// TestMain plays the parts of TestKernelGone: a kernel, and the program of its cell.
func TestMain(m *testing.M) {
	switch os.Getenv("NBHELPERS_PART") {
	case "kernel":
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "NBHELPERS_PART=cell")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		_ = cmd.Run()
	case "cell":
		gonbui.IsNotebook = true
		ctx, _ := Context()
		fmt.Println("begun")
		<-ctx.Done()
		fmt.Println("ended")
		select {} // as in gonbui.Sync
	default:
		os.Exit(m.Run())
	}
}

// TestKernelGone: a cell whose kernel is killed is told, and ends even if it is blocked.
func TestKernelGone(t *testing.T) {
	kernel := exec.Command(os.Args[0])
	kernel.Env = append(os.Environ(), "NBHELPERS_PART=kernel")
	said, err := kernel.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := kernel.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(said) // until the cell has ended, which holds the pipe as well
	for i, want := range []string{"begun", "ended"} {
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("the cell says %q, want %q", lines.Text(), want)
		}
		if i == 0 {
			if err := kernel.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if lines.Scan() {
		t.Errorf("the cell says %q", lines.Text())
	}
	_ = kernel.Wait() // killed
}
