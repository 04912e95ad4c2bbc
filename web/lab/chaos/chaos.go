// Package chaos runs the experiments below it, which try to make the product lose,
// repeat or contradict something. Each is a test, short by default and long with a
// flag. They use web/lab:
//
//	go test ./chaos/crash -v                               # in short
//	go test ./chaos/crash -v -long -seed 7 -timeout 0      # for hours
package chaos

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"veinte/web/lab"
)

var (
	long = flag.Bool("long", false, "carry out the long version, with a seed that is drawn")
	seed = flag.Uint64("seed", 0, "of every random choice; 0 is the test's own in short, and draws one in long")
)

var bin string // the product, with its crash points

// Main runs an experiment's tests, for which it builds the product.
func Main(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "veinte-chaos-bin-")
		if err == nil {
			defer os.RemoveAll(dir)
			bin, err = lab.BuildForChaos(context.Background(), dir)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// Choose returns the short or the long version of something.
func Choose[T any](short, lengthy T) T {
	if *long {
		return lengthy
	}
	return short
}

// Seed returns the seed of the flag, else the given one, and logs it.
func Seed(t *testing.T, otherwise uint64) uint64 {
	t.Helper()
	s := cmp.Or(*seed, otherwise)
	t.Log("seed", s)
	return s
}

// Setup is what an experiment is given.
func Setup(t *testing.T) lab.Setup {
	t.Helper()
	return lab.Setup{Bin: bin, Seed: Seed(t, Choose(1, rand.Uint64())), Progress: func(s string) { t.Log(s) }}
}

// Try runs an experiment and fails with the product's violations. It returns the
// report and its text.
func Try(t *testing.T, run func(context.Context, lab.Setup) (*lab.Report, error)) (*lab.Report, string) {
	t.Helper()
	report, err := run(t.Context(), Setup(t))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	report.Text(&text)
	t.Log(text.String())
	if err := report.Err(); err != nil {
		t.Error(err)
	}
	return report, text.String()
}

// Fail runs an experiment that must find violations, and returns them: the canary of its
// judge.
func Fail(t *testing.T, run func(context.Context, lab.Setup) (*lab.Report, error)) []string {
	t.Helper()
	report, err := run(t.Context(), lab.Setup{Bin: bin, Seed: Seed(t, Choose(1, rand.Uint64())), Progress: func(s string) { t.Log(s) }})
	if err != nil {
		t.Fatal(err)
	}
	if report.Err() == nil {
		t.Error("the judge found nothing wrong")
	}
	return report.All()
}
