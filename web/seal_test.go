package web

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"veinte/models/audit/trailfile"
)

// TestASealerOfItsOwn: with a role for it, veinte seal seals what a server writes that has
// neither the key nor the right.
func TestASealerOfItsOwn(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	owner := strings.Replace(s.dbURL, "user=veinte_app", "user=postgres", 1)
	role := fmt.Sprintf("sealer_of_%s", s.database())
	if out := sqlAs(t, owner, "CREATE ROLE "+role+" LOGIN"); out != nil {
		t.Fatal(out)
	}
	if code, printed := runToItsEnd(t, owner, "", "migrate", "up", "--app-role", "veinte_app", "--sealer-role", role); code != 0 {
		t.Fatalf("migrate up --sealer-role = %d\n%s", code, printed)
	}
	private := keyFile(t, "tienda.example/bitacora", 0o600)
	keys, err := trailfile.LoadKeys(private)
	must(t, err)
	public := filepath.Join(t.TempDir(), "audit.pub")
	must(t, os.WriteFile(public, []byte(keys.Public()[0]+"\n"), 0o600))
	if said := s.refusal("AUDIT_KEY_FILE=" + private); !strings.Contains(said, "may not seal") {
		t.Errorf("serve with the private key beside a sealer says %q, want that its role may not seal", said)
	}
	server := s.serve("AUDIT_KEY_FILE=" + public)
	dir := filepath.Join(t.TempDir(), "checkpoints")
	env := []string{
		"DATABASE_URL=" + strings.Replace(s.dbURL, "user=veinte_app", "user="+role, 1), "AUDIT_CHECKPOINT_DIR=" + dir,
	}
	if _, said, code := veinte(t, append(env, "AUDIT_KEY_FILE="+public), "seal"); code != 1 || !strings.Contains(said, "public keys alone") {
		t.Errorf("seal with a public key = %d and says %q", code, said)
	}
	sealer := start(t, append(env, "AUDIT_KEY_FILE="+private), "", "seal")
	s.signIn(server, "sofia@shop.example").get("/audit")
	eventually(t, 20*time.Second, "everything is sealed", func() bool { return s.sealed() > 0 && s.sealed() >= s.entries() })
	for _, p := range []*proc{server, sealer} {
		if code := p.end(syscall.SIGTERM); code != 0 {
			t.Errorf("it ended with %d; its log:\n%s", code, p.log())
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) == 0 {
		t.Errorf("checkpoints in the directory: %v, %v, want some", files, err)
	}
	if err := sqlAs(t, s.dbURL, `INSERT INTO checkpoints (size, root, sealed_at, era, txid, entry_id, note)
		SELECT size + 1, root, sealed_at, era, txid, entry_id, note FROM checkpoints LIMIT 1`); err == nil ||
		!strings.Contains(err.Error(), "42501") {
		t.Errorf("the server's role stores a checkpoint: %v, want that it may not", err)
	}
}

// sqlAs runs a statement at an address of the database.
func sqlAs(t *testing.T, url, statement string) error {
	t.Helper()
	db, err := sql.Open("pgx", url)
	must(t, err)
	defer db.Close()
	_, err = db.ExecContext(t.Context(), statement)
	return err
}
