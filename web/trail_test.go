package web

import (
	"strings"
	"syscall"
	"testing"

	"veinte/models/modelstest"
)

// A server whose role could change the trail does not start, unless it was told to; then
// it says so. One whose role cannot says nothing.
func TestServeRefusesARoleThatCouldChangeTheTrail(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	owner := "DATABASE_URL=" + strings.Replace(s.dbURL, "user=veinte_app", "user=postgres", 1)
	if said := s.refusal(owner); !strings.Contains(said, "could change the trail") || !strings.Contains(said, "SERVE_AS_OWNER=on") {
		t.Errorf("served as the owner it says %q, want that its role could change the trail, and what to set", said)
	}
	for _, run := range []struct {
		more  []string
		warns bool
	}{{nil, false}, {[]string{owner, "SERVE_AS_OWNER=on"}, true}} {
		p := s.serve(run.more...)
		p.end(syscall.SIGTERM)
		if got := strings.Contains(p.log(), "could change the trail"); got != run.warns {
			t.Errorf("served with %q, it warns: %t, want %t; its log:\n%s", run.more, got, run.warns, p.log())
		}
	}
}

// A role that may make large objects is served, and the log says what a superuser has to do.
func TestServeWarnsOfLargeObjects(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	super := modelstest.Open(t, strings.Replace(s.dbURL, "user=veinte_app", "user=postgres", 1)).SQL()
	for _, warns := range []bool{false, true} {
		if warns {
			modelstest.Exec(t, super, `GRANT EXECUTE ON FUNCTION lo_create(oid) TO PUBLIC`)
		}
		p := s.serve()
		p.end(syscall.SIGTERM)
		if got := strings.Contains(p.log(), "REVOKE EXECUTE ON FUNCTION lo_creat"); got != warns {
			t.Errorf("it warns of large objects: %t, want %t; its log:\n%s", got, warns, p.log())
		}
	}
}
