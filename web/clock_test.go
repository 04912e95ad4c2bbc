package web

import (
	"go/build"
	"testing"
)

// The program as it is shipped tells the real time; only that of the
// experiments can be told another.
func TestOnlyExperimentsShiftTheClock(t *testing.T) {
	t.Parallel()
	for file, withTag := range map[string]bool{"clock.go": false, "clock_chaos.go": true} {
		for _, tags := range [][]string{nil, {"chaos"}} {
			c := build.Default
			c.BuildTags = tags
			got, err := c.MatchFile(".", file)
			if want := (len(tags) > 0) == withTag; err != nil || got != want {
				t.Errorf("with tags %v the program holds %s: %t (%v), want %t", tags, file, got, err, want)
			}
		}
	}
}
