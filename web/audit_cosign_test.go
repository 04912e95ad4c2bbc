package web

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"veinte/models/audit/witness"
	"veinte/models/audit/witness/witnesstest"
)

// TestWitnessThatCosigns runs a witness as a franchisor would: its key, the process, what
// servers ask it, and kill -9 while they do.
func TestWitnessThatCosigns(t *testing.T) {
	t.Parallel()
	const origin = "tienda.example/bitacora"
	dir := t.TempDir()
	key, state := filepath.Join(dir, "witness.key"), filepath.Join(dir, "state")
	out, errs, code := veinte(t, nil, "audit", "keygen", "--witness", "--name", "testigo.example/1", "--out", key)
	vkey := strings.TrimSpace(out)
	if info, err := os.Stat(key); code != 0 || err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("keygen = %d, %v\n%s", code, err, errs)
	}
	trail := witnesstest.NewTrail(t, origin).Grow(400, "entry")
	args := func() []string {
		return []string{"audit", "witness", "--listen", "ADDR", "--witness-key", key, "--log", trail.Public, "--state", state}
	}
	p := start(t, nil, "/healthz", args()...)
	c := witness.Client{URL: p.url}
	witnesstest.Cosigned(t, c, vkey, trail, 0, 5)
	if got := text(t, p.url+"/"); !strings.Contains(got, vkey) || !strings.Contains(got, origin+"\n    5 ") {
		t.Errorf("the page:\n%s", got)
	}
	if _, errs, code := veinte(t, nil, args()...); code != 2 || !strings.Contains(errs, "another witness") {
		t.Errorf("a second process = %d %s", code, errs)
	}

	// Killed while it answers, it knows afterwards what it cosigned: not less than the last
	// answer that came, and at most the one that did not come.
	size := int64(5)
	for range 5 {
		sizes := make(chan int64, 1)
		started := make(chan struct{})
		go func(from int64) {
			defer func() { sizes <- from }()
			for n := 0; ; n++ {
				if n == 2 {
					close(started)
				}
				if from == 400 {
					return
				}
				if _, err := c.Add(t.Context(), from, trail.Proof(from, from+1), trail.Note(from+1)); err != nil {
					return
				}
				from++
			}
		}(size)
		<-started
		p.end(syscall.SIGKILL)
		size = <-sizes
		p = start(t, nil, "/healthz", args()...)
		c = witness.Client{URL: p.url}
		_, err := c.Add(t.Context(), 0, nil, trail.Note(400))
		var refusal *witness.Refusal
		if !errors.As(err, &refusal) || refusal.Size < size || refusal.Size > size+1 {
			t.Fatalf("after a kill: %v, want a conflict at %d or one more", err, size)
		}
		size = refusal.Size
		witnesstest.Refused(t, c, size, nil, trail.Fork(size).Note(size), 409)
	}
	witnesstest.Cosigned(t, c, vkey, trail, size, 400)
	if code := p.end(syscall.SIGTERM); code != 0 {
		t.Errorf("ended by SIGTERM with %d:\n%s", code, p.log())
	}
}

func text(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	must(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	must(t, err)
	return string(body)
}

// TestWitnessThatCannotCosign: what is wrong is said before it listens.
func TestWitnessThatCannotCosign(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	trail := keyFile(t, "tienda.example/bitacora", 0o600)
	key := filepath.Join(dir, "witness.key")
	if _, errs, code := veinte(t, nil, "audit", "keygen", "--witness", "--name", "testigo.example/1", "--out", key); code != 0 {
		t.Fatal(errs)
	}
	open := filepath.Join(dir, "open.key")
	content, err := os.ReadFile(key)
	must(t, err)
	must(t, os.WriteFile(open, content, 0o600))
	must(t, os.Chmod(open, 0o644))
	public := publicKey(t, trail)
	for name, tt := range map[string]struct {
		args  []string
		words string
	}{
		"no key":                {[]string{"--log", public}, "--witness-key"},
		"no trail":              {[]string{"--witness-key", key}, "--log"},
		"a trail's key":         {[]string{"--witness-key", trail, "--log", public}, "no key of a witness"},
		"a key that all read":   {[]string{"--witness-key", open, "--log", public}, "chmod 600"},
		"a trail that is none":  {[]string{"--witness-key", key, "--log", "tienda"}, "no public key"},
		"a server to ask":       {[]string{"--witness-key", key, "--log", public, "--url", "https://x"}, "--listen goes with"},
		"an address that is no": {[]string{"--witness-key", key, "--log", public, "--listen", "nowhere"}, "--listen"},
	} {
		args := append([]string{"audit", "witness", "--listen", "127.0.0.1:0", "--state", filepath.Join(t.TempDir(), "state")}, tt.args...)
		_, errs, code := veinte(t, nil, args...)
		if code != 2 || !strings.Contains(errs, tt.words) || strings.Contains(errs, "PRIVATE+KEY+testigo") {
			t.Errorf("%s = %d, want 2 and %q\n%s", name, code, tt.words, errs)
		}
	}
	if _, errs, code := veinte(t, nil, "audit", "witness", "--state", "s"); code != 2 || !strings.Contains(errs, "--key") {
		t.Errorf("without flags = %d\n%s", code, errs)
	}
}
