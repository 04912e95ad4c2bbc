package crash

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"veinte/models/crashpoint"
	"veinte/web/lab"
)

var bin string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "veinte-crash-")
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

// The short version: each point once, PostgreSQL twice, everything once.
func TestCrash(t *testing.T) {
	t.Parallel()
	x := &Experiment{Seeds: 1, Postgres: 2, Both: 1, Block: 13, Workers: 4, Terminals: 150, Inquiries: time.Second}
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
	for _, p := range crashpoint.All() {
		if !strings.Contains(text.String(), string(p)) {
			t.Errorf("the report does not name %s", p)
		}
	}
	if v := report.Verdict; v.Deliveries == 0 || v.Acknowledged == 0 || v.Automatically == 0 {
		t.Errorf("nothing happened: %+v", v)
	}
}
