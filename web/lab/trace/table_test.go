package trace_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"veinte/models"
	"veinte/web/lab/trace"
)

// The product's table, the model's and this one were written apart. They must be
// the same for every pair.
func TestTheProductHasTheSameTable(t *testing.T) {
	t.Parallel()
	pairs := 0
	for _, from := range trace.States {
		for _, to := range trace.States {
			pairs++
			got, want := models.State(from).CanMove(models.State(to)), trace.CanMove(from, to)
			if got != want {
				t.Errorf("models: %s.CanMove(%s) = %t, want %t", from, to, got, want)
			}
		}
	}
	if pairs != 81 {
		t.Errorf("pairs looked at = %d, want 81", pairs)
	}
}

func TestTheModelHasTheSameTable(t *testing.T) {
	t.Parallel()
	life, err := os.ReadFile("../lifemodel/life.pml")
	if err != nil {
		t.Fatal(err)
	}
	states := regexp.MustCompile(`(?m)^mtype = \{ none, ([^}]*) \};`).FindSubmatch(life)
	if states == nil {
		t.Fatal("life.pml: no list of states found")
	}
	got := strings.Split(string(states[1]), ", ")
	if !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(trace.States))) {
		t.Errorf("life.pml: states %v, want %v", got, trace.States)
	}

	_, macro, _ := strings.Cut(string(life), "#define MOVE(from, to) ( \\\n")
	macro, _, found := strings.Cut(macro, "\n\n")
	if !found {
		t.Fatal("life.pml: no table of moves found")
	}
	var moves []string
	row := regexp.MustCompile(`^\t\(from == (\w+) && \((.*)\)\)(?: \|\| \\|\))$`)
	for _, line := range strings.Split(macro, "\n") {
		m := row.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("life.pml: a row of the table that cannot be read: %q", line)
			continue
		}
		for _, end := range strings.Split(m[2], " || ") {
			moves = append(moves, m[1]+" "+strings.TrimPrefix(end, "to == "))
		}
	}
	var want []string
	for _, from := range trace.States {
		for _, to := range trace.States {
			if trace.CanMove(from, to) {
				want = append(want, fmt.Sprint(from, " ", to))
			}
		}
	}
	slices.Sort(moves)
	slices.Sort(want)
	if !slices.Equal(moves, want) {
		t.Errorf("life.pml: moves\n%v, want\n%v", moves, want)
	}
	if len(want) != 20 {
		t.Errorf("moves of the table = %d, want 20", len(want))
	}
}
