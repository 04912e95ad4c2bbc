package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"veinte/web/lab"
)

// start runs a program and waits until it responds at path. It returns how long that
// took.
func (b *bench) start(ctx context.Context, bin, path string, env []string, args ...string) (*lab.Process, time.Duration, error) {
	p, err := lab.NewProcess(bin, filepath.Join(b.dir, "log"), path, env, args...)
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

// cpuOf is the CPU time that a process has used so far, from /proc; 0 elsewhere.
func cpuOf(p *lab.Process) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID()))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond // hundredths of a second, on every Linux
}
