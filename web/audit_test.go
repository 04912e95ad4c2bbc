package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"veinte/models/audit/trailfile"
)

// TestAuditCommands: a key, an export, a proof and the database, each verified
// intact, altered, and undecidable.
func TestAuditCommands(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	out, _, code := veinte(t, nil, "audit", "keygen", "--name", "tienda.example/bitacora", "--out", in("audit.key"))
	key := strings.TrimSpace(out)
	if code != 0 || !strings.HasPrefix(key, "tienda.example/bitacora+") {
		t.Fatalf("keygen = %q, %d", out, code)
	}
	if _, stderr, code := veinte(t, nil, "audit", "keygen", "--name", "x", "--out", in("audit.key")); code == 0 ||
		!strings.Contains(stderr, "exists") {
		t.Errorf("keygen over a key ended with %d: %s", code, stderr)
	}
	server := s.serve("AUDIT_KEY_FILE="+in("audit.key"), "AUDIT_CHECKPOINT_DIR="+in("checkpoints"))
	s.signIn(server, "sofia@shop.example").get("/audit")
	eventually(t, 20*time.Second, "everything is sealed", func() bool { return s.sealed() >= s.entries() })
	server.end(syscall.SIGTERM)

	env := []string{"DATABASE_URL=" + s.dbURL}
	export, stderr, code := veinte(t, env, "audit", "export")
	if code != 0 || !strings.Contains(export, "veinte-audit-export/1") {
		t.Fatalf("export = %d: %s", code, stderr)
	}
	if _, stderr, code := veinte(t, env, "audit", "export", "--filter", "amount=3"); code == 0 ||
		!strings.Contains(stderr, `no filter is named "amount"`) {
		t.Errorf("export with a filter that is none = %d: %s", code, stderr)
	}
	part, stderr, code := veinte(t, env, "audit", "export", "--filter", "action=session.started")
	if code != 0 || !strings.Contains(part, `{"gap":`) {
		t.Errorf("export of a part = %d: %s", code, stderr)
	}
	proof, stderr, code := veinte(t, env, "audit", "prove", "1")
	if code != 0 {
		t.Fatalf("prove = %d: %s", code, stderr)
	}
	stored, err := filepath.Glob(in("checkpoints/checkpoints-*.txt"))
	must(t, err)
	if len(stored) == 0 {
		t.Fatal("no checkpoint has left")
	}
	other, _, _ := veinte(t, nil, "audit", "keygen", "--name", "tienda.example/bitacora", "--out", in("other.key"))
	files := map[string]string{
		"export": export, "part": part, "proof": proof, "empty": "", "cut": export[:len(export)/2],
		"forged":       strings.Replace(export, `"session.started`, `"session.starteD`, 1),
		"changed":      strings.Replace(export, `\"outcome\":\"success\"`, `\"outcome\":\"failure\"`, 1),
		"changedProof": strings.Replace(proof, `\"outcome\":\"success\"`, `\"outcome\":\"failure\"`, 1),
	}
	for name, text := range files {
		must(t, os.WriteFile(in(name), []byte(text), 0o600))
	}
	// What somebody kept: the first checkpoint of the month.
	month, err := os.ReadFile(stored[0])
	must(t, err)
	must(t, os.WriteFile(in("early"), []byte(trailfile.Notes(string(month))[0]), 0o600))
	continued, stderr, code := veinte(t, env, "audit", "prove", "1", "--checkpoint", in("early"))
	if code != 0 {
		t.Fatalf("prove with a checkpoint = %d: %s", code, stderr)
	}
	must(t, os.WriteFile(in("continued"), []byte(continued), 0o600))
	proved := []string{"--proof", in("proof"), "--key", key}
	tests := []struct {
		fact string
		args []string
		code int
		want string
	}{
		{"an export", []string{"--file", in("export"), "--key", key}, 0, "intact"},
		{"an export with a checkpoint", []string{"--file", in("export"), "--key", key, "--checkpoint", stored[0]}, 0, "intact"},
		{"a part", []string{"--file", in("part"), "--key", key}, 0, "intact"},
		{"a proof", []string{"--proof", in("proof"), "--key", key}, 0, "entry 1 is leaf"},
		{"a changed export", []string{"--file", in("changed"), "--key", key}, 1, "first: entry n "},
		{"a changed proof", []string{"--proof", in("changedProof"), "--key", key}, 1, "changed, or never there"},
		{"a truncated export", []string{"--file", in("cut"), "--key", key}, 2, "truncated"},
		{"an empty file", []string{"--file", in("empty"), "--key", key}, 2, "empty"},
		{"a proof given as an export", []string{"--file", in("proof"), "--key", key}, 2, "no export"},
		{"an export given as a proof", []string{"--proof", in("export"), "--key", key}, 2, "no proof"},
		{"a directory", []string{"--file", dir, "--key", key}, 2, "is a directory"},
		{"no such file", []string{"--file", in("none"), "--key", key}, 2, "no such file"},
		{"another key", []string{"--file", in("export"), "--key", strings.TrimSpace(other)}, 2, "another one of the same name"},
		{"a key with a typo", []string{"--file", in("export"), "--key", key[:len(key)-5] + "xxxx="}, 2, "no public key"},
		{"the private key", []string{"--file", in("export"), "--key", "PRIVATE+KEY+x+1+y"}, 2, "that is a private key"},
		{
			"no checkpoint in the file",
			[]string{"--file", in("export"), "--key", key, "--checkpoint", in("empty")},
			2,
			"holds no signed checkpoint",
		},
		{"nothing", []string{"--key", key}, 2, "verify what?"},
		{"a database that is not there", []string{"--database-url", "postgres://127.0.0.1:1/x", "--key", key}, 2, "reach database"},
		{"the database", []string{"--database-url", s.dbURL, "--key", key, "--checkpoint", stored[0]}, 0, "intact"},
		{
			"the database with another key",
			[]string{"--database-url", s.dbURL, "--key", strings.TrimSpace(other)},
			2,
			"no checkpoint is signed by a key",
		},
		{"a proof with what was kept", append(proved, "--checkpoint", stored[0]), 0, "1 compared"},
		{"a proof with a checkpoint of another size", append(proved, "--checkpoint", in("early")), 2, "proof of consistency"},
		{
			"a proof that continues what was kept",
			[]string{"--proof", in("continued"), "--key", key, "--checkpoint", in("early")},
			0, "1 compared, 0 not compared",
		},
	}
	for _, tt := range tests {
		stdout, stderr, code := veinte(t, nil, append([]string{"audit", "verify"}, tt.args...)...)
		if code != tt.code || !strings.Contains(stdout+stderr, tt.want) || strings.Contains(stderr, "panic") {
			t.Errorf("verify of %s ended with %d, want %d and %q:\n%s%s", tt.fact, code, tt.code, tt.want, stdout, stderr)
		}
	}
	stdout, _, code := veinte(t, nil, "audit", "verify", "--file", in("changed"), "--key", key, "--json")
	var verdict struct {
		State    string
		Findings []struct{ Line, N, ID int64 }
	}
	must(t, json.NewDecoder(bytes.NewReader([]byte(stdout))).Decode(&verdict))
	if code != 1 || verdict.State != "altered" || verdict.Findings[0].Line == 0 {
		t.Errorf("verify --json = %d, %s", code, stdout)
	}
	piped := exec.Command(program, "audit", "verify", "--proof", "-", "--key", key)
	piped.Env, piped.Stdin = []string{"LANG=es_MX.UTF-8"}, strings.NewReader(proof)
	if out, err := piped.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "intacta: la entrada 1 es la hoja ") {
		t.Errorf("verify of a proof from standard input = %s, %v", out, err)
	}
	line := fmt.Sprintf("línea %d: ", verdict.Findings[0].Line)
	for what, want := range map[string][]string{
		"changed": {"ALTERADA: algo no está como se selló", "primero: ", line, "la bitácora fue alterada"},
		"export":  {"intacta: cada entrada está como se selló", "entradas en el archivo"},
	} {
		stdout, stderr, _ := veinte(t, []string{"LANG=es_MX.UTF-8"}, "audit", "verify", "--file", in(what), "--key", key)
		for _, words := range want {
			if !strings.Contains(stdout+stderr, words) {
				t.Errorf("verify of %s in Spanish lacks %q:\n%s%s", what, words, stdout, stderr)
			}
		}
	}
	stdout, stderr, _ = veinte(t, []string{"LANG=es_MX.UTF-8"}, "audit", "verify", "--database-url", s.dbURL,
		"--key", strings.TrimSpace(other))
	if !strings.Contains(stdout, "primero: ") || strings.Contains(stdout, "first:") {
		t.Errorf("verify of the database in Spanish:\n%s%s", stdout, stderr)
	}
}
