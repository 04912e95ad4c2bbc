package web

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/database"
	"veinte/models/modelstest"
	"veinte/models/terminals"
	"veinte/models/wiring"
)

// oldTrail is a sealed trail with entries of half a year ago, and a key.
type oldTrail struct {
	t          *testing.T
	owner      *sql.DB
	app, dsn   string
	dir, key   string
	month      string
	entry      int64 // of the month
	public     string
	afterwards string // the month after it
}

func newOldTrail(t *testing.T) *oldTrail {
	t.Helper()
	o := &oldTrail{t: t, dir: t.TempDir()}
	o.app, o.dsn = modelstest.URLs(t)
	var err error
	o.owner, err = sql.Open("pgx", o.dsn)
	must(t, err)
	t.Cleanup(func() { _ = o.owner.Close() })
	o.key = o.in("audit.key")
	out, _, _ := veinte(t, nil, "audit", "keygen", "--name", "tienda.example/bitacora", "--out", o.key)
	o.public = strings.TrimSpace(out)
	db := modelstest.Open(t, o.app)
	admin := models.Actor{UserID: 1, Name: "Diego", Role: models.Administrator, AllStores: true}
	now := time.Now().UTC()
	at := time.Date(now.Year(), now.Month()-6, 3, 0, 0, 0, 0, time.UTC)
	o.month, o.afterwards = at.Format("2006-01"), at.AddDate(0, 1, 0).Format("2006-01")
	for i, when := range []time.Time{at, at, at.AddDate(0, 1, 0), now} {
		_, err := o.owner.Exec(`SELECT trail.make_month($1)`, when)
		must(t, err)
		_, err = wiring.New(wiring.Config{DB: db, Clock: modelstest.NewClock(when)}).Terminals.CreateStore(t.Context(), admin,
			terminals.StoreInput{
				Code: fmt.Sprint("A", i), Name: fmt.Sprint("Tienda ", i), TimeZone: "America/Mexico_City",
			})
		must(t, err)
	}
	must(t, o.owner.QueryRow(`SELECT min(id) FROM audit_entries`).Scan(&o.entry))
	o.seal(db)
	return o
}

func (o *oldTrail) seal(db *database.DB) {
	o.t.Helper()
	keys, err := trailfile.LoadKeys(o.key)
	must(o.t, err)
	seals := sealing.New(sealing.Config{DB: db, Clock: models.ShiftedClock(0), Signers: keys.Signers()})
	// All entries must be under one checkpoint: after another one the old entries
	// would be reported as back-dated.
	eventually(o.t, time.Minute, "older transactions of other tests have ended", func() bool {
		return o.count(`SELECT count(*) FROM audit_entries WHERE txid >= pg_snapshot_xmin(pg_current_snapshot())`) == 0
	})
	eventually(o.t, time.Minute, "everything is sealed", func() bool {
		_, err := seals.Seal(o.t.Context())
		must(o.t, err)
		return o.count(`SELECT count(*) FROM audit_entries e WHERE NOT EXISTS (SELECT FROM sealed_entries s WHERE s.entry_id = e.id)`) == 0
	})
}

func (o *oldTrail) in(name string) string { return filepath.Join(o.dir, name) }

func (o *oldTrail) count(query string) (n int) {
	o.t.Helper()
	must(o.t, o.owner.QueryRow(query).Scan(&n))
	return n
}

// archive runs the command to its end and returns both of its outputs.
func (o *oldTrail) archive(month, out string) (printed string, code int) {
	o.t.Helper()
	stdout, stderr, code := veinte(o.t, []string{"DATABASE_URL=" + o.dsn, "AUDIT_KEY_FILE=" + o.key}, "audit", "archive", month, "--out", out)
	return stdout + stderr, code
}

// killed runs the command while a transaction locks a table, and kills it when a
// file of that name exists.
func (o *oldTrail) killed(lock, out, file string) {
	o.t.Helper()
	tx, err := o.owner.BeginTx(context.WithoutCancel(o.t.Context()), nil)
	must(o.t, err)
	defer func() { _ = tx.Rollback() }()
	_, err = tx.Exec(lock)
	must(o.t, err)
	cmd := exec.Command(program, "audit", "archive", o.month, "--out", out)
	cmd.Env = []string{"DATABASE_URL=" + o.dsn, "AUDIT_KEY_FILE=" + o.key, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
	var printed bytes.Buffer
	cmd.Stderr = &printed
	must(o.t, cmd.Start())
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(done)
	}()
	eventually(o.t, 30*time.Second, "there is "+file, func() bool {
		select {
		case <-done:
			o.t.Fatalf("the command ended before there was %s:\n%s", file, printed.String())
		default:
		}
		_, err := os.Stat(file)
		return err == nil
	})
	must(o.t, cmd.Process.Signal(syscall.SIGKILL))
	<-done
}

// TestArchive: a month is archived although the program is killed while it writes
// the file, and while it waits to delete the month. The trail with the file verifies
// as before.
func TestArchive(t *testing.T) {
	t.Parallel()
	o := newOldTrail(t)
	file := o.in("bitacora.jsonl")
	verify := func(args ...string) (string, int) {
		stdout, stderr, code := veinte(t, nil, append([]string{"audit", "verify", "--database-url", o.dsn, "--key", o.public}, args...)...)
		return stdout + stderr, code
	}
	o.killed(`LOCK TABLE sealed_nodes IN ACCESS EXCLUSIVE MODE`, file, file+".part")
	if _, err := os.Stat(file); err == nil {
		t.Error("there is a file although it was not written")
	}
	o.killed(`LOCK TABLE audit_entries IN ACCESS SHARE MODE`, file, file)
	if printed, code := verify(); code != 0 || o.count(`SELECT count(*) FROM audit_entries`) != 4 {
		t.Errorf("after two kills the trail has not all of its entries: %d\n%s", code, printed)
	}
	whole, err := os.ReadFile(file)
	must(t, err)
	if printed, code := o.archive(o.month, file); code != 0 || !strings.Contains(printed, "is there already") ||
		!strings.Contains(printed, o.month+" is archived: 2 entries") {
		t.Fatalf("the third time = %d\n%s", code, printed)
	}
	again, err := os.ReadFile(file)
	must(t, err)
	info, err := os.Stat(file)
	must(t, err)
	if !bytes.Equal(whole, again) || info.Mode().Perm() != 0o600 {
		t.Errorf("the file was written anew (%t), its mode is %s", !bytes.Equal(whole, again), info.Mode())
	}
	if left, _ := filepath.Glob(o.in("*.part")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if printed, code := o.archive(o.month, file); code != 0 || !strings.Contains(printed, "was archived already") {
		t.Errorf("once more = %d\n%s", code, printed)
	}
	if printed, code := o.archive(o.month, o.in("other.jsonl")); code != 1 || !strings.Contains(printed, "was archived already") {
		t.Errorf("once more into another file = %d\n%s", code, printed)
	}
	second := o.in("second.jsonl")
	if printed, code := o.archive(o.afterwards, second); code != 0 || !strings.Contains(printed, "1 entries") {
		t.Errorf("the month after it = %d\n%s", code, printed)
	}
	must(t, os.WriteFile(o.in("edited"), bytes.Replace(whole, []byte("Tienda 0"), []byte("Tienda 9"), 1), 0o600))
	for range 2 { // before and after the entries about it are sealed
		for _, tt := range []struct {
			fact string
			args []string
			code int
			want string
		}{
			{"without a file", nil, 2, o.month + " were archived; give their file with --archive"},
			{"with one of two", []string{"--archive", file}, 2, o.afterwards + " were archived"},
			{"with both", []string{"--archive", file, "--archive", second}, 0, "intact"},
			{"with an edited one", []string{"--archive", o.in("edited"), "--archive", second}, 2, o.in("edited") + ": it is not intact"},
			{"with none that is one", []string{"--archive", o.key}, 2, o.key + ": it is not intact"},
		} {
			if printed, code := verify(tt.args...); code != tt.code || !strings.Contains(printed, tt.want) {
				t.Errorf("the trail %s = %d, want %d and %q\n%s", tt.fact, code, tt.code, tt.want, printed)
			}
		}
		o.seal(modelstest.Open(t, o.app))
	}
	if stdout, stderr, code := veinte(t, nil, "audit", "verify", "--file", file, "--key", o.public); code != 0 {
		t.Errorf("the file alone = %d\n%s%s", code, stdout, stderr)
	}
	if _, stderr, code := veinte(t, []string{"DATABASE_URL=" + o.app}, "audit", "prove", fmt.Sprint(o.entry)); code == 0 ||
		!strings.Contains(stderr, "the file of that month proves it") || !strings.Contains(stderr, o.month) {
		t.Errorf("the proof of an archived entry = %d: %s", code, stderr)
	}
}

// TestArchiveIsRefused: each refusal gives its reason, and nothing is written or
// deleted.
func TestArchiveIsRefused(t *testing.T) {
	t.Parallel()
	o := newOldTrail(t)
	must(t, os.WriteFile(o.in("there"), []byte("a list\n"), 0o600))
	must(t, os.Mkdir(o.in("folder"), 0o700))
	other := filepath.Join(t.TempDir(), "other.key")
	foreign, _, _ := veinte(t, nil, "audit", "keygen", "--name", "tienda.example/bitacora", "--out", other)
	owner, key := "DATABASE_URL="+o.dsn, "AUDIT_KEY_FILE="+o.key
	out := o.in("new.jsonl")
	for _, tt := range []struct {
		fact string
		env  []string
		args []string
		want string
	}{
		{"no key", []string{owner}, []string{o.month, "--out", out}, "without a public key"},
		{"a key file that is not there", []string{owner, "AUDIT_KEY_FILE=/none"}, []string{o.month, "--out", out}, "no such file"},
		{"a key with a typo", []string{owner}, []string{o.month, "--out", out, "--key", "x"}, "no public key"},
		{"another key", []string{owner, key}, []string{o.month, "--out", out, "--key", strings.TrimSpace(foreign)}, "not signed by the key"},
		{"the application's role", []string{"DATABASE_URL=" + o.app, key}, []string{o.month, "--out", out}, "only the owner"},
		{
			"a month that is young",
			[]string{owner, key},
			[]string{time.Now().UTC().AddDate(0, -2, 0).Format("2006-01"), "--out", out},
			"three months are kept at hand",
		},
		{"this month", []string{owner, key}, []string{time.Now().UTC().Format("2006-01"), "--out", out}, "is not over"},
		{"no month", []string{owner, key}, []string{"agosto", "--out", out}, "written like 2026-08"},
		{"a month that is not there", []string{owner, key}, []string{"2001-01", "--out", out}, "no entries of that month"},
		{"no file", []string{owner, key}, []string{o.month}, "--out"},
		{"another file", []string{owner, key}, []string{o.month, "--out", o.in("there")}, "exists: the file is not that of the month"},
		{"a folder", []string{owner, key}, []string{o.month, "--out", o.in("folder")}, "is not a file"},
		{"a folder that is not there", []string{owner, key}, []string{o.month, "--out", o.in("none/x")}, "no such file or directory"},
		{"a file for a folder", []string{owner, key}, []string{o.month, "--out", o.in("there/x")}, "not a directory"},
	} {
		stdout, stderr, code := veinte(t, tt.env, append([]string{"audit", "archive"}, tt.args...)...)
		if code == 0 || !strings.Contains(stderr, tt.want) || strings.Contains(stderr, "panic") {
			t.Errorf("archive with %s = %d, want %q:\n%s%s", tt.fact, code, tt.want, stdout, stderr)
		}
	}
	if left, _ := filepath.Glob(o.in("new*")); len(left) > 0 || o.count(`SELECT count(*) FROM audit_entries`) != 4 {
		t.Errorf("left behind: %v, entries: %d", left, o.count(`SELECT count(*) FROM audit_entries`))
	}
}
