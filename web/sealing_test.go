package web

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"veinte/models/audit/trailfile"
)

// keyFile writes a sealing key of the name, as keygen does.
func keyFile(t *testing.T, name string, mode os.FileMode) string {
	t.Helper()
	private, _, err := trailfile.GenerateKey(name)
	must(t, err)
	path := filepath.Join(t.TempDir(), "audit.key")
	must(t, os.WriteFile(path, []byte(private+"\n"), 0o600))
	must(t, os.Chmod(path, mode))
	return path
}

// refusal starts a server that must refuse, and returns its output.
func (s *shop) refusal(more ...string) string {
	s.t.Helper()
	_, stderr, code := veinte(s.t, append([]string{
		"DATABASE_URL=" + s.dbURL, "CANCEL_BASE_URL=" + s.box.url, "ACCESS_TOKEN=token", "ADMIN_ADDR=", "ADDR=127.0.0.1:0",
		"RESULTS_SECRET=results-secret-0123456789", "CUTOFF_ZONE=" + noonZone(),
	}, more...), "serve")
	if code == 0 {
		s.t.Errorf("serve with %v ended well", more)
	}
	return stderr
}

func (s *shop) sealed() (entries int) {
	s.t.Helper()
	must(s.t, s.db.Pool().QueryRow(context.Background(), `SELECT coalesce(max(size), 0) FROM checkpoints`).Scan(&entries))
	return entries
}

func (s *shop) entries() (n int) {
	s.t.Helper()
	must(s.t, s.db.Pool().QueryRow(context.Background(), `SELECT count(*) FROM audit_entries`).Scan(&n))
	return n
}

// TestServeSeals: two servers seal one trail, report its state, and seal the last
// entries when they end. Then no server starts without the right key.
func TestServeSeals(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	key, dir := keyFile(t, "tienda.example/bitacora", 0o600), filepath.Join(t.TempDir(), "a", "checkpoints")
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	admin := ln.Addr().String()
	ln.Close()
	first := s.serve("AUDIT_KEY_FILE="+key, "AUDIT_CHECKPOINT_DIR="+dir, "ADMIN_ADDR="+admin)
	second := s.serve("AUDIT_KEY_FILE="+key, "AUDIT_CHECKPOINT_DIR="+filepath.Join(t.TempDir(), "checkpoints"))
	sofia := s.signIn(first, "sofia@shop.example")
	sofia.get("/audit")
	eventually(t, 20*time.Second, "everything is sealed", func() bool { return s.sealed() >= s.entries() })
	resp, err := http.Get("http://" + admin + "/metrics")
	must(t, err)
	text, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	for _, want := range []string{
		"veinte_trail_seal_lag_seconds ", "veinte_trail_sealed_entries ", "veinte_trail_sealed_total ",
		`veinte_trail_seal_trouble{trouble="shorter"} 0`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the metrics do not tell %s", want)
		}
	}
	second.end(syscall.SIGTERM)
	sofia.get("/audit") // an entry, right before the end
	first.end(syscall.SIGTERM)
	eventually(t, 20*time.Second, "what was done last is sealed", func() bool { return s.sealed() >= s.entries() })
	files, _ := filepath.Glob(filepath.Join(dir, "checkpoints-*.txt"))
	if len(files) == 0 {
		t.Error("no checkpoint was written outside the database")
	}
	// While no server runs a command seals what it does, where it has the key.
	acts := []string{"key", "create", "--scope", "sales:read", "--all-stores", "--name"}
	env := []string{"DATABASE_URL=" + s.dbURL, "AUDIT_KEY_FILE=" + key, "AUDIT_CHECKPOINT_DIR=" + dir}
	before := s.entries()
	if _, said, code := veinte(t, env, append(acts, "Caja")...); code != 0 || s.entries() == before || s.sealed() != s.entries() {
		t.Errorf("key create = %d, and sealed %d of %d entries, %d of them before:\n%s", code, s.sealed(), s.entries(), before, said)
	}
	if _, said, code := veinte(t, []string{env[0], "AUDIT_KEY_FILE=/does/not/exist"}, append(acts, "Otra")...); code != 0 ||
		!strings.Contains(said, "not sealed yet") {
		t.Errorf("key create with a key file that is not there = %d, and says:\n%s", code, said)
	}
	for want, more := range map[string][]string{
		"without its key nothing more": nil,
		"must bear the old name":       {"AUDIT_KEY_FILE=" + keyFile(t, "otra.example/bitacora", 0o600)},
		"chmod 600":                    {"AUDIT_KEY_FILE=" + keyFile(t, "tienda.example/bitacora", 0o644)},
		"no such file":                 {"AUDIT_KEY_FILE=/does/not/exist"},
		"without AUDIT_KEY_FILE":       {"AUDIT_CHECKPOINT_DIR=" + dir},
		"no absolute path":             {"AUDIT_KEY_FILE=" + key, "AUDIT_CHECKPOINT_DIR=checkpoints"},
	} {
		if got := s.refusal(more...); !strings.Contains(got, want) {
			t.Errorf("serve with %v does not say %q:\n%s", more, want, got)
		}
	}
}

// TestServeUnsealed: a server without keys warns, and serves.
func TestServeUnsealed(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.serve()
	p.end(syscall.SIGTERM)
	if !strings.Contains(p.log(), "the trail is not sealed") {
		t.Errorf("it does not warn:\n%s", p.log())
	}
	if n := s.sealed(); n != 0 {
		t.Errorf("%d entries were sealed without a key", n)
	}
}
