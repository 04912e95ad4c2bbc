package web

import (
	"strings"
	"syscall"
	"testing"
)

// A server whose role could change the trail says so; one that cannot says
// nothing.
func TestServeWarnsOfARoleThatCouldChangeTheTrail(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for role, warns := range map[string]bool{"veinte_app": false, "postgres": true} {
		p := s.serve("DATABASE_URL=" + strings.Replace(s.dbURL, "user=veinte_app", "user="+role, 1))
		p.end(syscall.SIGTERM)
		if got := strings.Contains(p.log(), "could change the trail"); got != warns {
			t.Errorf("served as %s, it warns: %t, want %t; its log:\n%s", role, got, warns, p.log())
		}
	}
}
