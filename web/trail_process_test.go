package web

import (
	"database/sql"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"veinte/models/modelstest"
)

// runToItsEnd runs a command of the program to its end.
func runToItsEnd(t *testing.T, dbURL, stdin string, args ...string) (code int, printed string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = []string{"DATABASE_URL=" + dbURL, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
	cmd.Stdin = strings.NewReader(stdin)
	out, _ := cmd.CombinedOutput()
	return cmd.ProcessState.ExitCode(), string(out)
}

func oneText(t *testing.T, db *sql.DB, query string, args ...any) (got string) {
	t.Helper()
	must(t, db.QueryRow(query, args...).Scan(&got))
	return got
}

// TestServerAndSchemaAreInTheTrail: an updated schema and the start and stop of a
// server are recorded, by a user's command line.
func TestServerAndSchemaAreInTheTrail(t *testing.T) {
	t.Parallel()
	_, owner := modelstest.URLs(t)
	db, err := sql.Open("pgx", owner)
	must(t, err)
	defer db.Close()
	name := oneText(t, db, `SELECT current_database()`)
	fresh := name + "_fresh"
	_, err = db.Exec(`CREATE DATABASE ` + fresh)
	must(t, err)
	t.Cleanup(func() {
		if db, err := sql.Open("pgx", owner); err == nil {
			_, _ = db.Exec(`DROP DATABASE IF EXISTS ` + fresh + ` WITH (FORCE)`)
			_ = db.Close()
		}
	})
	freshURL := strings.Replace(owner, name, fresh, 1)
	empty, err := sql.Open("pgx", freshURL)
	must(t, err)
	defer empty.Close()
	for range 2 { // the second finds nothing to do, and records nothing
		if code, printed := runToItsEnd(t, freshURL, "", "migrate", "up"); code != 0 {
			t.Fatalf("migrate up = %d\n%s", code, printed)
		}
	}
	const who = `SELECT coalesce(string_agg(action || ' ' || outcome || ' ' || actor_role || ' ' || actor_name || ' ' || (on_behalf_of <> ''
		AND address <> '' AND after IS NOT NULL), '; ' ORDER BY id), '') FROM audit_entries WHERE action ~ '^(schema|server)'`
	if got := oneText(t, empty, who); got != "schema.migrated success system command line true" {
		t.Errorf("migrate up left %q", got)
	}
	s := newShop(t)
	p := s.serve()
	p.end(syscall.SIGTERM)
	const mailSecret = "clave-del-correo-9"
	killed := s.serve("SMTP_HOST=127.0.0.1", "SMTP_USERNAME=veinte", "SMTP_PASSWORD="+mailSecret, "SMTP_FROM=veinte@tienda.example")
	killed.end(syscall.SIGKILL)
	const started, stopped = "server.started success system command line true", "server.stopped success system command line true"
	var got string
	must(t, s.db.Pool().QueryRow(t.Context(), who).Scan(&got))
	if want := started + "; " + stopped + "; " + started; got != want {
		t.Errorf("a server that was stopped and one that was killed left %q, want %q", got, want)
	}
	var held int
	must(t, s.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM audit_entries e
		WHERE e::text || convert_from(canonical, 'UTF8') LIKE '%' || $1 || '%'`, mailSecret).Scan(&held))
	if held != 0 {
		t.Errorf("%d entries hold the password of the mail server", held)
	}
}

// TestAnAuditorOfTheCommandLine: an auditor is created with a last day, can read
// until then, and is refused without one.
func TestAnAuditorOfTheCommandLine(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	create := func(email, until string) (int, string) {
		args := []string{"user", "create", "--email", email, "--name", "Aurora Audita", "--role", "auditor", "--all-stores"}
		if until != "" {
			args = append(args, "--until", until)
		}
		return runToItsEnd(t, s.dbURL, "una clave de taller\n", args...)
	}
	for _, until := range []string{"", "2020-01-01", "mañana"} {
		if code, printed := create("nadie@shop.example", until); code == 0 {
			t.Errorf("an auditor until %q = %d\n%s", until, code, printed)
		}
	}
	day := time.Now().AddDate(0, 0, 30).Format(time.DateOnly)
	if code, printed := create("aurora@shop.example", day); code != 0 || !strings.Contains(printed, "created aurora@shop.example auditor") {
		t.Fatalf("an auditor until %s = %d\n%s", day, code, printed)
	}
	var got string
	must(t, s.db.Pool().QueryRow(t.Context(), `SELECT actor_name || ' ' || (on_behalf_of <> '') || ' ' || (after->>'role')
		|| ' ' || (after->>'accessUntil')
		FROM audit_entries WHERE action = 'user.created' AND after->>'email' LIKE 'aurora%'`).Scan(&got))
	if want := "command line true auditor " + day; got != want {
		t.Errorf("the trail says %q, want %q", got, want)
	}
	b := s.signIn(s.serve(), "aurora@shop.example")
	for path, want := range map[string]int{
		"/audit": 200, "/sales": 200, "/oversight": 200, "/users": 403, "/settings": 403,
		"/sales/new": 403,
	} {
		if code, _ := b.get(path); code != want {
			t.Errorf("an auditor asks for %s = %d, want %d", path, code, want)
		}
	}
}
