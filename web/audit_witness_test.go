package web

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/trailfile"
)

// watcher is a witness of a shop on another machine.
type watcher struct {
	t           *testing.T
	state       string
	key, secret string
}

// check runs the witness once and checks the exit code and the output.
func (w *watcher) check(code int, words string, args ...string) string {
	w.t.Helper()
	out, errs, got := veinte(w.t, []string{"VEINTE_API_KEY=" + w.secret},
		append([]string{"audit", "witness", "--state", w.state, "--key", w.key}, args...)...)
	if got != code || !strings.Contains(out+errs, words) {
		w.t.Errorf("witness %v = %d, want %d and %q\n%s%s", args, got, code, words, out, errs)
	}
	return out + errs
}

func (w *watcher) stored() string {
	w.t.Helper()
	text, err := os.ReadFile(w.state)
	must(w.t, err)
	return string(text)
}

// evidence returns and deletes the file about the last contradiction.
func (w *watcher) evidence() string {
	w.t.Helper()
	files, err := filepath.Glob(w.state + ".evidence-*")
	must(w.t, err)
	if len(files) != 1 {
		w.t.Fatalf("%d files of evidence, want 1", len(files))
	}
	text, err := os.ReadFile(files[0])
	must(w.t, err)
	info, err := os.Stat(files[0])
	must(w.t, err)
	if info.Mode().Perm() != 0o600 {
		w.t.Errorf("the evidence has mode %o", info.Mode().Perm())
	}
	must(w.t, os.Remove(files[0]))
	return string(text)
}

func publicKey(t *testing.T, file string) string {
	t.Helper()
	keys, err := trailfile.LoadKeys(file)
	must(t, err)
	return keys.Public()[0]
}

// apiKey makes a key that sees checkpoints, and nothing else.
func (s *shop) apiKey() string {
	s.t.Helper()
	code, out, errs := s.command("key", "create", "--name", "Testigo", "--scope", "audit:checkpoint", "--all-stores")
	if code != 0 {
		s.t.Fatalf("key create: %s", errs)
	}
	return strings.TrimSpace(out)
}

// sealAll waits until everything is sealed.
func (s *shop) sealAll() {
	s.t.Helper()
	eventually(s.t, 30*time.Second, "everything is sealed", func() bool { return s.sealed() > 0 && s.sealed() >= s.entries() })
}

// TestWitness watches a trail that grows, whose key is replaced, that is temporarily
// unreachable, and that is replaced by another one.
func TestWitness(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	old := keyFile(t, "tienda.example/bitacora", 0o600)
	p := s.serve("AUDIT_KEY_FILE=" + old)
	w := &watcher{t: t, state: filepath.Join(t.TempDir(), "witness.json"), key: publicKey(t, old), secret: s.apiKey()}
	s.sealAll()
	w.check(0, "intact", "--url", p.url)
	first := w.stored()
	s.sell(0, "")
	s.signIn(p, "sofia@shop.example")
	s.sealAll()
	w.check(0, "intact", "--url", p.url)
	if w.stored() == first {
		t.Error("the witness did not keep what it saw")
	}
	must(t, os.WriteFile(w.state+".first", []byte(noteOf(first)), 0o600))
	w.check(0, "intact", "--url", p.url, "--compare", w.state+".first")

	// Several witnesses at once.
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() { w.check(0, "intact", "--url", p.url) })
	}
	group.Wait()
	stranger := &watcher{
		t: t, state: filepath.Join(t.TempDir(), "w.json"), key: publicKey(t, keyFile(t, "tienda.example/bitacora", 0o600)),
		secret: w.secret,
	}
	stranger.check(2, "not signed by a key that is trusted here", "--url", p.url)
	stranger.secret = "wrong"
	stranger.check(2, "401", "--url", p.url)

	// Another trail with the same key.
	other := newShop(t)
	q := other.serve("AUDIT_KEY_FILE=" + old)
	other.sealAll()
	before := w.stored()
	elsewhere := &watcher{t: t, state: w.state, key: w.key, secret: other.apiKey()}
	elsewhere.check(1, "altered", "--url", q.url)
	if text := w.evidence(); !strings.Contains(text, noteOf(before)) || strings.Count(text, "— tienda.example/bitacora ") < 2 {
		t.Errorf("the evidence lacks a note:\n%s", text)
	}
	if w.stored() != before {
		t.Error("a contradiction replaced what was seen before")
	}

	// The key is replaced by another one.
	p.end(syscall.SIGTERM)
	w.check(2, "cannot be reached", "--url", p.url)
	fresh := keyFile(t, "tienda.example/bitacora", 0o600)
	a, err := os.ReadFile(fresh)
	must(t, err)
	b, err := os.ReadFile(old)
	must(t, err)
	both := filepath.Join(t.TempDir(), "both.key")
	must(t, os.WriteFile(both, append(a, b...), 0o600))
	p = s.serve("AUDIT_KEY_FILE=" + both)
	s.signIn(p, "sofia@shop.example")
	s.sealAll()
	w.check(0, "intact", "--url", p.url)
	w.key = publicKey(t, fresh)
	w.check(0, "intact", "--url", p.url)

	text := w.stored()
	must(t, os.WriteFile(w.state, []byte(text[:len(text)/2]), 0o600))
	w.check(2, "damaged", "--url", p.url)
}

// noteOf is the note that a state holds.
func noteOf(state string) string {
	_, rest, _ := strings.Cut(state, `"note": "`)
	text, _, _ := strings.Cut(rest, "\"\n")
	return strings.ReplaceAll(text, `\n`, "\n")
}

// TestWitnessOfTheDatabase: the witness detects that the trail's end was deleted
// together with its checkpoints.
func TestWitnessOfTheDatabase(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	key := keyFile(t, "tienda.example/bitacora", 0o600)
	p := s.serve("AUDIT_KEY_FILE=" + key)
	s.sealAll()
	s.signIn(p, "sofia@shop.example")
	s.sealAll()
	p.end(syscall.SIGTERM)
	w := &watcher{t: t, state: filepath.Join(t.TempDir(), "witness.json"), key: publicKey(t, key)}
	dsn := []string{"DATABASE_URL=" + s.dbURL}
	run := func(code int, words string) {
		t.Helper()
		out, errs, got := veinte(t, dsn, "audit", "witness", "--database", "--state", w.state, "--key", w.key)
		if got != code || !strings.Contains(out+errs, words) {
			t.Errorf("witness = %d, want %d and %q\n%s%s", got, code, words, out, errs)
		}
	}
	run(0, "intact")
	owner, err := sql.Open("pgx", strings.Replace(s.dbURL, "user=veinte_app", "user=postgres", 1))
	must(t, err)
	defer owner.Close()
	_, err = owner.Exec(`SET session_replication_role = replica;
		ALTER TABLE checkpoints DISABLE TRIGGER append_only; ALTER TABLE sealed_entries DISABLE TRIGGER append_only;
		DELETE FROM checkpoints WHERE size = (SELECT max(size) FROM checkpoints);
		DELETE FROM sealed_entries WHERE n >= (SELECT max(size) FROM checkpoints)`)
	must(t, err)
	run(1, "its end was cut")
	w.evidence()
}

// TestWitnessOfAStrangeServer covers unexpected responses.
func TestWitnessOfAStrangeServer(t *testing.T) {
	t.Parallel()
	file := keyFile(t, "tienda.example/bitacora", 0o600)
	keys, err := trailfile.LoadKeys(file)
	must(t, err)
	sign := func(size int64, root byte) string {
		note, err := trailfile.Checkpoint{
			Origin: keys.Origin(), Size: size, Root: tlog.Hash{root},
			Time: time.Date(2026, 11, 20, 14, 3, 0, 0, time.UTC),
		}.Sign(keys.Signers()...)
		must(t, err)
		return fmt.Sprintf(`{"note":%q}`, note)
	}
	checkpoint, consistency := sign(1204, 1), `{"proof":[]}`
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/moved"):
			http.Redirect(rw, r, "/elsewhere", http.StatusFound)
		case strings.HasPrefix(r.URL.Path, "/elsewhere"):
			t.Error("a redirect was followed")
		case strings.HasPrefix(r.URL.Path, "/huge"):
			for range 100 << 4 {
				if _, err := rw.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		case strings.HasSuffix(r.URL.Path, "/checkpoint"):
			fmt.Fprint(rw, checkpoint)
		default:
			rw.WriteHeader(status)
			fmt.Fprint(rw, consistency)
		}
	}))
	defer server.Close()
	w := &watcher{t: t, state: filepath.Join(t.TempDir(), "witness.json"), key: keys.Public()[0], secret: "vk"}
	w.check(2, "redirects are not followed", "--url", server.URL+"/moved")
	w.check(2, "longer than", "--url", server.URL+"/huge")
	w.check(2, "want https", "--url", "http://veinte.example")
	w.check(2, "--url or --database")
	w.check(0, "intact: 1,204 entries", "--url", server.URL)
	checkpoint = sign(900, 1)
	w.check(1, "the trail had 1,204 entries at 2026-11-20 14:03:00 UTC, now 900", "--url", server.URL)
	w.evidence()
	checkpoint = sign(1204, 2)
	w.check(1, "a split view", "--url", server.URL)
	w.evidence()
	checkpoint = sign(1300, 3)
	w.check(1, "does not begin with", "--url", server.URL)
	w.evidence()
	status, consistency = http.StatusConflict, `{"code":"not-sealed"}`
	w.check(1, "no proof was given", "--url", server.URL)
	w.evidence()
	status = http.StatusInternalServerError
	w.check(2, "500", "--url", server.URL)
	checkpoint = strings.Replace(sign(1300, 3), "1300", "1301", 1)
	w.check(1, "changed after signing", "--url", server.URL)
	w.evidence()
	checkpoint = `{"note":"hello"}`
	w.check(2, "not a checkpoint", "--url", server.URL)
	checkpoint = sign(1204, 1)
	w.check(0, "intact", "--url", server.URL)
}
