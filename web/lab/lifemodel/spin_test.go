package lifemodel

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed life.pml
var life []byte

// finding is a search's result.
type finding struct {
	broken     string // the violated property; "" when none was
	states     int
	took       time.Duration
	moves      []string // that occurred, as "requested sending"; sound safety searches only
	situations []string
	err        error
}

func (s search) isLTL() bool { return slices.Contains(s.defines, "-DLIVENESS") }

// do runs the search in an empty directory: spin writes a C program, which is
// the search, and gcc compiles it.
func (s search) do(ctx context.Context, dir string) (f finding) {
	began := time.Now()
	defer func() { f.took = time.Since(began) }()
	if f.err = os.WriteFile(filepath.Join(dir, "life.pml"), life, 0o600); f.err != nil {
		return f
	}
	out, err := s.compileAndSearch(ctx, dir)
	if err != nil {
		f.err = err
		return f
	}
	f.read(out, s)
	return f
}

func (s search) compileAndSearch(ctx context.Context, dir string) (string, error) {
	spin := slices.Clone(s.defines)
	// A mistake is found soon: there the compile time matters more than the
	// search's.
	gcc := []string{"-w", "-o", "pan", "pan.c", "-O2"}
	pan := []string{"-n", "-m1000000"}
	switch {
	case s.isLTL():
		gcc = append(gcc, "-DNFAIR=6")
		pan = append(pan, "-a", "-f", "-N", s.breaks) // weak fairness
	case s.mistake != "":
		spin = append(spin, "-DONLY="+s.breaks)
		gcc = append(gcc, "-DSAFETY", "-DNOFAIR")
		pan = append(pan, "-E")
	default:
		spin = append(spin, "-DREACH")
		gcc = append(gcc, "-DSAFETY", "-DNOFAIR")
		pan = append(pan, "-E")
	}
	if s.mistake != "" {
		gcc = append(gcc, "-O0")
	}
	for _, c := range [][]string{append(append([]string{"spin"}, spin...), "-a", "life.pml"), append([]string{"gcc"}, gcc...)} {
		if out, err := command(ctx, dir, c[0], c[1:]...); err != nil {
			return "", fmt.Errorf("%s: %w\n%s", c[0], err, out)
		}
	}
	// pan's exit status is useless: it is 0 also when a property is violated.
	out, err := command(ctx, dir, "./pan", pan...)
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || !exit.Exited()) {
		return "", fmt.Errorf("pan: %w\n%s", err, out)
	}
	return out, nil
}

func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	return out.String(), err
}

var (
	violated = regexp.MustCompile(`assertion violated .*?([PT]\d_\w+)`)
	errorsIn = regexp.MustCompile(`errors: (\d+)`)
	stored   = regexp.MustCompile(`(\d+)(?:e\+\d+)? states, stored`)
)

// read parses pan's report. It is an error unless the search was complete or ended
// at a violated property.
func (f *finding) read(out string, s search) {
	count := errorsIn.FindStringSubmatch(out)
	broken := violated.FindStringSubmatch(out)
	if m := stored.FindStringSubmatch(out); m != nil {
		f.states, _ = strconv.Atoi(m[1])
	}
	switch {
	case count == nil, strings.Contains(out, "max search depth too small"), strings.Contains(out, "out of memory"):
		f.err = errors.New("no whole search: " + lastLines(out))
	case broken != nil:
		f.broken = broken[1]
	case s.isLTL() && strings.Contains(out, "acceptance cycle"):
		f.broken = s.breaks
	case count[1] != "0" || strings.Contains(out, "Search not completed"):
		f.err = errors.New("an error that is no property's: " + lastLines(out))
	}
	for _, line := range strings.Split(out, "\n") {
		if numbers, ok := strings.CutPrefix(line, "moved "); ok {
			f.moves = append(f.moves, named(numbers))
		} else if what, ok := strings.CutPrefix(line, "saw "); ok {
			f.situations = append(f.situations, what)
		}
	}
}

func lastLines(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], " / ")
}
