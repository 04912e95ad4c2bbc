package web

import (
	"strings"
	"testing"
)

// The demo prints its sandbox's address as a shell assignment, which web/README.md
// uses.
func TestTheDemoPrintsItsSandbox(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	printDemo(&out, "127.0.0.1:8020", "http://127.0.0.1:4321", "/data", 0)
	var lines int
	for line := range strings.Lines(out.String()) {
		if strings.TrimSpace(line) == "SANDBOX=http://127.0.0.1:4321" {
			lines++
		}
	}
	if strings.Contains(out.String(), "SOLD_AT") {
		t.Errorf("a demo at the real time speaks of another:\n%s", out.String())
	}
	if lines != 1 {
		t.Errorf("the demo prints the sandbox's line %d times, want once:\n%s", lines, out.String())
	}
}
