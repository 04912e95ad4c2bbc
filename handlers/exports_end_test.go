package handlers_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"veinte/handlers"
	"veinte/models"
)

// bulky is more entries of 40 kB than a server sends and a reader reads within seconds.
const bulky = 8000

// bulk fills the trail with entries that are larger than what a network keeps on
// its way.
func (h *house) bulk(entries int) {
	h.tb.Helper()
	h.exec(`INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, user_agent, canonical)
		SELECT $1::timestamptz + n * interval '1 ms', 'Volumen', 'system', 'session.started', 'success', repeat('x', 40000), ''
		FROM generate_series(1, $2::int) n`, h.Clock.Now(), entries)
}

// listen serves the house on loopback, for what needs a connection of its own.
func (h *house) listen() string {
	h.tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	h.must(err)
	go func() { _ = h.app.Listener(ln) }()
	h.tb.Cleanup(func() { _ = h.app.ShutdownWithTimeout(5 * time.Second) })
	return ln.Addr().String()
}

// download begins to fetch a file and reads its beginning.
func (h *house) download(v *visitor, addr, path string) (*http.Response, *bufio.Reader) {
	h.tb.Helper()
	req, err := http.NewRequestWithContext(h.tb.Context(), "GET", "http://"+addr+path, nil)
	h.must(err)
	for name, value := range v.jar {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	resp, err := (&http.Transport{ReadBufferSize: 4 << 10, DisableCompression: true}).RoundTrip(req)
	h.must(err)
	h.tb.Cleanup(func() { _ = resp.Body.Close() })
	body := bufio.NewReader(resp.Body)
	if _, err := io.CopyN(io.Discard, body, 256<<10); err != nil || resp.StatusCode != 200 {
		h.tb.Fatalf("GET %s = %d, %v", path, resp.StatusCode, err)
	}
	return resp, body
}

// waits for what is so within some time.
func (h *house) waits(most time.Duration, what string, so func() bool) {
	h.tb.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for begin := time.Now(); !so(); <-tick.C {
		if time.Since(begin) > most {
			h.tb.Fatalf("after %s it is still not so that %s", most, what)
		}
	}
}

// ends waits for an export to end, and returns how the trail records it.
func (h *house) ends() string {
	h.tb.Helper()
	h.waits(40*time.Second, "the export ends", func() bool {
		return h.count(`SELECT count(*) FROM audit_exports WHERE state = 'running'`) == 0
	})
	return h.text(`SELECT x.state || ' ' || e.outcome || ' ' || (e.after->>'exportState') || ' ' || (x.entries > 0 AND x.entries < $1)
			|| ' ' || ((e.after->>'entries')::bigint = x.entries) || ' ' || coalesce(e.after->>'stoppedBy', '-')
		FROM audit_exports x, audit_entries e WHERE e.action = 'audit.exported' AND (e.after->>'export')::bigint = x.id
		ORDER BY e.id DESC LIMIT 1`, bulky)
}

// busy counts the questions about the trail that the database is still at.
func (h *house) busy() int {
	return h.count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle'
		AND query LIKE '%FROM audit_entries WHERE%' AND pid <> pg_backend_pid()`)
}

// TestExportAbandoned: a reader who goes away ends the export, its question, and
// the trail knows how much had left.
func TestExportAbandoned(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.bulk(bulky)
	v, addr := h.supervisor(), h.listen()
	for _, format := range []string{"csv", "xlsx"} {
		resp, _ := h.download(v, addr, "/audit."+format)
		h.must(resp.Body.Close())
		if got := h.ends(); got != "abandoned unknown abandoned true true -" {
			t.Errorf("%s ended as %q", format, got)
		}
		// It is told to stop, and does not wait.
		h.waits(5*time.Second, format+": the database is at no question", func() bool { return h.busy() == 0 })
	}
}

// TestExportStopped: a user may stop their own export, an administrator any; the
// client sees that the file is incomplete.
func TestExportStopped(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.bulk(bulky)
	addr, v := h.listen(), h.supervisor()
	for _, tt := range []struct {
		who  *visitor
		want string
	}{{v, "Sara Supervisora"}, {h.administrator(), h.Admin.Name}} {
		_, body := h.download(v, addr, "/audit.csv")
		id := h.count(`SELECT id FROM audit_exports WHERE state = 'running'`)
		stop := fmt.Sprintf("/audit/exports/%d/stop", id)
		h.as(h.user("Otra "+tt.want, models.Supervisor)).post(stop, nil).want(404)
		tt.who.get("/audit/exports").want(200).saysAll("En curso", "Detener")
		tt.who.post(stop, nil).wantTo("/audit/exports")
		tt.who.post(stop, nil).want(303) // once more, while it is stopping
		rest, err := io.ReadAll(body)
		if !errors.Is(err, io.ErrUnexpectedEOF) && (err == nil || !strings.Contains(err.Error(), "reset")) {
			t.Errorf("a stopped file ends with %v after %d bytes, want a broken connection", err, len(rest))
		}
		if got := h.ends(); !strings.HasPrefix(got, "stopped failure stopped true true ") || strings.HasSuffix(got, " -") {
			t.Errorf("the export ended as %q", got)
		}
		tt.who.follow(tt.who.post(stop, nil)).says("Esa exportación ya terminó")
	}
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'audit.exportStopped' AND outcome = 'success'`); n != 2 {
		t.Errorf("stopping left %d entries, want 2", n)
	}
}

// TestExportsEndWithTheServer: a server that stops does not wait for readers.
func TestExportsEndWithTheServer(t *testing.T) {
	t.Parallel()
	stopping := make(chan struct{})
	h := newHouse(t, func(c *handlers.Config) { c.Stopping = stopping })
	h.bulk(bulky)
	_, body := h.download(h.supervisor(), h.listen(), "/audit.csv")
	close(stopping)
	if rest, err := io.ReadAll(body); err == nil {
		t.Errorf("the file of %d bytes seems whole", len(rest))
	}
	if got := h.ends(); got != "abandoned unknown abandoned true true -" {
		t.Errorf("the export ended as %q", got)
	}
}

// TestTooManyExports: the running exports of one user are limited, and the refusal
// is recorded.
func TestTooManyExports(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.supervisor()
	h.exec(`INSERT INTO audit_exports (format, actor_id, actor_name, query, filters, started_at, seen_at)
		SELECT 'csv', $1, 'Sara', '', '{}', $2, $2 FROM generate_series(1, 2)`, v.id, h.Clock.Now())
	v.get("/audit.csv").want(429).says("Ya hay demasiadas exportaciones en curso")
	if n := h.count(
		`SELECT count(*) FROM audit_entries WHERE action = 'audit.exported' AND outcome = 'failure' AND reason = 'error.tooManyExports'`,
	); n != 1 {
		t.Errorf("the refusal left %d entries, want 1", n)
	}
	h.as(h.user("Otra", models.Supervisor)).get("/audit.csv").want(200)
	// Nobody has heard of them for a minute: their server was killed.
	h.Clock.Advance(time.Minute)
	v.get("/audit/exports").want(200).saysAll("Abandonada")
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'audit.exported' AND outcome = 'unknown' AND actor_role = 'system'
		AND on_behalf_of = 'Sara'`); n != 2 {
		t.Errorf("two that died left %d entries, want 2", n)
	}
	v.get("/audit.csv").want(200)
}

// TestAFileEndsWithItsPersonsAccess: whoever is disabled while they download gets no more
// of it, and the trail says how much they had.
func TestAFileEndsWithItsPersonsAccess(t *testing.T) {
	t.Parallel()
	var events *handlers.Events
	h := newHouse(t, func(c *handlers.Config) {
		c.Events = handlers.NewEvents(c.Services, c.Logger)
		events = c.Events
	})
	go events.Run(t.Context())
	t.Cleanup(events.Stop)
	h.bulk(bulky)
	v := h.supervisor()
	_, body := h.download(v, h.listen(), "/audit.csv")
	h.exec(`UPDATE users SET disabled_at = now() WHERE id = $1`, v.id)
	h.exec(`DELETE FROM sessions WHERE user_id = $1`, v.id)
	if got := h.ends(); got != "abandoned unknown abandoned true true -" { // nobody reads the rest meanwhile
		t.Errorf("the export ended as %q", got)
	}
	if rest, err := io.ReadAll(body); err == nil {
		t.Errorf("the file of %d bytes seems whole", len(rest))
	}
}
