package witness_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/trailfile/notes"
	"veinte/models/audit/witness"
	"veinte/models/audit/witness/witnesstest"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func serve(t testing.TB, h http.HandlerFunc) witness.Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return witness.Client{URL: s.URL + "/"}
}

// TestRequest compares the body with the form of the specification.
func TestRequest(t *testing.T) {
	t.Parallel()
	l := witnesstest.NewTrail(t, "tienda.example/bitacora").Grow(9, "entry")
	line := notes.Line("testigo.example/1", 7, make([]byte, 72))
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		p := l.Proof(5, 9)
		want := "old 5\n"
		for _, h := range p {
			want += h.String() + "\n"
		}
		want += "\n" + l.Note(9)
		if err != nil || r.Method != http.MethodPost || r.URL.Path != "/add-checkpoint" || string(body) != want {
			t.Errorf("%s %s %q, %v\nwant %q", r.Method, r.URL, body, err, want)
		}
		io.WriteString(w, line+"\n"+line+"\n")
	})
	got, err := c.Add(t.Context(), 5, l.Proof(5, 9), l.Note(9))
	if err != nil || !slices.Equal(got, []string{line, line}) {
		t.Errorf("Add = %q, %v, want the line twice", got, err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, kind, text string
		status           int
		said             string
		size             int64
	}{
		{"a size", "text/x.tlog.size", "7\n", 409, "7", 7},
		{"a size with a character set", "text/x.tlog.size; charset=utf-8", "7\n", 409, "7", 7},
		{"a size under another status", "text/x.tlog.size", "7\n", 400, "7", -1},
		{"a size of another type", "text/plain", "7\n", 409, "7", -1},
		{"a size with a leading zero", "text/x.tlog.size", "07\n", 409, "07", -1},
		{"a negative size", "text/x.tlog.size", "-7\n", 409, "-7", -1},
		{"a size that is too large", "text/x.tlog.size", "92233720368547758070\n", 409, "92233720368547758070", -1},
		{"a text of several lines", "text/html", "bad\x1b[31m consistency\u0085 proof\nsecond", 422, "bad[31m consistency proof", -1},
		{"a long text", "text/plain", strings.Repeat("x", 1<<20), 403, strings.Repeat("x", 200), -1},
		{"a redirect", "", "", 307, "", -1},
		{"no content", "", "", 204, "", -1},
	}
	l := witnesstest.NewTrail(t, "tienda.example/bitacora").Grow(3, "entry")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/add-checkpoint" {
					t.Errorf("a redirect was followed to %s", r.URL)
				}
				w.Header().Set("Content-Type", tt.kind)
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.text)
			})
			c.HTTP = &http.Client{} // follows redirects until Add forbids it
			_, err := c.Add(t.Context(), 0, nil, l.Note(3))
			var r *witness.Refusal
			if !errors.As(err, &r) || r.Status != tt.status || r.Said != tt.said || r.Size != tt.size {
				t.Errorf("Add = %#v, want %d %q and size %d", r, tt.status, tt.said, tt.size)
			}
		})
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	line := notes.Line("testigo.example/1", 7, make([]byte, 72))
	l := witnesstest.NewTrail(t, "tienda.example/bitacora").Grow(3, "entry")
	for name, text := range map[string]string{
		"nothing":           "",
		"no end":            line,
		"a page":            "<html>",
		"a line and a text": line + "\nall right\n",
		"an empty line":     line + "\n\n",
		"too long":          strings.Repeat(line+"\n", 1000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) })
			if got, err := c.Add(t.Context(), 0, nil, l.Note(3)); err == nil {
				t.Errorf("Add = %q, want an error", got)
			}
		})
	}
}

// TestRequestsThatAreNone are refused before anything is sent.
func TestRequestsThatAreNone(t *testing.T) {
	t.Parallel()
	l := witnesstest.NewTrail(t, "tienda.example/bitacora").Grow(3, "entry")
	c := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("asked") })
	for name, call := range map[string]func() error{
		"a negative size": func() error { _, err := c.Add(t.Context(), -1, nil, l.Note(3)); return err },
		"a long proof":    func() error { _, err := c.Add(t.Context(), 1, make([]tlog.Hash, 64), l.Note(3)); return err },
		"a proof of none": func() error { _, err := c.Add(t.Context(), 0, make([]tlog.Hash, 1), l.Note(3)); return err },
		"no note":         func() error { _, err := c.Add(t.Context(), 0, nil, "text\n"); return err },
	} {
		if call() == nil {
			t.Errorf("%s was sent", name)
		}
	}
}

// TestErrorsWithoutTheAddress keeps a password of the address out of errors.
func TestErrorsWithoutTheAddress(t *testing.T) {
	t.Parallel()
	l := witnesstest.NewTrail(t, "tienda.example/bitacora").Grow(3, "entry")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, address := range []string{"http://user:secreto@127.0.0.1:1", "http://user:secreto@127.0.0.1:1/%zz", "secreto://x"} {
		_, err := witness.Client{URL: address}.Add(ctx, 0, nil, l.Note(3))
		if err == nil || strings.Contains(err.Error(), "secreto@") {
			t.Errorf("Add to %s = %v", address, err)
		}
	}
}

func TestForkOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		r        witness.Refusal
		old, new int64
		want     bool
	}{
		{"a wrong proof", witness.Refusal{Status: 422, Size: -1}, 3, 5, true},
		{"it knows a newer one", witness.Refusal{Status: 409, Size: 7}, 3, 5, false},
		{"another root of the same size", witness.Refusal{Status: 409, Size: 5}, 5, 5, true},
		{"it knows less than was thought", witness.Refusal{Status: 409, Size: 2}, 3, 5, false},
		{"it knows more than was thought", witness.Refusal{Status: 409, Size: 4}, 3, 5, false},
		{"it knows this size already", witness.Refusal{Status: 409, Size: 5}, 3, 5, false},
		{"a conflict without a size", witness.Refusal{Status: 409, Size: -1}, 3, 5, false},
		{"an unknown trail", witness.Refusal{Status: 404, Size: -1}, 3, 5, false},
	}
	for _, tt := range tests {
		if got := tt.r.Fork(tt.old, tt.new); got != tt.want {
			t.Errorf("%s: Fork = %v, want %v", tt.name, got, tt.want)
		}
	}
}
