//go:build unix

package chart

import (
	"bufio"
	"encoding/gob"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

func TestContextEndsOnInterrupt(t *testing.T) {
	ctx, stop := Here.Context()
	defer stop()
	must.OK(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
	<-ctx.Done()
}

// TestMain runs the processes of TestKernelGone: a kernel, and the program of its cell.
func TestMain(m *testing.M) {
	switch os.Getenv("NBHELPERS_PART") {
	case "kernel":
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "NBHELPERS_PART=cell", protocol.GONB_PIPE_ENV+"=none")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		_ = cmd.Run()
	case "cell":
		ctx, _ := Here.Context()
		fmt.Println("begun")
		<-ctx.Done()
		fmt.Println("ended")
		select {} // blocked, as if a pipe did not open
	default:
		os.Exit(m.Run())
	}
}

// TestKernelGone kills the kernel of a cell and checks that the cell ends, even if it is blocked.
func TestKernelGone(t *testing.T) {
	kernel := exec.Command(os.Args[0])
	kernel.Env = append(os.Environ(), "NBHELPERS_PART=kernel")
	said := must.Get(kernel.StdoutPipe())(t)
	must.OK(t, kernel.Start())
	lines := bufio.NewScanner(said) // until the cell ends, which also holds the pipe
	for i, want := range []string{"begun", "ended"} {
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("the cell wrote %q, want %q", lines.Text(), want)
		}
		if i == 0 {
			must.OK(t, kernel.Process.Kill())
		}
	}
	if lines.Scan() {
		t.Errorf("the cell wrote %q", lines.Text())
	}
	_ = kernel.Wait() // killed
}

// TestLink simulates GoNB: content arrives, sync waits for the answer, messages of pages are
// received, and nothing waits once GoNB is gone.
func TestLink(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{protocol.GONB_PIPE_ENV, protocol.GONB_PIPE_BACK_ENV} {
		path := filepath.Join(dir, name)
		must.OK(t, syscall.Mkfifo(path, 0o600))
		t.Setenv(name, path)
	}
	shown, subscribed := make(chan *protocol.DisplayData, 9), make(chan bool)
	go func() {
		in, err := os.Open(os.Getenv(protocol.GONB_PIPE_ENV))
		if err != nil {
			panic(err)
		}
		out, err := os.OpenFile(os.Getenv(protocol.GONB_PIPE_BACK_ENV), os.O_WRONLY, 0)
		if err != nil {
			panic(err)
		}
		from, to := gob.NewDecoder(in), gob.NewEncoder(out)
		for {
			var data protocol.DisplayData
			if from.Decode(&data) != nil {
				return
			}
			switch question, subscription := data.Data[protocol.MIMECommValue],
				data.Data[protocol.MIMECommSubscribe]; {
			case question != nil:
				ask := question.(protocol.CommValue)
				_ = to.Encode(&protocol.CommValue{Address: protocol.GonbuiSyncAckAddress, Value: ask.Value})
			case subscription != nil:
				_ = to.Encode(&protocol.CommValue{Address: subscription.(protocol.CommSubscription).Address,
					Value: "p 1 2"})
				<-subscribed // that the message was heard
				in.Close()
				out.Close()
				return
			default:
				shown <- &data
			}
		}
	}()
	l := connect()
	if !l.send(protocol.MIMETextHTML, "<b>", "id") {
		t.Fatal("not sent")
	}
	l.sync(t.Context())
	if len(shown) != 1 {
		t.Fatal("sync did not wait")
	}
	if data := <-shown; data.Data[protocol.MIMETextHTML] != "<b>" || data.DisplayID != "id" {
		t.Errorf("%+v arrives", data)
	}
	heard := make(chan string, 1)
	l.listen("/a", func(message string) { heard <- message })
	must.Equal(t, <-heard, "p 1 2")
	close(subscribed)
	<-l.gone
	l.sync(t.Context())
	if l.send(protocol.MIMETextHTML, "", "") {
		t.Error("something was sent after GoNB was gone")
	}
}
