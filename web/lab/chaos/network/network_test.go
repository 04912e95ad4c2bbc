package network

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
		dir, err := os.MkdirTemp("", "veinte-network-")
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

// The short version: four cases of each fault, and a store beside one that hangs.
func TestNetwork(t *testing.T) {
	t.Parallel()
	x := &Experiment{PerFault: 4, Block: 4, Hung: 10, Beside: 3}
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
	// Four each of the ten; three of a store beside ten of another.
	if v := report.Verdict; v.Cases != 10*4+3+10 || v.LeftOpen != 0 {
		t.Errorf("%d cases, %d left open, want 53 and 0", v.Cases, v.LeftOpen)
	}
}
