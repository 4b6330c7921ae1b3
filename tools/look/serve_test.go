package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mpcvm/mpcvm/internal/testkit/must"
)

// TestLiveServeIsClosed starts the server like `make serve` and tests that it listens only on this machine
// and requires its token.
func TestLiveServeIsClosed(t *testing.T) {
	if os.Getenv("MPCVM_LIVE") == "" {
		t.Skip("MPCVM_LIVE is not set")
	}
	cmd := exec.Command("../serve.sh")
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "IP=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	for _, name := range []string{"JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR"} {
		cmd.Env = append(cmd.Env, name+"="+t.TempDir())
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	said := must.Get(cmd.StderrPipe())(t)
	must.OK(t, cmd.Start())
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	url := make(chan []string, 1)
	go func() {
		address := regexp.MustCompile(`http://([\w.]+):(\d+)/\S*\?token=(\w+)`)
		for lines := bufio.NewScanner(said); lines.Scan(); {
			if m := address.FindStringSubmatch(lines.Text()); m != nil {
				select {
				case url <- m:
				default:
				}
			}
		}
	}()
	var port, token string
	select {
	case m := <-url:
		port, token = m[2], m[3]
	case <-time.After(patience):
		t.Fatal("no address was printed")
	}
	if len(token) < 32 {
		t.Errorf("the token has only %d characters", len(token))
	}
	status := func(path string) (code int) {
		for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(pollEvery) {
			r, err := http.Get(fmt.Sprintf("http://127.0.0.1:%s%s", port, path))
			if err == nil {
				r.Body.Close()
				return r.StatusCode
			}
		}
		t.Fatal("the server did not respond")
		return 0
	}
	for path, want := range map[string]int{
		"/api/contents": http.StatusForbidden, "/api/contents?token=": http.StatusForbidden,
		"/api/contents?token=" + strings.Repeat("0", len(token)): http.StatusForbidden,
		"/api/kernels": http.StatusForbidden, "/api/contents?token=" + token: http.StatusOK,
	} {
		if got := status(path); got != want {
			t.Errorf("%s: status %d, want %d", strings.ReplaceAll(path, token, "…"), got, want)
		}
	}
	// It does not listen on other addresses of the machine.
	addresses := must.Get(net.InterfaceAddrs())(t)
	for _, a := range addresses {
		ip := a.(*net.IPNet).IP
		if ip.IsLoopback() || ip.IsLinkLocalUnicast() {
			continue
		}
		if c, err := net.DialTimeout("tcp", net.JoinHostPort(ip.String(), port), time.Second); err == nil {
			c.Close()
			t.Errorf("it listens on %s", ip)
		}
	}
}
