package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a program of ours that the benchmark started.
type process struct {
	cmd  *exec.Cmd
	addr string
}

// startProcess runs a program and waits until it answers at path. It reports how
// long that took.
func startProcess(ctx context.Context, bin, path string, env []string, args ...string) (*process, time.Duration, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, 0, err
	}
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "ADDR", addr)
	}
	cmd := exec.Command(bin, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, 0, fmt.Errorf("start %s: %w", args[0], err)
	}
	p := &process{cmd: cmd, addr: addr}
	for {
		if answers("http://" + addr + path) {
			return p, time.Since(begin), nil
		}
		if ctx.Err() != nil || time.Since(begin) > 30*time.Second {
			return nil, 0, errors.Join(fmt.Errorf("%s does not answer", args[0]), p.stop())
		}
		time.Sleep(time.Millisecond)
	}
}

func answers(url string) bool {
	resp, err := http.Get(url)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode < http.StatusInternalServerError
}

// freeAddr returns a loopback address that nobody listens on.
func freeAddr() (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer ln.Close()
	return ln.Addr().String(), nil
}

func (p *process) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("stop %s: %w", p.cmd.Args[1], err)
	}
	return nil
}

// resident returns the process's memory in MiB: now, and at its highest. It is
// read from /proc; elsewhere both are zero.
func (p *process) resident() (now, most float64) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(b)) {
		name, value, _ := strings.Cut(line, ":")
		kb, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 64)
		switch name {
		case "VmRSS":
			now = kb / 1024
		case "VmHWM":
			most = kb / 1024
		}
	}
	return now, most
}
