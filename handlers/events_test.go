package handlers_test

import (
	"bufio"
	"context"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"veinte/handlers"
	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/sales"
)

// wire is a house that listens, because a stream does not end.
type wire struct {
	*house
	events  *handlers.Events
	address string
}

func newWire(t *testing.T) *wire {
	t.Helper()
	w := &wire{}
	w.house = newHouse(t, func(c *handlers.Config) {
		c.Events = handlers.NewEvents(c.Services, c.Logger)
		w.events = c.Events
	}).withNeighbours()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.address = "http://" + ln.Addr().String()
	go func() { _ = w.app.Listener(ln) }()
	go w.events.Run(context.WithoutCancel(t.Context()))
	t.Cleanup(func() {
		w.events.Stop()
		if err := w.app.ShutdownWithTimeout(10 * time.Second); err != nil {
			t.Errorf("the server does not stop: %v", err)
		}
	})
	return w
}

// listen opens a stream and returns its changes as they come; the channel closes
// when the stream ends.
func (w *wire) listen(t *testing.T, session string) (status int, changes <-chan struct{}) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.address+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.AddCookie(&http.Cookie{Name: "veinte_session", Value: session})
	client := &http.Client{
		Transport: &http.Transport{}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	notified := make(chan struct{}, 100)
	go func() {
		defer close(notified)
		lines := bufio.NewScanner(res.Body)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "event: changed") {
				notified <- struct{}{}
			}
		}
	}()
	return res.StatusCode, notified
}

// soon waits for a change of a stream.
func soon(t *testing.T, what string, changes <-chan struct{}) {
	t.Helper()
	select {
	case _, open := <-changes:
		if !open {
			t.Fatalf("%s: the stream ended", what)
		}
	case <-time.After(20 * time.Second):
		t.Fatalf("%s: nobody was notified", what)
	}
}

func TestPagesAreNotifiedOfTheirStores(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	people := map[string]string{
		"here":  w.session(w.user("Marta", models.Manager, w.Store)),
		"there": w.session(w.user("Tere", models.Manager, w.there)),
		"all":   w.session(w.user("Sara", models.Supervisor)),
	}
	streams := map[string]<-chan struct{}{}
	for name, session := range people {
		status, changes := w.listen(t, session)
		if status != http.StatusOK {
			t.Fatalf("GET /events for %s = %d, want 200", name, status)
		}
		streams[name] = changes
		soon(t, "a page that just opened", changes)
	}
	w.Sale(100)
	soon(t, "a sale here, to its manager", streams["here"])
	soon(t, "a sale here, to the supervisor", streams["all"])
	w.SaleAt(&models.Terminal{SerialNumber: w.terminal.SerialNumber}, 100)
	soon(t, "a sale there, to its manager", streams["there"])
	if err := w.Cancellations.Pause(t.Context(), w.Admin, "mantenimiento"); err != nil {
		t.Fatal(err)
	}
	for name, changes := range streams {
		soon(t, "a pause, to "+name, changes)
	}
	w.events.Stop()
	for _, changes := range streams {
		for range changes { // until it closes
		}
	}
}

// TestNobodyIsNotifiedOfOtherStores: a change wakes those who see its store, once
// until they have sent it.
func TestNobodyIsNotifiedOfOtherStores(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	e := handlers.NewEvents(o.Services, slog.New(slog.DiscardHandler))
	pages := map[string]*handlers.Stream{
		"of store 1": e.Join(models.Actor{StoreIDs: []int64{1}}), "of store 2": e.Join(models.Actor{StoreIDs: []int64{2, 3}}),
		"of all stores": e.Join(models.Actor{AllStores: true}), "of none": e.Join(models.Actor{}),
	}
	for _, p := range pages {
		p.Notified() // of what changed before it opened
	}
	for _, tt := range []struct {
		fact        string
		before, now sales.Revisions
		all         bool
		notified    []string
	}{
		{"nothing", sales.Revisions{1: 5}, sales.Revisions{1: 5}, false, nil},
		{"one store", sales.Revisions{1: 5, 2: 7}, sales.Revisions{1: 6, 2: 7}, false, []string{"of all stores", "of store 1"}},
		{
			"a store's first sale of the day",
			sales.Revisions{1: 5},
			sales.Revisions{1: 5, 3: 1},
			false,
			[]string{"of all stores", "of store 2"},
		},
		{"everybody", sales.Revisions{}, sales.Revisions{}, true, []string{"of all stores", "of none", "of store 1", "of store 2"}},
	} {
		e.Publish(tt.before, tt.now, tt.all)
		e.Publish(tt.before, tt.now, tt.all)
		var notified []string
		for name, p := range pages {
			if p.Notified() {
				notified = append(notified, name)
			}
			if p.Notified() {
				t.Errorf("%s: the page %s was notified twice at once", tt.fact, name)
			}
		}
		slices.Sort(notified)
		if !slices.Equal(notified, tt.notified) {
			t.Errorf("%s: notified %q, want %q", tt.fact, notified, tt.notified)
		}
	}
}

func TestStreamsAreForFewAndForWhoIsSignedIn(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	if status, _ := w.listen(t, "nobody"); status != http.StatusSeeOther {
		t.Errorf("GET /events without a session = %d, want to be sent to sign in", status)
	}
	session := w.session(w.user("Marta", models.Manager, w.Store))
	for i := range 7 {
		want := http.StatusOK
		if i == 6 {
			want = http.StatusNoContent
		}
		if status, _ := w.listen(t, session); status != want {
			t.Errorf("stream %d of one session = %d, want %d", i+1, status, want)
		}
	}
	// Nor does a person with many sessions take all.
	many, open := w.user("Muchas", models.Manager, w.Store), 0
	for range 5 {
		session := w.session(many)
		for range 6 {
			if status, _ := w.listen(t, session); status == http.StatusOK {
				open++
			}
		}
	}
	if open != 18 {
		t.Errorf("a person with five sessions has %d streams, want 18", open)
	}
	if status, _ := w.listen(t, w.session(w.user("Otra", models.Manager, w.Store))); status != http.StatusOK {
		t.Errorf("a stream of another session = %d, want 200", status)
	}
}

// TestAStreamEndsWithItsPersonsAccess within seconds: one that is disabled, signed out or
// given other stores; the others go on.
func TestAStreamEndsWithItsPersonsAccess(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	stays := w.session(w.user("Sigue", models.Supervisor))
	_, goesOn := w.listen(t, stays)
	soon(t, "a page that just opened", goesOn)
	for fact, statement := range map[string]string{
		"disabled":    `UPDATE users SET disabled_at = now() WHERE id = $1`,
		"past an end": `UPDATE users SET access_until = DATE '2026-11-01' WHERE id = $1`,
		"signed out":  `DELETE FROM sessions WHERE user_id = $1`,
		"elsewhere":   `DELETE FROM user_stores WHERE user_id = $1`,
		"promoted":    `UPDATE users SET role = 'supervisor' WHERE id = $1`,
	} {
		id := w.user("Quien "+fact, models.Manager, w.Store)
		_, changes := w.listen(t, w.session(id))
		soon(t, "a page that just opened", changes)
		w.exec(statement, id)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for range changes { // until it closes
			}
		}()
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Errorf("the stream of somebody %s goes on", fact)
		}
	}
	w.Sale(100)
	soon(t, "a sale, to who is still there", goesOn)
}
