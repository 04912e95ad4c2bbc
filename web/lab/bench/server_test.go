package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"veinte/web/lab"
)

const resultsSecret = "bench-results-secret-0123456789"

// serving measures with a server of its own.
func (p *build) serving(ctx context.Context, measure func(*lab.Process) error, settings ...string) error {
	server, _, err := p.serve(ctx, settings...)
	if err != nil {
		return err
	}
	return errors.Join(measure(server), server.Stop())
}

// serve starts the server as a process of its own.
func (p *build) serve(ctx context.Context, settings ...string) (*lab.Process, time.Duration, error) {
	env := append([]string{
		"DATABASE_URL=" + p.url(), "CANCEL_BASE_URL=http://127.0.0.1:9", "ACCESS_TOKEN=bench",
		"RESULTS_SECRET=" + resultsSecret, "RESULTS_PACE=1000000", "ADMIN_ADDR=", "LOG_LEVEL=error", "CUTOFF=" + cutoff,
	}, settings...)
	return p.startProcess(ctx, p.bin, "/readyz", env, "serve", "--addr", "ADDR")
}

// startProcess runs a program and waits until it responds at path. It returns how
// long that took.
func (m *machine) startProcess(ctx context.Context, bin, path string, env []string, args ...string) (*lab.Process, time.Duration, error) {
	p, err := lab.NewProcess(bin, filepath.Join(m.dir, "log"), path, env, args...)
	if err != nil {
		return nil, 0, err
	}
	begin := time.Now()
	err = p.Start(ctx)
	return p, time.Since(begin), err
}

// pause is between two looks at what takes its time.
func pause() { time.Sleep(5 * time.Millisecond) }

// resident returns the process's memory in MiB: now, and the maximum. It is read
// from /proc; elsewhere both are zero.
func resident(p *lab.Process) (now, most float64) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
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
