package web

import (
	"context"
	"database/sql"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"veinte/models/localpg"
)

// ground is a PostgreSQL that asks its roles for passwords, as Debian's does over TCP,
// and the flags of an installation on it.
type ground struct {
	t     *testing.T
	admin *sql.DB
	host  string // over TCP
	dir   string
}

func newGround(t *testing.T) *ground {
	t.Helper()
	pg, err := localpg.StartTemporary(t.Context())
	must(t, err)
	t.Cleanup(func() { _ = pg.Stop(context.Background()) })
	g := &ground{t: t, dir: t.TempDir()}
	g.admin, err = sql.Open("pgx", pg.DSN("postgres", "postgres"))
	must(t, err)
	t.Cleanup(func() { _ = g.admin.Close() })
	var rules, socket string
	must(t, g.admin.QueryRow("SELECT current_setting('hba_file'), current_setting('unix_socket_directories')").Scan(&rules, &socket))
	must(t, os.WriteFile(rules, []byte("local all postgres trust\nlocal all closed reject\nlocal all all scram-sha-256\n"), 0o600))
	_, err = g.admin.Exec("SELECT pg_reload_conf()")
	must(t, err)
	eventually(t, 10*time.Second, "PostgreSQL asks for passwords", func() bool {
		return strings.Contains(connect(pg.DSN("postgres", "somebody")), "password")
	})
	g.host = carry(t, filepath.Join(strings.Trim(socket, `"`), ".s.PGSQL.5432"))
	return g
}

// connect returns what comes of a connection.
func connect(dsn string) string {
	db, err := sql.Open("pgx", dsn)
	if err == nil {
		defer db.Close()
		err = db.Ping()
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// carry takes connections over TCP to a socket.
func carry(t *testing.T, socket string) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			in, err := ln.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("unix", socket)
			if err != nil {
				_ = in.Close()
				continue
			}
			go func() { _, _ = io.Copy(out, in); _ = out.Close() }()
			go func() { _, _ = io.Copy(in, out); _ = in.Close() }()
		}
	}()
	return ln.Addr().String()
}

func (g *ground) in(name string) string { return filepath.Join(g.dir, name) }

// setup runs the command; flags of the same name that come later count.
func (g *ground) setup(flags ...string) (stdout, stderr string, code int) {
	g.t.Helper()
	must(g.t, os.WriteFile(g.in("given"), []byte("the token\n"), 0o600))
	return veinte(g.t, nil, g.args(flags...)...)
}

func (g *ground) args(flags ...string) []string {
	return append([]string{
		"setup", "--superuser-url=postgres://postgres@" + g.host + "/postgres?sslmode=disable", "--dir=" + g.in("etc"),
		"--checkpoints=" + g.in("state/checkpoints"), "--unit=" + g.in("veinte.service"), "--user=nobody", "--addr=127.0.0.1:0",
		"--base-url=https://veinte.shop.example", "--cancel-base-url=http://127.0.0.1:9", "--access-token-file=" + g.in("given"),
		"--email=alma@shop.example", "--name=Alma O'Neil",
	}, flags...)
}

func (g *ground) must(flags ...string) (stdout, stderr string) {
	g.t.Helper()
	stdout, stderr, code := g.setup(flags...)
	if code != 0 {
		g.t.Fatalf("setup %v exited %d:\n%s", flags, code, stderr)
	}
	return stdout, stderr
}

// files are the names and texts of what there is in the folder of settings.
func (g *ground) files() map[string]string {
	g.t.Helper()
	all := map[string]string{}
	names, _ := filepath.Glob(g.in("etc/*"))
	for _, name := range names {
		all[filepath.Base(name)] = page(g.t, name)
	}
	return all
}

func (g *ground) count(query string) (n int) {
	g.t.Helper()
	must(g.t, g.admin.QueryRow(query).Scan(&n))
	return n
}

// TestSetup installs, serves with what was written, and lets the first administrator in.
// Run again it changes nothing.
func TestSetup(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	const made = "SELECT (SELECT count(*) FROM pg_roles WHERE rolname LIKE 'veinte%') + " +
		"(SELECT count(*) FROM pg_database WHERE datname = 'veinte')"

	printed, _ := g.must("--print")
	for _, want := range []string{
		`CREATE ROLE "veinte_app" LOGIN PASSWORD '***'`, `CREATE DATABASE "veinte" OWNER "veinte_owner"`, "REVOKE EXECUTE ON FUNCTION lo_creat",
		"veinte migrate up --app-role veinte_app", "BASE_URL=https://veinte.shop.example", "ExecStart=", `--name "Alma O'Neil"`,
		"(mode 0600, root alone): ***",
	} {
		if !strings.Contains(printed, want) {
			t.Errorf("--print does not show %s", want)
		}
	}
	for _, secret := range []string{"the token", "PRIVATE+KEY", "SCRAM-SHA-256$", "veinte_app:"} {
		if strings.Contains(printed, secret) {
			t.Errorf("--print shows %s", secret)
		}
		if shown, _ := g.must("--print", "--show-secrets"); !strings.Contains(shown, secret) {
			t.Errorf("--print --show-secrets does not show %s", secret)
		}
	}
	if len(g.files()) != 0 || g.count(made) != 0 {
		t.Fatal("--print has done something")
	}

	first, said := g.must()
	for name, mode := range map[string]os.FileMode{
		"owner.url": 0o600, "database.url": 0o600, "results.keys": 0o600, "audit.key": 0o600, "token": 0o640, "veinte.env": 0o640,
	} {
		if info, err := os.Stat(g.in("etc/" + name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v, want mode %04o", name, info, err, mode)
		}
	}
	if strings.Contains(said, "SCRAM") || strings.Contains(said, "the token") {
		t.Errorf("the log has a secret:\n%s", said)
	}
	if os.Geteuid() == 0 {
		unit := page(t, g.in("veinte.service"))
		for _, want := range []string{
			"User=nobody", "EnvironmentFile=" + g.in("etc/veinte.env"), program + " serve", "ReadWritePaths=" + g.in("state/checkpoints"),
		} {
			if !strings.Contains(unit, want) {
				t.Errorf("the unit has no %s", want)
			}
		}
	}

	before := g.files()
	again, _ := g.must()
	if first == again || !strings.HasPrefix(again, "https://veinte.shop.example/password/") {
		t.Errorf("the invitation is %q and then %q, want a new one of one line", first, again)
	}
	g.same(before)

	g.comesIn(strings.TrimSpace(strings.TrimPrefix(again, "https://veinte.shop.example")))
	if out, said := g.must(); out != "" || !strings.Contains(said, "There is an administrator already") {
		t.Errorf("with an administrator there the next run prints %q and says %q", out, said)
	}
	g.keeps(before)
}

// same reports files that changed.
func (g *ground) same(before map[string]string) {
	g.t.Helper()
	after := g.files()
	for name, text := range before {
		if after[name] != text {
			g.t.Errorf("%s changed", name)
		}
	}
}

// comesIn serves as a shell does with the file of settings, and sets the first password
// with an invitation.
func (g *ground) comesIn(path string) {
	g.t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(g.t, err)
	addr := ln.Addr().String()
	must(g.t, ln.Close())
	serving := exec.Command("bash", "-eu", "-c", `set -a; . "$1"; set +a; ADDR=$2 ADMIN_ADDR= BASE_URL=http://$2 exec "$3" serve`, "bash",
		g.in("etc/veinte.env"), addr, program)
	p := &proc{t: g.t, cmd: serving, url: "http://" + addr, done: make(chan struct{})}
	serving.Stderr = p
	must(g.t, serving.Start())
	go func() { _ = serving.Wait(); close(p.done) }()
	defer p.end(syscall.SIGTERM)
	p.await("/readyz")
	if log := p.log(); strings.Contains(log, "large objects") {
		g.t.Errorf("the server warns of what setup has to do:\n%s", log)
	}
	jar, err := cookiejar.New(nil)
	must(g.t, err)
	b := &browser{t: g.t, http: &http.Client{Jar: jar}, url: p.url}
	form := url.Values{"password": {"una clave de taller"}, "again": {"una clave de taller"}}
	if code, text := b.post(path, path, form); code != http.StatusOK || strings.Contains(text, `name="again"`) {
		g.t.Fatalf("the first password: %d\n%s", code, text)
	}
	eventually(g.t, 10*time.Second, "a checkpoint is written", func() bool {
		notes, err := filepath.Glob(g.in("state/checkpoints/*.txt"))
		return err == nil && len(notes) > 0
	})
}

// keeps: a person's settings and a new token stay, passwords are renewed when that is
// asked for, and a lost file is named.
func (g *ground) keeps(before map[string]string) {
	g.t.Helper()
	env := before["veinte.env"] + "# mine\nLOG_FORMAT=json\nSMTP_FROM=\"Veinte <veinte@shop.example>\"\nSMTP_HOST=mail.shop.example\n"
	must(g.t, os.WriteFile(g.in("etc/veinte.env"), []byte(env), 0o640))
	g.must("--trusted-proxies=10.0.0.1")
	if got, want := g.files()["veinte.env"], strings.Replace(env, "TRUSTED_PROXIES=127.0.0.1", "TRUSTED_PROXIES=10.0.0.1", 1); got != want {
		g.t.Errorf("the settings are now\n%s\nwant\n%s", got, want)
	}
	g.must("--new-passwords")
	after := g.files()
	for name, renewed := range map[string]bool{
		"owner.url": true, "database.url": true, "results.keys": false, "audit.key": false, "token": false,
	} {
		if (after[name] != before[name]) != renewed {
			g.t.Errorf("--new-passwords: %s changed: %t, want %t", name, !renewed, renewed)
		}
	}
	must(g.t, os.Remove(g.in("etc/database.url")))
	if _, said, code := g.setup(); code == 0 || !strings.Contains(said, "veinte_app exists, and its password is not known here") {
		g.t.Errorf("with a lost password: %d, %s", code, said)
	}
}

// TestSetupWithReadyRoles takes what a managed PostgreSQL has, and a role that may make
// roles without being a superuser.
func TestSetupWithReadyRoles(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	for _, q := range []string{
		`CREATE ROLE maker LOGIN CREATEROLE CREATEDB PASSWORD 'm'`, `CREATE ROLE o LOGIN PASSWORD 'o'`, `CREATE ROLE s LOGIN PASSWORD 's'`,
		`CREATE DATABASE ready OWNER o`,
	} {
		_, err := g.admin.Exec(q)
		must(t, err)
	}
	at := func(role, database string) string {
		return "postgres://" + role + ":" + role + "@" + g.host + "/" + database + "?sslmode=disable"
	}
	g.must("--owner-url="+at("o", "ready"), "--server-url="+at("s", "ready"), "--superuser-url=")
	_, said, code := g.setup("--owner-url="+at("o", "ready"), "--server-url="+at("o", "ready"))
	if code == 0 || !strings.Contains(said, "another address") {
		t.Errorf("another server's role than before: %d, %s", code, said)
	}
	g.dir = t.TempDir()
	g.must("--unit=none", "--superuser-url=postgres://maker:m@"+g.host+"/postgres?sslmode=disable")
	if n := g.count("SELECT count(*) FROM pg_database WHERE datname = 'veinte' AND pg_get_userbyid(datdba) = 'veinte_owner'"); n != 1 {
		t.Error("a role that may make roles and databases has made none")
	}
	if names, _ := filepath.Glob("*none*"); len(names) != 0 {
		t.Errorf("with --unit=none there are %v", names)
	}
}

// TestSetupSaysWhatIsWrong: each mistake in words, before anything is changed.
func TestSetupSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	for _, q := range []string{
		`CREATE ROLE nothing LOGIN PASSWORD 'n'`, `CREATE ROLE mighty SUPERUSER LOGIN`, `CREATE DATABASE others`,
		`CREATE ROLE closed LOGIN PASSWORD 'c'`,
		`CREATE ROLE theirs LOGIN PASSWORD 'unknown'`,
	} {
		_, err := g.admin.Exec(q)
		must(t, err)
	}
	as := func(who string) string { return "postgres://" + who + "@" + g.host + "/postgres?sslmode=disable" }
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	nowhere := ln.Addr().String()
	must(t, ln.Close())
	must(t, os.WriteFile(g.in("file"), nil, 0o600))
	must(t, os.WriteFile(g.in("empty"), nil, 0o600))
	other := t.TempDir()
	must(t, os.WriteFile(filepath.Join(other, "database.url"), []byte("postgres://theirs:wrong@"+g.host+"/veinte?sslmode=disable"), 0o600))
	open := t.TempDir()
	must(t, os.WriteFile(filepath.Join(open, "audit.key"), []byte("x"), 0o600))
	must(t, os.Chmod(filepath.Join(open, "audit.key"), 0o644))
	for _, tt := range []struct {
		fact, want string
		flags      []string
	}{
		{"nothing to ask on", "missing: --base-url, --email", []string{"--base-url=", "--email="}},
		{"port closed", "no PostgreSQL answers at " + nowhere, []string{"--superuser-url=postgres://postgres@" + nowhere + "/postgres"}},
		{"no socket", "is it installed and running", []string{"--superuser-url=postgres://postgres@/postgres?host=/nonexistent"}},
		{"no address", "--superuser-url: want an address", []string{"--superuser-url=host=x user=y"}},
		{"no superuser", "nothing is no superuser and may not make roles", []string{"--superuser-url=" + as("nothing:n")}},
		{"wrong password", "refuses the password of nothing", []string{"--superuser-url=" + as("nothing:x")}},
		{"not let in", "pg_hba.conf needs a line", []string{"--superuser-url=" + as("closed:c")}},
		{"role without a known password", "the role theirs exists, and its password is not known here", []string{"--server=theirs"}},
		{"role with another password", "theirs has another password than " + other, []string{"--server=theirs", "--dir=" + other}},
		{"file of another role", "is for the role theirs, not nothing", []string{"--server=nothing", "--dir=" + other}},
		{"server as superuser", "the role mighty is a superuser", []string{"--server=mighty"}},
		{"somebody else's database", "the database others belongs to postgres", []string{"--database=others"}},
		{"folder under a file", "--dir: ", []string{"--dir=" + g.in("file/etc")}},
		{"a file for a folder", "is no folder", []string{"--checkpoints=" + g.in("file")}},
		{"key that others read", "audit.key: others may read or write it (mode 0644): chmod 600", []string{"--dir=" + open}},
		{"no token file", "--access-token-file: open", []string{"--access-token-file=" + g.in("nothing")}},
		{"empty token file", "empty is empty", []string{"--access-token-file=" + g.in("empty")}},
		{"as root", "the server does not need root", []string{"--user=root"}},
		{"one ready role", "go together", []string{"--owner-url=" + as("nothing:n")}},
		{"owner and server the same", "needs a role that does not own", []string{
			"--owner-url=" + as("nothing:n"), "--server-url=" + as("nothing:n"),
		}},
	} {
		_, said, code := g.setup(tt.flags...)
		if code == 0 || !strings.Contains(said, tt.want) {
			t.Errorf("%s: exited %d and said\n%swant %q", tt.fact, code, said, tt.want)
		}
	}
	if n := g.count("SELECT count(*) FROM pg_roles WHERE rolname LIKE 'veinte%'"); n != 0 || len(g.files()) != 0 {
		t.Errorf("%d roles and %v were made", n, g.files())
	}
	_, said, code := g.setup("--base-url=ftp://x")
	_, err = os.Stat(g.in("etc/veinte.env"))
	const refused = "veinte.env was not written"
	if code == 0 || err == nil || !strings.Contains(said, refused) || !strings.Contains(said, "BASE_URL: want an address") {
		t.Errorf("settings that cannot be used: %d, %v, %s", code, err, said)
	}
	// Mended, it goes on from there; the token may come from a pipe.
	mended := exec.Command(program, g.args("--access-token-file=-")...)
	mended.Stdin = strings.NewReader("piped\n")
	if out, err := mended.CombinedOutput(); err != nil || g.files()["token"] != "piped\n" {
		t.Errorf("with a token from a pipe: %v, %q\n%s", err, g.files()["token"], out)
	}
}

// TestASecretThatOthersReadIsNamed: by a server and by any other command, before it starts.
// As containers and systemd lay secrets down, they are taken.
func TestASecretThatOthersReadIsNamed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret")
	must(t, os.WriteFile(file, []byte("postgres://nobody@127.0.0.1:9/none"), 0o600))
	for mode, taken := range map[os.FileMode]bool{0o644: false, 0o440: true, 0o600: true} {
		must(t, os.Chmod(file, mode))
		for _, args := range [][]string{{"config"}, {"migrate", "status"}, {"serve"}} {
			_, said, code := veinte(t, []string{"DATABASE_URL_FILE=" + file}, args...)
			if named := strings.Contains(said, "DATABASE_URL_FILE: the file cannot be read: others may read"); code == 0 || named == taken {
				t.Errorf("%v with a file of mode %04o exited %d and said\n%s", args, mode, code, said)
			}
		}
	}
}
