package web

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"veinte/models/localpg"
	"veinte/models/modelstest"
)

// backups is a shop whose trail is sealed, with what backs it up and restores it.
type backups struct {
	*shop
	dir, key string
	cluster  *localpg.Server // to restore into; it has no role of ours
	tools    string          // the folder of PostgreSQL's programs
}

func newBackups(t *testing.T, sandbox ...string) *backups {
	t.Helper()
	bin, err := localpg.FindBinaries()
	must(t, err)
	return &backups{
		shop: newShop(t, sandbox...), dir: t.TempDir(), key: keyFile(t, "tienda.example/bitacora", 0o600), cluster: modelstest.Cluster(t),
		tools: bin.Dir,
	}
}

// run runs a command with the tools of PostgreSQL.
func (b *backups) run(env []string, args ...string) (out, errs string, code int) {
	b.t.Helper()
	return veinte(b.t, append([]string{"PG_BIN=" + b.tools}, env...), args...)
}

func (b *backups) in(name string) string { return filepath.Join(b.dir, name) }

func (b *backups) serveSealed(more ...string) *proc {
	b.t.Helper()
	return b.serve(append([]string{"AUDIT_KEY_FILE=" + b.key, "AUDIT_CHECKPOINT_DIR=" + b.in("checkpoints")}, more...)...)
}

// backup makes a backup as the owner.
func (b *backups) backup(name string, env ...string) (out, errs string, code int) {
	b.t.Helper()
	env = append([]string{"DATABASE_URL=" + b.ownerURL, "AUDIT_KEY_FILE=" + b.key}, env...)
	return b.run(env, "backup", "--out", b.in(name))
}

// backedUp makes a backup that must succeed, and returns its manifest.
func (b *backups) backedUp(name string, env ...string) map[string]any {
	b.t.Helper()
	if out, errs, code := b.backup(name, env...); code != 0 {
		b.t.Fatalf("backup = %d: %s%s", code, out, errs)
	}
	text, err := os.ReadFile(filepath.Join(b.in(name), "manifest.json"))
	must(b.t, err)
	var m map[string]any
	must(b.t, json.Unmarshal(text, &m))
	return m
}

// at is a database of the other cluster.
func (b *backups) at(database string) string { return b.cluster.DSN(database, "postgres") }

// restore restores a backup, with the trail's key unless arguments name another.
func (b *backups) restore(args ...string) (out string, code int) {
	b.t.Helper()
	out, errs, code := b.run([]string{"LANG=en_US.UTF-8"}, append([]string{"restore", "--audit-key-file", b.key}, args...)...)
	return out + errs, code
}

func wantsCode(t *testing.T, what, said string, got, want int, words ...string) {
	t.Helper()
	if got != want {
		t.Errorf("%s ended with %d, want %d:\n%s", what, got, want, said)
	}
	for _, w := range words {
		if !strings.Contains(said, w) {
			t.Errorf("%s does not say %q:\n%s", what, w, said)
		}
	}
}

// TestBackupOfYesterdaySendsNothing: a backup is made while people press and while some
// wait to be sent, the shop goes on, and the backup is restored: it is what it was, it says
// what is held back, and a server over it sends none of it again.
func TestBackupOfYesterdaySendsNothing(t *testing.T) {
	t.Parallel()
	b := newBackups(t, "--result-delay", "4s")
	server := b.serveSealed()
	ana := b.signIn(server, "ana@shop.example")
	orders, ids := []string{}, []int64{}
	for range 5 { // at one terminal, which takes one after the other
		order, id := b.sell(0, "")
		orders, ids = append(orders, order), append(ids, id)
	}
	for _, id := range ids {
		ana.cancel(id, false)
	}
	m := b.backedUp("yesterday")
	waiting := m["counts"].(map[string]any)["cancellations"].(map[string]any)["requested"]
	if waiting == nil {
		t.Fatalf("nothing waits in the backup: %v", m["counts"])
	}
	for _, id := range ids {
		b.becomes(id, time.Minute, "confirmed")
	}
	eventually(t, 20*time.Second, "everything is sealed", func() bool { return b.sealed() >= b.entries() })
	server.end(syscall.SIGKILL)

	said, code := b.restore(b.in("yesterday"), "--check", "--into", b.at("veinte"), "--audit-checkpoint-dir", b.in("checkpoints"))
	held := fmt.Sprintf("held back: %v. ", waiting)
	wantsCode(t, "restore", said, code, 0, "the database veinte was made", "roles made", "veinte_app", "intact", held,
		"order "+orders[4]+", terminal "+serial(0), "This database is older than the checkpoints outside", "is missing here: compare")
	again, code := b.restore("--check", "--database", b.at("veinte"), "--audit-checkpoint-dir", b.in("checkpoints"))
	wantsCode(t, "restore --check --database", again, code, 0, held, "This database is older than the checkpoints outside")
	promised, errs, _ := b.run([]string{"FAILOVER_KEEPS_COMMITS=on", "AUDIT_KEY_FILE=" + b.key, "LANG=es_MX.UTF-8"},
		"restore", "--check", "--database", b.at("veinte"))
	wantsCode(t, "restore with a promise that cannot be kept", promised+errs, 0, 0, "FAILOVER_KEEPS_COMMITS está en on", "retenidas")

	b.dbURL = b.cluster.DSN("veinte", modelstest.AppRole)
	b.db = modelstest.Open(t, b.dbURL)
	b.serveSealed()
	b.becomes(ids[4], 30*time.Second, "unknown")
	if n := b.count(`SELECT count(*) FROM cancellations WHERE detail = 'otherDatabase'`); fmt.Sprint(n) != fmt.Sprint(waiting) {
		t.Errorf("%d are in doubt because of the other database, want the %v that the command called held back", n, waiting)
	}
	for _, order := range orders {
		if n := len(ledgerRequests(t, b.box.url, "cancel", order)); n != 1 {
			t.Errorf("order %s was sent %d times, want once", order, n)
		}
	}
}

// TestBackupWhilePeopleClick: each backup that is made meanwhile is one moment: its counts,
// its checkpoint and its dump agree.
func TestBackupWhilePeopleClick(t *testing.T) {
	t.Parallel()
	b := newBackups(t)
	server := b.serveSealed()
	ana := b.signIn(server, "ana@shop.example")
	var done atomic.Bool
	var people sync.WaitGroup
	people.Go(func() {
		for !done.Load() {
			_, id := b.sell(b.sale%3, "")
			ana.cancel(id, false)
		}
	})
	var entries []float64
	for i := range 3 {
		m := b.backedUp(fmt.Sprint("backup-", i))
		entries = append(entries, m["counts"].(map[string]any)["entries"].(float64))
	}
	done.Store(true)
	people.Wait()
	server.end(syscall.SIGTERM)
	if entries[0] == entries[2] {
		t.Errorf("nothing happened between the backups, which have %v entries", entries)
	}
	for i := range 3 {
		said, code := b.restore(b.in(fmt.Sprint("backup-", i)), "--into", b.at(fmt.Sprint("veinte_", i)))
		wantsCode(t, fmt.Sprintf("restore of backup %d", i), said, code, 0, "the counts are those of the backup", "What is here is as it was")
	}
}

// TestBackupSaysWhatItLacks: its files are their owner's alone, their sums are those that
// sha256sum wants, and the secrets are named and not told.
func TestBackupSaysWhatItLacks(t *testing.T) {
	t.Parallel()
	b := newBackups(t)
	b.serveSealed().end(syscall.SIGTERM)
	must(t, os.WriteFile(b.in("relay"), []byte("4WJ3l5rPq7H6mK0bJ1o4eLw4E0ZkT0y7y0b6nq4vYhQ=\n"), 0o600))
	must(t, os.WriteFile(b.in("veinte.env"), []byte("RELAY_KEY_FILE="+b.in("relay")+"\nSMTP_PASSWORD=\"not to be told\"\n"), 0o600))
	out, errs, code := b.run([]string{"DATABASE_URL=" + b.ownerURL, "AUDIT_KEY_FILE=" + b.key, "LANG=es_MX.UTF-8"},
		"backup", "--out", b.in("kept"), "--settings", b.in("veinte.env"))
	wantsCode(t, "backup", out+errs, code, 0, "es el respaldo de", "RELAY_KEY_FILE: "+b.in("relay"), "SMTP_PASSWORD: "+b.in("veinte.env"),
		"AUDIT_KEY_FILE: "+b.key, publicKey(t, b.key))
	private, err := os.ReadFile(b.key)
	must(t, err)
	for _, name := range []string{"", "veinte.dump", "manifest.json", "checkpoint.txt", "SHA256SUMS"} {
		info, err := os.Stat(filepath.Join(b.in("kept"), name))
		must(t, err)
		if open := info.Mode().Perm() & 0o077; open != 0 {
			t.Errorf("%q is open to others: %o", name, info.Mode().Perm())
		}
		text, err := os.ReadFile(filepath.Join(b.in("kept"), name))
		if name == "" {
			continue
		}
		must(t, err)
		for _, secret := range []string{"not to be told", "4WJ3l5rPq7H6", strings.TrimSpace(string(private))} {
			if strings.Contains(string(text), secret) {
				t.Errorf("%s holds a secret", name)
			}
		}
	}
	sums, err := os.ReadFile(filepath.Join(b.in("kept"), "SHA256SUMS"))
	must(t, err)
	if lines := regexp.MustCompile(`(?m)^[0-9a-f]{64}  \S+$`).FindAllString(string(sums), -1); len(lines) != 3 {
		t.Errorf("SHA256SUMS has %d lines as sha256sum wants them, want 3:\n%s", len(lines), sums)
	}
	said, code := b.restore("--check", b.in("kept"))
	wantsCode(t, "restore --check", said, code, 0, "the backup is whole")
}

// TestBackupIsRefused: what is wrong is said, and nothing is left half done.
func TestBackupIsRefused(t *testing.T) {
	t.Parallel()
	b := newBackups(t)
	old := filepath.Join(b.dir, "old")
	must(t, os.MkdirAll(old, 0o700))
	must(t, os.WriteFile(filepath.Join(old, "pg_dump"), []byte("#!/bin/sh\necho 'pg_dump (PostgreSQL) 13.9 (Debian 13.9-1)'\n"), 0o700))
	must(t, os.MkdirAll(b.in("there"), 0o700))
	must(t, os.MkdirAll(b.in("half.part"), 0o700))
	must(t, os.WriteFile(b.in("file"), nil, 0o600))
	asServer := "DATABASE_URL=" + b.dbURL
	for _, tt := range []struct {
		fact, out string
		env       []string
		says      string
	}{
		{"the folder is there", "there", nil, "is there already"},
		{"another backup runs, or was broken off", "half", nil, "half.part is there"},
		{"it cannot be written there", "file/backup", nil, "not a directory"},
		{"no pg_dump", "new", []string{"PG_BIN=" + b.dir}, "pg_dump was not found"},
		{"an older pg_dump", "new", []string{"PG_BIN=" + old}, "pg_dump is of PostgreSQL 13 and the server is of"},
		{"as the server's role", "new", []string{asServer}, "this needs the owner of the tables, postgres"},
		{"another database", "new", []string{"DATABASE_URL=" + strings.Replace(b.ownerURL, b.database(), "postgres", 1)}, "no tables of Veinte"},
		{"a password that is in no log", "new", []string{"DATABASE_URL=postgres://x:hidden@127.0.0.1:1/veinte"}, "reach database"},
	} {
		out, errs, code := b.backup(tt.out, tt.env...)
		wantsCode(t, tt.fact, out+errs, code, 1, tt.says)
		if strings.Contains(out+errs, "hidden") {
			t.Errorf("%s: a password is told: %s", tt.fact, errs)
		}
		if _, err := os.Stat(b.in("new")); err == nil {
			t.Errorf("%s: a backup is there", tt.fact)
		}
	}
	// A disk that is full in the middle of the dump.
	cmd := exec.Command("sh", "-c", `ulimit -f 16; exec "$0" backup --out "$1"`, program, b.in("full"))
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "PG_BIN=" + b.tools, "DATABASE_URL=" + b.ownerURL}
	if said, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(said), "pg_dump") {
		t.Errorf("a backup on a full disk: %v: %s", err, said)
	}
	left, err := filepath.Glob(b.in("*.part"))
	if must(t, err); len(left) != 1 { // that of somebody else, above
		t.Errorf("left behind: %v", left)
	}
}

// changed is a copy of a backup in which something is done to a folder; sums are made anew
// where whoever did it can do that too.
func (b *backups) changed(name string, do func(dir string), sums bool) string {
	b.t.Helper()
	dir := b.in(name)
	must(b.t, os.CopyFS(dir, os.DirFS(b.in("whole"))))
	do(dir)
	if sums {
		cmd := exec.Command("sh", "-c", "sha256sum checkpoint.txt manifest.json veinte.dump > SHA256SUMS")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			b.t.Fatalf("sha256sum: %v: %s", err, out)
		}
	}
	return dir
}

// replaced replaces a text in a file, which must be there.
func replaced(t *testing.T, path, text, with string) {
	t.Helper()
	old, err := os.ReadFile(path)
	must(t, err)
	if !strings.Contains(string(old), text) {
		t.Fatalf("%s has no %q", path, text)
	}
	must(t, os.WriteFile(path, []byte(strings.Replace(string(old), text, with, 1)), 0o600))
}

// TestRestoreRefusesAnotherBackup: a backup that is not as it was made, or does not hold
// what it says.
func TestRestoreRefusesAnotherBackup(t *testing.T) {
	t.Parallel()
	b := newBackups(t)
	server := b.serveSealed()
	b.sell(0, "")
	b.sealAll()
	server.end(syscall.SIGTERM)
	b.backedUp("whole")
	said, code := b.restore(b.in("whole"), "--into", b.at("whole"))
	wantsCode(t, "restore", said, code, 0, "What is here is as it was")
	// Somebody who has the database changes an entry, and another one cuts the end off with its checkpoints.
	tamper := func(name, statement string) string {
		t.Helper()
		must(t, sqlAs(t, b.at("postgres"), `CREATE DATABASE `+name+` TEMPLATE whole`))
		must(t, sqlAs(t, b.at(name), statement))
		dir := b.in("of-" + name)
		if out, errs, code := b.backup("of-"+name, "DATABASE_URL="+b.at(name)); code != 0 {
			t.Fatalf("backup = %d: %s%s", code, out, errs)
		}
		return dir
	}
	edited := tamper("edited", `SET session_replication_role = replica; ALTER TABLE audit_entries DISABLE TRIGGER USER;
		UPDATE audit_entries SET actor_name = 'somebody else' WHERE id = (SELECT min(id) FROM audit_entries)`)
	dump := func(dir string) string { return filepath.Join(dir, "veinte.dump") }
	const broken = "nothing was restored"
	manifest := func(dir string) string { return filepath.Join(dir, "manifest.json") }
	for i, tt := range []struct {
		fact string
		dir  string
		code int
		says string
	}{
		{"the dump is another one", b.changed("a", func(dir string) {
			must(t, os.Truncate(dump(dir), 5000))
		}, false), 1, "veinte.dump is not as"},
		{"the manifest is another one", b.changed("b", func(dir string) {
			replaced(t, manifest(dir), `"sales": 1`, `"sales": 2`)
		}, false), 1, "manifest.json is not as"},
		{"and its sums as well", b.changed("c", func(dir string) {
			replaced(t, manifest(dir), `"sales": 1`, `"sales": 2`)
		}, true), 1, "DIFFERS: sales: the backup says 2, the database has 1"},
		{"the dump is missing", b.changed("d", func(dir string) { must(t, os.Remove(dump(dir))) }, false), 1, "veinte.dump is missing"},
		{"the sums are missing", b.changed("e", func(dir string) {
			must(t, os.Remove(filepath.Join(dir, "SHA256SUMS")))
		}, false), 2, "is no backup"},
		{"it breaks off early, with its sums", b.changed("f", func(dir string) { must(t, os.Truncate(dump(dir), 20000)) }, true), 2, broken},
		{"it breaks off late, with its sums", b.changed("late", func(dir string) {
			info, err := os.Stat(dump(dir))
			must(t, err)
			must(t, os.Truncate(dump(dir), info.Size()-1000))
		}, true), 2, broken},
		{"the checkpoint is none", b.changed("g", func(dir string) {
			must(t, os.WriteFile(filepath.Join(dir, "checkpoint.txt"), nil, 0o600))
		}, true), 2, "holds no signed checkpoint"},
		{"an entry was changed before the backup", edited, 1, "ALTERED"},
		{"the dump of another day, with its sums", b.changed("h", func(dir string) {
			text, err := os.ReadFile(dump(edited))
			must(t, err)
			must(t, os.WriteFile(dump(dir), text, 0o600))
		}, true), 1, "ALTERED"},
		{"a later format", b.changed("i", func(dir string) { replaced(t, manifest(dir), `"format": 1`, `"format": 2`) }, true), 2, "format 2"},
		{"no backup", b.dir, 2, "is no backup"},
		{"a file", b.key, 2, "is no folder"},
	} {
		said, code := b.restore(tt.dir, "--into", b.at(fmt.Sprint("into_", i)))
		wantsCode(t, tt.fact, said, code, tt.code, tt.says)
	}
	other := keyFile(t, "tienda.example/bitacora", 0o600)
	for _, tt := range []struct {
		fact string
		args []string
		code int
		says string
	}{
		{"over something", []string{b.in("whole"), "--into", b.at("whole")}, 2, "is not empty"},
		{"with a key that others have", []string{b.in("whole"), "--into", b.at("other_key"), "--audit-key-file", other}, 2, "cannot decide"},
		{"without a backup", []string{"--into", b.at("nothing")}, 2, "restore what?"},
		{"without saying what", []string{b.in("whole")}, 2, "restore what?"},
		{"a database of somebody else", []string{"--check", "--database", b.at("postgres")}, 2, "no tables of Veinte"},
		{"the database without the owner", []string{"--check", "--database", b.cluster.DSN("whole", modelstest.AppRole)}, 2, "needs the owner"},
	} {
		said, code := b.restore(tt.args...)
		wantsCode(t, tt.fact, said, code, tt.code, tt.says)
	}
	out, errs, code := b.run(nil, "restore", b.in("whole"), "--into", b.at("no_key"))
	wantsCode(t, "restore without a key", out+errs, code, 2, "No signature was verified")
}

// TestRestoreAsTheOwner: where nobody is a superuser, as at a provider. The roles must be
// there, and everything belongs to who restores.
func TestRestoreAsTheOwner(t *testing.T) {
	t.Parallel()
	b := newBackups(t)
	server := b.serveSealed()
	b.sealAll()
	server.end(syscall.SIGTERM)
	b.backedUp("kept")
	super := b.at("postgres")
	for _, statement := range []string{
		"CREATE ROLE shop LOGIN", "CREATE DATABASE shop OWNER shop",
		"CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0",
	} {
		must(t, sqlAs(t, super, statement))
	}
	said, code := b.restore(b.in("kept"), "--into", b.cluster.DSN("shop", "shop"))
	wantsCode(t, "restore without the roles", said, code, 2, "roles are missing here", modelstest.AppRole)
	said, code = b.restore(b.in("kept"), "--into", b.at("latin"))
	wantsCode(t, "restore into another encoding", said, code, 2, "LATIN1")
	must(t, sqlAs(t, super, "CREATE ROLE "+modelstest.AppRole+" LOGIN"))
	said, code = b.restore(b.in("kept"), "--into", b.cluster.DSN("shop", "shop"))
	wantsCode(t, "restore as the owner", said, code, 0, "What is here is as it was")
	if code, printed := runToItsEnd(t, b.cluster.DSN("shop", "shop"), "", "migrate", "up"); code != 0 {
		t.Errorf("migrate up = %d: %s", code, printed)
	}
	b.dbURL = b.cluster.DSN("shop", modelstest.AppRole)
	b.serveSealed().end(syscall.SIGTERM)

	// On into a cluster whose superuser has another name, with rights of PostgreSQL's own functions.
	must(t, sqlAs(t, b.at("shop"), "REVOKE EXECUTE ON FUNCTION lo_creat(integer) FROM PUBLIC"))
	b.backedUp("moved", "DATABASE_URL="+b.cluster.DSN("shop", "shop"))
	third := modelstest.Cluster(t)
	must(t, sqlAs(t, third.DSN("postgres", "postgres"), "CREATE ROLE boss SUPERUSER LOGIN"))
	must(t, sqlAs(t, third.DSN("postgres", "boss"), "ALTER ROLE postgres RENAME TO elsewhere"))
	said, code = b.restore(b.in("moved"), "--into", third.DSN("veinte", "boss"))
	wantsCode(t, "restore beside another superuser", said, code, 0, "roles made", "shop, "+modelstest.AppRole, "What is here is as it was")
	b.ownerURL = third.DSN("veinte", "shop")
	b.backedUp("owned") // it belongs to the owner again
}
