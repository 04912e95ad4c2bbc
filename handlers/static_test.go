package handlers_test

import (
	"strings"
	"testing"

	"veinte/static"
)

// A page that another version has made gets its styles here, and nobody keeps them: the
// address is that version's.
func TestStylesOfAnotherVersion(t *testing.T) {
	t.Parallel()
	v := newHouse(t).manager()
	now := static.URL("app.css")
	other := strings.Replace(now, strings.Split(now, ".")[1], "01234567", 1)
	own, old := v.get(now).want(200), v.get(other).want(200)
	if old.body != own.body || len(own.body) == 0 || old.header.Get("Content-Type") != own.header.Get("Content-Type") {
		t.Errorf("GET %s: %d bytes of %s, want those of %s", other, len(old.body), old.header.Get("Content-Type"), now)
	}
	if got := old.header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control of %s = %q, want no-store", other, got)
	}
	if got := own.header.Get("Cache-Control"); !strings.Contains(got, "immutable") {
		t.Errorf("Cache-Control of %s = %q", now, got)
	}
	for _, nobodys := range []string{"/static/nothing.01234567.css", "/static/app.0123456.css", "/static/app.css", "/static/01234567.css"} {
		v.get(nobodys).want(404)
	}
}
