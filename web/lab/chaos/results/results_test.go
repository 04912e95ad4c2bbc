package results

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"veinte/web/lab"
)

var bin string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "veinte-results-")
		if err == nil {
			defer os.RemoveAll(dir)
			bin, err = lab.Build(context.Background(), dir, "-tags", "chaos")
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// The short version: 3,000 fuzzed bodies.
func TestResults(t *testing.T) {
	t.Parallel()
	x := &Experiment{Fuzzed: 3000, Connections: 6, Sets: 1}
	report, err := x.Run(t.Context(), lab.Setup{Bin: bin, Seed: 1, Progress: func(s string) { t.Log(s) }})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	report.Text(&text)
	t.Log(text.String())
	if err := report.Err(); err != nil {
		t.Error(err)
	}
}
