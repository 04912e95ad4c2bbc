package lifemodel

import (
	"os/exec"
	"sync"
	"testing"
)

// TestSoundModel finds no violated property, and everything that the model names. With
// -short it searches what must happen with one case instead of two.
func TestSoundModel(t *testing.T) {
	t.Parallel()
	needSpin(t)
	var mu sync.Mutex
	reached := newReached()
	t.Run("holds", func(t *testing.T) {
		for _, s := range sound(testing.Short()) {
			t.Run(s.words, func(t *testing.T) {
				t.Parallel()
				f := s.check(t)
				mu.Lock()
				defer mu.Unlock()
				reached.add(f)
			})
		}
	})
	for _, m := range reached.missing() {
		t.Errorf("never: %s", m)
	}
	t.Logf("%d moves and %d named situations occur", len(reached.moves), len(reached.situations))
}

// TestMistakes has each mistake caught by the property that covers it.
func TestMistakes(t *testing.T) {
	t.Parallel()
	needSpin(t)
	for _, s := range mistakes() {
		t.Run(s.mistake, func(t *testing.T) {
			t.Parallel()
			s.check(t)
		})
	}
}

// needSpin fails without the programs that make a search.
func needSpin(t *testing.T) {
	t.Helper()
	for program, hint := range map[string]string{
		"spin": "spin, the model checker (Debian: apt install spin; macOS: brew install spin)",
		"gcc":  "a C compiler, for spin (Debian: apt install build-essential; macOS: xcode-select --install)",
	} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("missing: %s", hint)
		}
	}
}

// check fails unless the search's result is as expected.
func (s search) check(t *testing.T) finding {
	t.Helper()
	f := s.do(t.Context(), t.TempDir())
	verdict, ok := judge(s, f)
	if !ok {
		t.Errorf("%s: %s", s.words, verdict)
	}
	t.Logf("%s: %s, %d states, %.1f s", s.words, verdict, f.states, f.took.Seconds())
	return f
}

// judge describes a search's result, and reports whether it is as expected.
func judge(s search, f finding) (string, bool) {
	switch {
	case f.err != nil:
		return f.err.Error(), false
	case s.mistake == "" && f.broken == "":
		return "holds", true
	case s.mistake == "":
		return "BREAKS " + f.broken, false
	case f.broken == "":
		return "NOT CAUGHT by " + s.breaks, false
	case f.broken != s.breaks:
		return "caught by another: " + f.broken, false
	}
	return "caught by " + f.broken, true
}
