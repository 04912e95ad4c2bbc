package metrics

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Whoever can only be reached from this machine answers to its own names alone: a page in
// its browser may make a name of its own lead here.
func TestAnotherNameLeadsNowhere(t *testing.T) {
	t.Parallel()
	const kept = "veinte_trail_sealed_total 7"
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, kept) })
	for _, tt := range []struct {
		at, host string
		read     bool
	}{
		{"127.0.0.1:8029", "127.0.0.1:8029", true},
		{"127.0.0.1:8029", "127.0.0.1", true},
		{"127.0.0.1:8029", "localhost:8029", true},
		{"[::1]:8029", "[::1]:8029", true},
		{"localhost:8029", "[::1]", true},
		{"127.0.0.1:8029", "[::ffff:127.0.0.1]:8029", true},
		{"127.0.0.1:8029", "evil.example:8029", false},
		{"127.0.0.1:8029", "127.0.0.1.evil.example:8029", false},
		{"127.0.0.1:8029", "localhost.evil.example", false},
		{"localhost:8029", "10.0.0.7:8029", false},
		{"127.0.0.1:8029", "", false},
		{"10.0.0.7:8029", "metrics.shop.example", true}, // its operator names it
		{":8029", "veinte-1:8029", true},
	} {
		r := httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody)
		r.Host = tt.host
		w := httptest.NewRecorder()
		ofThisMachine(tt.at, page).ServeHTTP(w, r)
		if read := w.Code == http.StatusOK && w.Body.String() == kept; read != tt.read {
			t.Errorf("at %s as %q: %d %q, want read: %t", tt.at, tt.host, w.Code, w.Body, tt.read)
		}
	}
}
