package web

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// pooler begins a PgBouncer over the shop's database, as Debian sets it but for its mode and what else is
// said. It returns the address of the database through it, and the process.
func (s *shop) pooler(more string) (address string, p *exec.Cmd) {
	t := s.t
	t.Helper()
	of, err := pgx.ParseConfig(s.dbURL)
	must(t, err)
	host, port, err := net.SplitHostPort(freeAddr(t))
	must(t, err)
	dir := t.TempDir()
	ini := fmt.Sprintf("[databases]\n%s = host=%s port=%d\n[pgbouncer]\nlisten_addr = %s\nlisten_port = %s\nunix_socket_dir =\n"+
		"auth_type = trust\nauth_file = %s/users\npool_mode = transaction\ndefault_pool_size = 2\nadmin_users = %s\n%s\n",
		of.Database, of.Host, of.Port, host, port, dir, of.User, more)
	if os.Getuid() == 0 { // PgBouncer refuses to be root, and the socket is postgres'
		ini += "user = postgres\n"
	}
	must(t, os.WriteFile(filepath.Join(dir, "ini"), []byte(ini), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "users"), []byte(`"`+of.User+`" ""`+"\n"), 0o644))
	for _, path := range []string{dir, filepath.Dir(dir)} { // both are the test's own
		must(t, os.Chmod(path, 0o755))
	}
	p = exec.Command("pgbouncer", filepath.Join(dir, "ini"))
	p.Stderr = t.Output()
	must(t, p.Start())
	t.Cleanup(func() {
		_ = p.Process.Kill()
		_ = p.Wait()
	})
	address = fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", of.User, net.JoinHostPort(host, port), of.Database)
	eventually(t, 10*time.Second, "PgBouncer answers", func() bool {
		conn, err := net.Dial("tcp", net.JoinHostPort(host, port))
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return address, p
}

// Pages go through a pooler of few connections, with its limits, and what people do goes on
// without it.
func TestPagesThroughAPooler(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	address, pooler := s.pooler("")
	p := s.serve("DATABASE_PAGES_URL=" + address)
	ana := s.signIn(p, "ana@shop.example")
	order, id := s.sell(0, "")
	ana.cancel(id, true)
	s.becomes(id, 10*time.Second, "confirmed")
	for range 3 { // what a connection has learned is of use on another
		for _, path := range []string{"/sales", fmt.Sprintf("/sales/%d", id), "/sales?q=" + order, "/help"} {
			if code, text := ana.get(path); code != http.StatusOK || path == "/sales" && !strings.Contains(text, order) {
				t.Errorf("GET %s = %d", path, code)
			}
		}
	}

	conn, err := pgx.Connect(t.Context(), strings.Replace(address, "?sslmode", "?default_query_exec_mode=simple_protocol&sslmode", 1))
	must(t, err)
	defer conn.Close(t.Context())
	var limit string
	must(t, conn.QueryRow(t.Context(), "SHOW statement_timeout").Scan(&limit))
	var through int
	must(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
		WHERE application_name = 'veinte' AND datname = current_database()
			AND query LIKE '%business_day%' AND client_addr IS NULL`).Scan(&through))
	if limit != "15s" || through == 0 {
		t.Errorf("through the pooler the limit is %s, and %d of its connections have asked for sales", limit, through)
	}

	must(t, pooler.Process.Signal(syscall.SIGKILL))
	_, second := s.sell(1, "") // which its terminal posts
	if code, _ := ana.get("/sales"); code != http.StatusServiceUnavailable {
		t.Errorf("without the pooler a page is %d", code)
	}
	resp, err := http.Get(p.url + "/readyz")
	must(t, err)
	if code, text := read(t, resp); code != http.StatusOK || second == 0 {
		t.Errorf("/readyz = %d %s", code, text)
	}
}

// A pooler that was told to ignore the settings of connections lets a server pass, and then
// forgets what it has set and locked: the server does not start.
func TestAPoolerThatForgetsIsRefused(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	address, _ := s.pooler("ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout," +
		"client_connection_check_interval,jit")
	if said := s.refusal("DATABASE_URL=" + address); !strings.Contains(said, "a pooler in transaction mode, which forgets") {
		t.Errorf("over a pooler that forgets it says %q", said)
	}
}

// Of several hosts the one that can be written is used: one that is away is passed over.
func TestOneOfSeveralHosts(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	of, err := pgx.ParseConfig(s.dbURL)
	must(t, err)
	away, port, err := net.SplitHostPort(freeAddr(t))
	must(t, err)
	p := s.serve(fmt.Sprintf("DATABASE_URL=host=%s,%s port=%s,%d user=%s dbname=%s target_session_attrs=read-write",
		away, of.Host, port, of.Port, of.User, of.Database), "INSECURE_DATABASE=on")
	ana := s.signIn(p, "ana@shop.example")
	_, id := s.sell(0, "")
	ana.cancel(id, true)
	s.becomes(id, 10*time.Second, "confirmed")
}
