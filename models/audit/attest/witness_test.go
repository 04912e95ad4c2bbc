package attest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/attest"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/trailfile/cosign"
	"veinte/models/audit/trailfile/notes"
	"veinte/models/modelstest"
)

// watcher is a witness as C2SP's tlog-witness has it: it signs what continues the last
// checkpoint that it signed.
type watcher struct {
	tb     testing.TB
	signer *cosign.Signer
	url    string

	mu   sync.Mutex
	last map[string]trailfile.Checkpoint // by origin
	old  []int64                         // that it was asked from
	says func(w http.ResponseWriter) bool
}

func newWatcher(tb testing.TB) *watcher {
	tb.Helper()
	private, _, err := cosign.Generate("testigo.example")
	if err != nil {
		tb.Fatal(err)
	}
	w := &watcher{tb: tb, last: map[string]trailfile.Checkpoint{}}
	if w.signer, err = cosign.NewSigner(private); err != nil {
		tb.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(w.serve))
	tb.Cleanup(server.Close)
	w.url = server.URL
	return w
}

func (w *watcher) asks() []attest.Asked {
	return []attest.Asked{{Kind: attest.Cosignature, Name: w.signer.Name(), URL: w.url, Key: w.signer.Public()}}
}

func (w *watcher) serve(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	head, note, _ := strings.Cut(string(body), "\n\n")
	text, _, cut := notes.Cut(note)
	c, parse := trailfile.ParseText(text)
	lines := strings.Split(head, "\n")
	old, number := strconv.ParseInt(strings.TrimPrefix(lines[0], "old "), 10, 64)
	if err != nil || cut != nil || parse != nil || number != nil || r.URL.Path != "/add-checkpoint" {
		w.tb.Errorf("asked for %s with %q: %v, %v, %v", r.URL, body, err, cut, parse)
	}
	w.old = append(w.old, old)
	if w.says != nil && w.says(out) {
		return
	}
	var proof tlog.TreeProof
	for _, line := range lines[1:] {
		h, err := tlog.ParseHash(line)
		if err != nil {
			w.tb.Error(err)
		}
		proof = append(proof, h)
	}
	last := w.last[c.Origin]
	switch {
	case old != last.Size || old == c.Size && old > 0 && last.Root != c.Root:
		out.Header().Set("Content-Type", "text/x.tlog.size")
		out.WriteHeader(http.StatusConflict)
		fmt.Fprintln(out, last.Size)
	case old > 0 && old < c.Size && tlog.CheckTree(proof, c.Size, c.Root, old, last.Root) != nil:
		out.WriteHeader(http.StatusUnprocessableEntity)
	default:
		line, err := w.signer.Line(text)
		if err != nil {
			w.tb.Error(err)
		}
		w.last[c.Origin] = c
		fmt.Fprintln(out, line)
	}
}

func (w *watcher) behaves(f func(http.ResponseWriter) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.says = f
}

func (w *watcher) askedFrom() []int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.old
}

// TestAWitnessSignsEveryHour, with a proof from what it saw last, and at the cut-off.
func TestAWitnessSignsEveryHour(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	o := newOffice(t, w.asks())
	o.ask(3)
	modelstest.Wants(t, "cosignatures", o.lines(), 1)
	o.ask(2)
	modelstest.Wants(t, "cosignatures within the hour", o.lines(), 1)
	o.clock.Advance(time.Hour)
	o.ask(0)
	modelstest.Wants(t, "cosignatures after an hour", o.lines(), 2)

	o.clock.Advance(10 * time.Minute)
	cutoff := o.clock.Now().Add(-time.Minute)
	for range 3 {
		if err := o.WantAtCutoff(t.Context(), cutoff); err != nil {
			t.Fatalf("WantAtCutoff = %v", err)
		}
		o.ask(1)
	}
	modelstest.Wants(t, "cosignatures with that at the cut-off, once", o.lines(), 3)
	if got := fmt.Sprint(w.askedFrom()); strings.Count(got, " ") != 2 || !strings.HasPrefix(got, "[0 ") {
		t.Errorf("asked from %s, want from 0, and then from what it had seen", got)
	}
	noted, err := attest.Noted(t.Context(), o.DB(), o.latestSigned())
	if err != nil {
		t.Fatal(err)
	}
	text, below, _ := notes.Cut(noted)
	all, err := notes.Signatures(below)
	if err != nil || len(all) != 2 {
		t.Fatalf("signatures: %v, %v, want ours and the witness'", all, err)
	}
	v, err := cosign.NewVerifier(w.signer.Public())
	if err != nil || !v.Verify([]byte(text), all[1].Bytes) {
		t.Errorf("the cosignature in the note is not right: %v", err)
	}
}

// TestWhatOthersSignedLeavesTheDatabase: it stands in the directory of checkpoints too, as a
// checkpoint of ours, and an insider who empties the table has not emptied that.
func TestWhatOthersSignedLeavesTheDatabase(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	o := newOffice(t, w.asks())
	o.ask(3)
	outside, err := o.Seals.PublishedCheckpoints()
	if err != nil || len(outside) != 1 {
		t.Fatalf("PublishedCheckpoints = %q, %v, want one of the month", outside, err)
	}
	noted, err := attest.Noted(t.Context(), o.DB(), o.latestSigned())
	if err != nil || outside[0] != noted || len(notes.Lines(noted)) != 2 {
		t.Errorf("the directory has\n%s\nwant\n%s%v", outside[0], noted, err)
	}
	o.Write(2)
	o.All()
	if trouble := o.Seals.Trouble(); trouble != nil {
		t.Errorf("sealing on: %v", trouble)
	}
}

// latestSigned is the checkpoint that was signed by others last.
func (o *office) latestSigned() (c *sealing.Checkpoint) {
	o.TB.Helper()
	c = &sealing.Checkpoint{}
	err := o.Owner.QueryRow(`SELECT c.size, c.sealed_at, c.note FROM checkpoints c JOIN checkpoint_signatures s USING (size, sealed_at)
		ORDER BY c.size DESC LIMIT 1`).Scan(&c.Size, &c.SealedAt, &c.Note)
	if err != nil {
		o.TB.Fatal(err)
	}
	return c
}

// TestAWitnessThatKnowsBetterIsBelieved: a server that lost what it knew of a witness proves
// from the size that the witness answers.
func TestAWitnessThatKnowsBetterIsBelieved(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	o := newOffice(t, w.asks())
	o.ask(3)
	modelstest.Exec(t, o.Owner, `UPDATE attesters SET seen_size = 0, next_at = now() - interval '1 hour', tries = 1`)
	o.ask(4)
	modelstest.Wants(t, "cosignatures", o.lines(), 2)
	if s := o.status(); s.Trouble != "" {
		t.Errorf("Status = %+v", s)
	}
}

// TestWhatIsNoCosignatureIsNotKept, and a witness that refuses is another trouble than one
// that is away: it is in the trail, once.
func TestWhatIsNoCosignatureIsNotKept(t *testing.T) {
	t.Parallel()
	w, other := newWatcher(t), newWatcher(t)
	o := newOffice(t, w.asks())
	o.ask(3)
	status := func(code int, line string) func(http.ResponseWriter) bool {
		return func(out http.ResponseWriter) bool {
			if code == http.StatusConflict {
				out.Header().Set("Content-Type", "text/x.tlog.size")
			}
			out.WriteHeader(code)
			fmt.Fprintln(out, line)
			return true
		}
	}
	refusals := 0
	for _, tt := range []struct {
		name, trouble, detail string
		says                  func(http.ResponseWriter) bool
	}{
		{"an error", attest.Away, "500", status(500, "x")},
		{"too many requests", attest.Away, "429", status(429, "x")},
		{"it knows no such trail", attest.Wrong, "does not know this trail", status(404, "x")},
		{"a bad request", attest.Wrong, "does not understand", status(400, "x")},
		{"a page", attest.Away, "no lines of signatures", status(200, "<!doctype html>")},
		{"the line of another", attest.Wrong, "no cosignature of its key", func(out http.ResponseWriter) bool {
			line, _ := other.signer.Line("x")
			fmt.Fprintln(out, line)
			return true
		}},
		{"a cosignature over another text", attest.Wrong, "not right", func(out http.ResponseWriter) bool {
			line, _ := w.signer.Line("another\n")
			fmt.Fprintln(out, line)
			return true
		}},
		{"it saw more than there is", attest.Refused, "9000 entries", status(409, "9000")},
		{"it still does", attest.Refused, "9000 entries", status(409, "9000")},
		{"another past", attest.Refused, "does not continue", status(422, "")},
		{"away again", attest.Away, "503", status(503, "x")},
		{"not our key", attest.Refused, "does not trust the key", status(403, "")},
	} {
		if tt.trouble == attest.Refused && o.status().Trouble != attest.Refused {
			refusals++
		}
		w.behaves(tt.says)
		modelstest.Exec(t, o.Owner, `UPDATE attesters SET next_at = now() - interval '1 hour', tries = 1`)
		o.ask(1)
		if s := o.status(); s.Trouble != tt.trouble || !strings.Contains(s.Detail, tt.detail) {
			t.Errorf("%s: %s, %q; want %s with %q", tt.name, s.Trouble, s.Detail, tt.trouble, tt.detail)
		}
		modelstest.Wants(t, "cosignatures after "+tt.name, o.lines(), 1)
		modelstest.Wants(t, "refusals in the trail after "+tt.name,
			modelstest.Count(t, o.Owner, `SELECT count(*) FROM audit_entries WHERE action = 'attestation.refused'`), refusals)
	}
	if n, err := o.Notice(t.Context()); err != nil || n == nil || n.Code != attest.Refused || n.Detail != "testigo.example" {
		t.Errorf("Notice = %v, %v, want the witness that refuses, at once", n, err)
	}
	w.behaves(nil)
	modelstest.Exec(t, o.Owner, `UPDATE attesters SET next_at = now() - interval '1 hour', tries = 1`)
	o.ask(1)
	modelstest.Wants(t, "cosignatures", o.lines(), 2)
	if n, err := o.Notice(t.Context()); err != nil || n != nil {
		t.Errorf("Notice = %v, %v, want none", n, err)
	}
}
