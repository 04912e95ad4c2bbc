package lifemodel

import (
	"errors"
	"strings"
	"testing"
)

// What spin's search prints, in short.
const (
	whole  = "State-vector 132 byte, depth reached 72, errors: 0\n   657501 states, stored\n"
	broken = "pan:1: assertion violated ((P5_no_byte_after_cutoff!=P5_no_byte_after_cutoff)|| !(closed)) (at depth 36)\nWarning: " +
		"Search not completed\nerrors: 1\n   15 states, stored\n"
	cycle     = "pan:1: acceptance cycle (at depth 99)\nWarning: Search not completed\nerrors: 1\n   24 states, stored\n"
	deadlock  = "pan:1: invalid end state (at depth 9)\nerrors: 1\n"
	truncated = "error: max search depth too small\n" + whole
)

func TestVerdicts(t *testing.T) {
	t.Parallel()
	const cutoff = "P5_no_byte_after_cutoff"
	live := []string{"-DLIVENESS"}
	tests := []struct {
		fact, out string
		search    search
		ok        bool
		says      string
	}{
		{"a sound model holds", whole, search{}, true, "holds"},
		{"a sound model that breaks", broken, search{}, false, "BREAKS " + cutoff},
		{"a sound model with a run without end", cycle, search{defines: live, breaks: noCaseIsStuck}, false, "BREAKS " + noCaseIsStuck},
		{"a mistake that is caught", broken, search{mistake: "X", breaks: cutoff}, true, "caught by " + cutoff},
		{"a mistake that is not", whole, search{mistake: "X", breaks: cutoff}, false, "NOT CAUGHT"},
		{"a mistake that another property catches", broken, search{mistake: "X", breaks: "P0"}, false, "caught by another"},
		{"a mistake that ends in a run without end", cycle, search{mistake: "X", defines: live, breaks: doubtsEnd}, true, doubtsEnd},
		{"a search that was cut short", truncated, search{}, false, "no whole search"},
		{"no report at all", "Killed\n", search{}, false, "no whole search"},
		{"an error that is no property's", deadlock, search{}, false, "no property's"},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			var f finding
			f.read(tt.out, tt.search)
			says, ok := judge(tt.search, f)
			if ok != tt.ok || !strings.Contains(says, tt.says) {
				t.Errorf("judge() = %q, %t; want %q, %t", says, ok, tt.says, tt.ok)
			}
		})
	}
	if _, ok := judge(search{}, finding{err: errors.New("spin: not found")}); ok {
		t.Error("a search that could not be made is taken for a good one")
	}
}

// Everything that the model's own text names is asked for, and numbers are read
// as spin gives them.
func TestReached(t *testing.T) {
	t.Parallel()
	if got, want := named("9 6"), "requested sending"; got != want {
		t.Errorf("named(9 6) = %q, want %q", got, want)
	}
	r := newReached()
	if got, want := len(r.missing()), 20+2+28; got != want {
		t.Errorf("nothing reached: %d things missing, want %d", got, want)
	}
	r.add(finding{moves: tableMoves()})
	if got, want := len(r.missing()), 28; got != want {
		t.Errorf("every move reached: %d things missing, want %d", got, want)
	}
}
