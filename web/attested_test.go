package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"veinte/models/audit/trailfile/stamp/stamptest"
	"veinte/models/modelstest"
)

// stamps has OpenSSL's authority answer over HTTP.
func stamps(t *testing.T, a *stamptest.Authority) (address string) {
	t.Helper()
	var one sync.Mutex // its folder is one
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get("Content-Type") != "application/timestamp-query" {
			http.Error(w, "no query", http.StatusBadRequest)
			return
		}
		one.Lock()
		defer one.Unlock()
		w.Header().Set("Content-Type", "application/timestamp-reply")
		_, _ = w.Write(a.Reply(query))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// dayBefore has everything in the trail say that it was a day earlier, and forgets what was
// sealed and signed: what somebody does who has the database, the server and the key.
const dayBefore = `DO $$ DECLARE t regclass; BEGIN
	FOR t IN SELECT tgrelid FROM pg_trigger WHERE NOT tgisinternal AND tgfoid = 'refuse_change'::regproc LOOP
		EXECUTE format('ALTER TABLE %s DISABLE TRIGGER USER', t);
	END LOOP;
	UPDATE audit_entries SET at = at - interval '1 day', canonical = convert_to(regexp_replace(convert_from(canonical, 'UTF8'),
		'"at":"[^"]*"', '"at":"' || to_char(at AT TIME ZONE 'UTC' - interval '1 day', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'), 'UTF8');
	DELETE FROM checkpoint_signatures; DELETE FROM attesters; DELETE FROM checkpoint_beats; DELETE FROM checkpoints;
	DELETE FROM sealed_nodes; DELETE FROM sealed_entries;
END $$`

// TestStrangersSignTheTrail: an authority stamps it, a witness that is a process of its own
// cosigns it, and what leaves has both. Then somebody with the database, the server and the
// key rewrites yesterday, and has it stamped anew: the stamps alone show it, and so does the
// witness alone.
func TestStrangersSignTheTrail(t *testing.T) {
	t.Parallel()
	s, dir := newShop(t), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) string {
		must(t, os.WriteFile(in(name), []byte(text), 0o600))
		return in(name)
	}
	authority := stamptest.New(t, stamptest.Options{})
	root := write("root.pem", authority.Root())
	trailKey := keyFile(t, "tienda.example/bitacora", 0o600)
	key := publicKey(t, trailKey)
	out, stderr, code := veinte(t, nil, "audit", "keygen", "--witness", "--name", "contadora.example", "--out", in("witness.key"))
	witness := strings.TrimSpace(out)
	if code != 0 {
		t.Fatalf("keygen --witness = %d: %s%s", code, out, stderr)
	}
	w := start(t, nil, "/healthz",
		"audit", "witness", "--listen", "ADDR", "--witness-key", in("witness.key"), "--log", key, "--state", in("state"))
	settings := []string{
		"AUDIT_KEY_FILE=" + trailKey, "AUDIT_TSA=tsa.example/tsr=" + stamps(t, authority),
		"AUDIT_WITNESSES=" + write("witnesses", "# la contadora\n"+witness+" "+w.url+"\n"),
	}
	p := s.serve(settings...)
	ana := s.signIn(p, "ana@shop.example")
	_, id := s.sell(0, "")
	ana.cancel(id, true)
	s.becomes(id, 10*time.Second, "confirmed")
	s.sealAll()
	if code, out, errs := s.command("audit", "stamp", "--wait", "1m"); code != 0 {
		t.Fatalf("stamp --wait = %d: %s%s", code, out, errs)
	}
	kept := s.output("audit", "checkpoints")
	if !strings.Contains(kept, "— tsa.example/tsr ") || !strings.Contains(kept, "— contadora.example ") {
		t.Fatalf("checkpoints that others signed:\n%.2000s", kept)
	}
	asked := []string{"--witness", witness, "--tsa-root", root, "--max-age", "1h", "--stamped-within", "1h"}
	verify := func(fact string, code int, words string, args ...string) {
		t.Helper()
		out, stderr, got := veinte(t, []string{"LANG=en_US.UTF-8"}, append([]string{"audit", "verify", "--key", key}, args...)...)
		if got != code || !strings.Contains(out+stderr, words) {
			t.Errorf("%s: verify = %d, want %d and %q\n%.3000s%s", fact, got, code, words, out, stderr)
		}
	}
	export := write("export", s.output("audit", "export"))
	verify("an export", 0, "1 of 1 witnesses", append(asked, "--file", export)...)
	verify("a proof", 0, "1 of 1 witnesses", append(asked[:4:4], "--proof", write("proof", s.output("audit", "prove", "1")))...)

	p.end(syscall.SIGTERM)
	modelstest.Exec(t, modelstest.Open(t, s.ownerURL).SQL(), dayBefore)
	p = s.serve(settings...)
	s.sealAll()
	if code, out, errs := s.command("audit", "stamp", "--wait", "5s"); code == 0 {
		t.Errorf("the witness signed another past: %s%s", out, errs)
	}
	eventually(t, 30*time.Second, "/healthz says that the witness refuses", func() bool {
		resp, err := http.Get(p.url + "/healthz")
		must(t, err)
		_, text := read(t, resp)
		return strings.Contains(text, "attest.refused")
	})
	forged := write("forged", s.output("audit", "export"))
	verify("without strangers", 0, "intact", "--file", forged)
	verify("a stamp", 0, "intact", "--file", forged, "--tsa-root", root)
	verify("the stamps alone", 2, "n 0", "--file", forged, "--tsa-root", root, "--stamped-within", "1h")
	verify("the witness alone", 2, "contadora.example", "--file", forged, "--witness", witness)
	verify("what somebody kept", 1, "altered", "--file", forged, "--tsa-root", root, "--checkpoint", write("kept", kept))
}

// output is what a command prints that has to succeed.
func (s *shop) output(args ...string) string {
	s.t.Helper()
	code, out, errs := s.command(args...)
	if code != 0 {
		s.t.Fatalf("%v = %d: %s", args, code, errs)
	}
	return out
}
