package attest_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit/attest"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/trailfile/notes"
	"veinte/models/audit/trailfile/stamp"
	"veinte/models/modelstest"
)

// office is a trail that others sign.
type office struct {
	*modelstest.SealedTrail
	clock *modelstest.Clock
	*attest.Service
}

func newOffice(t *testing.T, asked []attest.Asked) *office {
	t.Helper()
	o := &office{SealedTrail: modelstest.NewSealedTrail(t), clock: modelstest.NewClock(time.Now())}
	o.Service = o.process(asked)
	o.begin()
	return o
}

// process is the service of another process.
func (o *office) process(asked []attest.Asked) *attest.Service {
	return attest.New(attest.Config{
		DB: o.DB(), Clock: o.clock, Seals: o.Seals, Asked: asked, HTTP: &http.Client{Timeout: 5 * time.Second},
		Logger: slog.New(slog.NewTextHandler(o.TB.Output(), nil)),
	})
}

func (o *office) begin() {
	o.TB.Helper()
	if err := o.Begin(o.TB.Context()); err != nil {
		o.TB.Fatalf("Begin = %v", err)
	}
}

// ask writes n entries, seals them, and asks whoever is due.
func (o *office) ask(n int) {
	o.TB.Helper()
	if n > 0 {
		o.Write(n)
	}
	o.All()
	if err := o.Ask(o.TB.Context()); err != nil {
		o.TB.Fatalf("Ask = %v", err)
	}
}

// closes a day in the trail.
func (o *office) closes() {
	modelstest.Exec(o.TB, o.Owner, `INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, canonical)
		VALUES (now(), 'x', 'system', 'day.closed', 'success', convert_to(gen_random_uuid()::text, 'UTF8'))`)
}

func (o *office) lines() int {
	return modelstest.Count(o.TB, o.Owner, `SELECT count(*) FROM checkpoint_signatures`)
}

func (o *office) status() attest.Attester {
	o.TB.Helper()
	all, err := o.Status(o.TB.Context())
	if err != nil || len(all) != 1 {
		o.TB.Fatalf("Status = %v, %v, want one", all, err)
	}
	return all[0]
}

func (o *office) latest() *sealing.Checkpoint {
	o.TB.Helper()
	c, err := o.Seals.LatestCheckpoint(o.TB.Context())
	if err != nil {
		o.TB.Fatal(err)
	}
	return c
}

// TestADayThatWasClosedIsStamped: at once at first, then after a day was closed, and when
// somebody wants it; and not in between.
func TestADayThatWasClosedIsStamped(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	o := newOffice(t, a.asks())
	o.ask(3)
	modelstest.Wants(t, "stamps at first", o.lines(), 1)
	o.ask(2)
	modelstest.Wants(t, "stamps after two entries", o.lines(), 1)
	o.closes()
	o.ask(0)
	modelstest.Wants(t, "stamps after the day was closed", o.lines(), 2)
	o.ask(1)
	modelstest.Wants(t, "stamps after another entry", o.lines(), 2)

	o.clock.Advance(time.Second)
	auditor := models.Actor{UserID: 1, Name: "Elena", Role: models.Auditor, AllStores: true}
	if err := o.Want(t.Context(), auditor); err != nil {
		t.Fatalf("Want = %v", err)
	}
	o.clock.Advance(time.Second)
	o.ask(0)
	modelstest.Wants(t, "stamps when it was wanted", o.lines(), 3)
	o.clock.Advance(25 * time.Hour)
	o.ask(1)
	modelstest.Wants(t, "stamps after a day without a closing", o.lines(), 4)

	c := o.latest()
	noted, err := attest.Noted(t.Context(), o.DB(), c)
	if err != nil {
		t.Fatalf("Noted = %v", err)
	}
	if _, err := trailfile.Open(noted, o.Keys.Verifiers()); err != nil {
		t.Errorf("our own keys do not open the note with its stamp: %v", err)
	}
	text, below, _ := notes.Cut(noted)
	all, err := notes.Signatures(below)
	if err != nil || len(all) != 2 || all[1].Name != "tsa.example/tsr" || all[1].Hash != stamp.KeyHash("tsa.example/tsr") {
		t.Fatalf("the note's signatures are %v, %v, want ours and a stamp", all, err)
	}
	info, err := stamp.Verify(all[1].Bytes, text, a.root)
	if err != nil || time.Since(info.Time) > time.Minute {
		t.Errorf("stamp.Verify = %v, %v", info, err)
	}
	if s := o.status(); s.Size != c.Size || s.Trouble != "" || s.SignedAt == nil || !s.SignedAt.Equal(info.Time) {
		t.Errorf("Status = %+v, want %d entries of %s", s, c.Size, info.Time)
	}
}

// TestWhatIsNoStampIsNotKept: whatever an authority answers, the trail goes on, and once it
// answers as it has to, the newest checkpoint has its stamp.
func TestWhatIsNoStampIsNotKept(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	o := newOffice(t, a.asks())
	var earlier []byte
	a.behaves(func(w http.ResponseWriter, query []byte) {
		earlier = a.reply(query, "tsa")
		_, _ = w.Write(earlier)
	})
	o.ask(1)
	modelstest.Wants(t, "stamps", o.lines(), 1)
	text := func() string {
		text, _, _ := notes.Cut(o.latest().Note)
		return text
	}
	for _, tt := range []struct {
		name, trouble, detail string
		answers               func(w http.ResponseWriter, query []byte)
	}{
		{"an error", attest.Away, "503", func(w http.ResponseWriter, _ []byte) { w.WriteHeader(http.StatusServiceUnavailable) }},
		{"an answer that breaks off", attest.Away, "EOF", func(w http.ResponseWriter, _ []byte) {
			w.Header().Set("Content-Length", "5000")
			_, _ = w.Write([]byte("0"))
		}},
		{"a redirect", attest.Away, "redirects", func(w http.ResponseWriter, _ []byte) {
			w.Header().Set("Location", a.url+"/elsewhere")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}},
		{"a page", attest.Wrong, "text/html", func(w http.ResponseWriter, _ []byte) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte("<!doctype html><p>Welcome"))
		}},
		{"a page that calls itself a stamp", attest.Wrong, "no time stamp", func(w http.ResponseWriter, _ []byte) {
			_, _ = w.Write([]byte("<!doctype html><p>Welcome"))
		}},
		{"nothing", attest.Wrong, "no time stamp", func(http.ResponseWriter, []byte) {}},
		{"a flood", attest.Wrong, "longer", func(w http.ResponseWriter, _ []byte) { _, _ = w.Write(make([]byte, 1<<20)) }},
		{"a refusal", attest.Wrong, "refuses", func(w http.ResponseWriter, query []byte) { _, _ = w.Write(a.reply(query, "strict")) }},
		{"a stamp of an earlier request", attest.Wrong, "nonce", func(w http.ResponseWriter, _ []byte) { _, _ = w.Write(earlier) }},
		{"a stamp over another text", attest.Wrong, "of another text", func(w http.ResponseWriter, query []byte) {
			_, _ = w.Write(a.reply(overOther(query, text()), "tsa"))
		}},
	} {
		a.behaves(tt.answers)
		o.closes()
		o.clock.Advance(time.Hour)
		before, asked := o.status().TroubleSince, a.times()
		o.ask(1)
		s := o.status()
		if s.Trouble != tt.trouble || !strings.Contains(s.Detail, tt.detail) {
			t.Errorf("%s: %s, %q; want %s with %q", tt.name, s.Trouble, s.Detail, tt.trouble, tt.detail)
		}
		if before != nil && (s.TroubleSince == nil || !s.TroubleSince.Equal(*before)) {
			t.Errorf("%s: in trouble since %v, want %v: the first time", tt.name, s.TroubleSince, before)
		}
		if strings.Contains(s.Detail, "127.0.0.1") {
			t.Errorf("%s: the detail has the address: %q", tt.name, s.Detail)
		}
		modelstest.Wants(t, "stamps after "+tt.name, o.lines(), 1)
		modelstest.Wants(t, "times asked for "+tt.name, a.times(), asked+1)
	}
	a.behaves(nil)
	o.clock.Advance(time.Hour)
	o.ask(1)
	modelstest.Wants(t, "stamps", o.lines(), 2)
	if s := o.status(); s.Trouble != "" || s.Size != o.latest().Size {
		t.Errorf("Status = %+v, want no trouble, and all entries stamped", s)
	}
}

// TestAStampWithAnotherClockIsNotKept: a verifier would say that the checkpoint or the stamp
// was dated falsely.
func TestAStampWithAnotherClockIsNotKept(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	o := newOffice(t, a.asks())
	o.clock.Advance(-time.Hour)
	o.Service = o.process(a.asks())
	o.begin()
	modelstest.Exec(t, o.Owner, `UPDATE attesters SET next_at = now() - interval '2 hours'`)
	o.ask(1)
	if s := o.status(); s.Trouble != attest.Wrong || !strings.Contains(s.Detail, "clock") {
		t.Errorf("Status = %+v, want a clock that is wrong", s)
	}
	modelstest.Wants(t, "stamps", o.lines(), 0)
}

// TestAnAuthorityThatIsAwayForADay: the trail goes on, it is said since when, the pauses grow,
// and when it is back one stamp covers all that was added.
func TestAnAuthorityThatIsAwayForADay(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	o := newOffice(t, a.asks())
	o.ask(1)
	a.behaves(func(w http.ResponseWriter, _ []byte) { w.WriteHeader(http.StatusBadGateway) })
	o.closes()
	o.clock.Advance(time.Minute)
	since, asked := o.clock.Now(), a.times()
	for range 24 * 6 {
		o.ask(0)
		o.clock.Advance(10 * time.Minute)
	}
	o.Write(5)
	o.All()
	s := o.status()
	if s.Trouble != attest.Away || s.TroubleSince == nil || s.TroubleSince.Sub(since).Abs() > time.Second {
		t.Errorf("Status = %+v, want away since %s", s, since)
	}
	if n, err := o.Notice(t.Context()); err != nil || n == nil || n.Detail != s.Name || n.Code != attest.Away {
		t.Errorf("Notice = %v, %v, want the authority after a day", n, err)
	}
	if n := a.times() - asked; n < 40 || n > 60 {
		t.Errorf("asked %d times in a day, want about twice an hour", n)
	}
	if c := o.latest(); c.Size < 7 || c.Size <= s.Size {
		t.Errorf("%d entries are sealed, the last stamp is over %d: the trail did not go on", c.Size, s.Size)
	}
	a.behaves(nil)
	o.clock.Advance(30 * time.Minute)
	o.ask(0)
	if s := o.status(); s.Trouble != "" || s.Size != o.latest().Size {
		t.Errorf("Status = %+v, want all %d entries stamped", s, o.latest().Size)
	}
}

// TestASlowAuthorityHoldsNothingUp: entries are sealed while it is waited for, and the other
// process asks it not a second time.
func TestASlowAuthorityHoldsNothingUp(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	o := newOffice(t, a.asks())
	o.Write(1)
	o.All()
	entered, release := make(chan struct{}), make(chan struct{})
	a.behaves(func(w http.ResponseWriter, query []byte) {
		close(entered)
		<-release
		_, _ = w.Write(a.reply(query, "tsa"))
	})
	done := make(chan error, 1)
	go func() { done <- o.Ask(t.Context()) }()
	<-entered
	o.Write(3)
	o.All()
	if err := o.process(a.asks()).Ask(t.Context()); err != nil {
		t.Errorf("Ask of the other process = %v", err)
	}
	modelstest.Wants(t, "stamps while it is waited for", o.lines(), 0)
	close(release)
	if err := <-done; err != nil {
		t.Errorf("Ask = %v", err)
	}
	modelstest.Wants(t, "stamps", o.lines(), 1)
	if s := o.status(); s.Size >= o.latest().Size {
		t.Errorf("the stamp is over %d entries, and %d are sealed: those of meanwhile are not in it", s.Size, o.latest().Size)
	}
}

// TestWhoIsAskedIsInTheTrail: once for each change, and without what signs in.
func TestWhoIsAskedIsInTheTrail(t *testing.T) {
	t.Parallel()
	o := newOffice(t, nil)
	said := func() int {
		return modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'attesters.changed'`)
	}
	modelstest.Wants(t, "entries where nobody is asked", said(), 0)
	asked, err := attest.ParseAuthorities("uno=https://ana:secreto@tsa.example/tsr?clave=secreto, https://dos.example/")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := o.process(asked).Begin(t.Context()); err != nil {
			t.Fatalf("Begin = %v", err)
		}
	}
	modelstest.Wants(t, "entries", said(), 1)
	after := modelstest.Scan[string](t, o.Owner, `SELECT after::text FROM audit_entries WHERE action = 'attesters.changed'`)
	if strings.Contains(after, "secreto") || strings.Contains(after, "ana@") || strings.Contains(after, "ana:") ||
		!strings.Contains(after, "stamp dos.example https://dos.example/") {
		t.Errorf("the trail says %s", after)
	}
	if err := o.process(asked[:1]).Begin(t.Context()); err != nil {
		t.Fatalf("Begin = %v", err)
	}
	modelstest.Wants(t, "entries", said(), 2)
	modelstest.Wants(t, "who is asked", modelstest.Count(t, o.Owner, `SELECT count(*) FROM attesters`), 1)
}
