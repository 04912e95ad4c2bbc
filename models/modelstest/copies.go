package modelstest

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"veinte/models/localpg"
	"veinte/models/webhooks"
	"veinte/models/wiring"
)

// Backup dumps the office's database as the documentation says, and returns the file.
func (o *Office) Backup(tb testing.TB) string {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "veinte.dump")
	postgresTool(tb, "pg_dump", "-Fc", "-f", file, strings.Replace(o.URL, "user="+AppRole, "user=postgres", 1))
	return file
}

// Restored restores a backup as another database of the same cluster, and returns the
// office over it.
func (o *Office) Restored(tb testing.TB, backup string) *Office {
	tb.Helper()
	name := fmt.Sprintf("test_%d", server.next.Add(1))
	if err := admin(tb.Context(), server.pg, "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		tb.Fatalf("create a database for a backup: %v", err)
	}
	tb.Cleanup(func() { drop(tb, name) })
	return o.restoredIn(tb, server.pg, name, backup)
}

// RestoredElsewhere restores a backup into a cluster of its own.
func (o *Office) RestoredElsewhere(tb testing.TB, backup string) *Office {
	tb.Helper()
	pg := Cluster(tb)
	if err := admin(tb.Context(), pg, "CREATE ROLE "+AppRole+" LOGIN", "CREATE DATABASE veinte"); err != nil {
		tb.Fatalf("create a database for a backup: %v", err)
	}
	return o.restoredIn(tb, pg, "veinte", backup)
}

func (o *Office) restoredIn(tb testing.TB, pg *localpg.Server, name, backup string) *Office {
	tb.Helper()
	owner := pg.DSN(name, "postgres")
	postgresTool(tb, "pg_restore", "--exit-on-error", "-d", owner, backup)
	return o.Over(tb, pg.DSN(name, AppRole), owner)
}

// Cluster starts a PostgreSQL of the test's own.
func Cluster(tb testing.TB) *localpg.Server {
	tb.Helper()
	pg, err := localpg.StartTemporary(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = pg.Stop(context.Background()) })
	return pg
}

// Standby starts a server that follows another one.
func Standby(tb testing.TB, of *localpg.Server) *localpg.Server {
	tb.Helper()
	pg, err := localpg.StartTemporaryStandby(tb.Context(), of)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = pg.Stop(context.Background()) })
	return pg
}

// ClusterDatabase is the database of an office in a cluster of its own.
const ClusterDatabase = "template_veinte"

// NewOfficeIn opens an office in a cluster of its own.
func NewOfficeIn(tb testing.TB, pg *localpg.Server, changes ...func(*wiring.Config)) *Office {
	tb.Helper()
	if err := prepare(tb.Context(), pg); err != nil {
		tb.Fatalf("prepare a cluster: %v", err)
	}
	o := &Office{URL: pg.DSN(ClusterDatabase, AppRole)}
	o.Owner, o.DB = OwnerOf(tb, pg.DSN(ClusterDatabase, "postgres")), Open(tb, o.URL)
	return o.Branch(tb, changes...)
}

// OwnerOf opens a database as its owner.
func OwnerOf(tb testing.TB, url string) *sql.DB {
	tb.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		tb.Fatalf("open as owner: %v", err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	return db
}

// Over is the office over another database that has its rows: the same people,
// terminals and clock, with a service and tasks of its own.
func (o *Office) Over(tb testing.TB, app, owner string, changes ...func(*wiring.Config)) *Office {
	tb.Helper()
	c := &Office{
		tb: tb, URL: app, Owner: OwnerOf(tb, owner), DB: Open(tb, app), Clock: o.Clock, number: o.number,
		Store: o.Store, Terminal: o.Terminal, Manager: o.Manager, Supervisor: o.Supervisor, Admin: o.Admin,
	}
	c.orders.Store(o.orders.Load() + 1000) // what it sells from now on has numbers of its own
	c.Queue, c.API, c.Inquiries = NewQueue(c.DB), NewAPI(c.Clock), NewAPI(c.Clock)
	c.API.guard = c.checkCommitted
	c.Deliveries = webhooks.New(webhooks.Config{DB: c.DB, Clock: c.Clock, Box: SecretBox(tb), AllowPrivate: true})
	c.Config = o.Config
	c.Config.DB, c.Config.Queue, c.Config.API, c.Config.Inquiries, c.Config.Deliveries = c.DB, c.Queue, c.API, c.Inquiries, c.Deliveries
	c.Config.Actor = c.current
	for _, change := range changes {
		change(&c.Config)
	}
	c.Services = wiring.New(c.Config)
	return c
}

// Hosts is an address of all the servers, of which the one is used that takes writes.
func Hosts(servers ...*localpg.Server) string {
	var hosts, ports []string
	for _, pg := range servers {
		for _, word := range strings.Fields(pg.DSN(ClusterDatabase, AppRole)) {
			if host, ok := strings.CutPrefix(word, "host="); ok {
				hosts = append(hosts, host)
			}
			if port, ok := strings.CutPrefix(word, "port="); ok {
				ports = append(ports, port)
			}
		}
	}
	return fmt.Sprintf("host=%s port=%s user=%s dbname=%s sslmode=disable target_session_attrs=read-write connect_timeout=1",
		strings.Join(hosts, ","), strings.Join(ports, ","), AppRole, ClusterDatabase)
}

// Promote ends a server's standby and returns once it takes writes.
func Promote(tb testing.TB, standby *localpg.Server) {
	tb.Helper()
	Exec(tb, OwnerOf(tb, standby.DSN("postgres", "postgres")), `SELECT pg_promote(true, 60)`)
}

// CaughtUp waits until the standby has everything that the primary has committed.
func CaughtUp(tb testing.TB, primary, standby *localpg.Server) {
	tb.Helper()
	from, to := OwnerOf(tb, primary.DSN("postgres", "postgres")), OwnerOf(tb, standby.DSN("postgres", "postgres"))
	var at string
	if err := from.QueryRow(`SELECT pg_current_wal_insert_lsn()`).Scan(&at); err != nil {
		tb.Fatal(err)
	}
	WaitFor(tb, "the standby to have it", func() bool {
		return Count(tb, to, `SELECT (coalesce(pg_last_wal_replay_lsn(), '0/0') >= $1::pg_lsn)::int`, at) == 1
	})
}

// Disconnect ends the standby's following, so that it lags from now on.
func Disconnect(tb testing.TB, standby *localpg.Server) {
	tb.Helper()
	db := OwnerOf(tb, standby.DSN("postgres", "postgres"))
	Exec(tb, db, `ALTER SYSTEM SET primary_conninfo = ''`)
	Exec(tb, db, `SELECT pg_reload_conf()`)
	WaitFor(tb, "the standby to be alone", func() bool {
		return Count(tb, db, `SELECT count(*) FROM pg_stat_wal_receiver`) == 0
	})
}

// SetCommitsWait lets commits of the application wait for a standby, or not.
func SetCommitsWait(tb testing.TB, primary *localpg.Server, wait bool) {
	tb.Helper()
	db := OwnerOf(tb, primary.DSN("postgres", "postgres"))
	names, commit := "", "off"
	if wait {
		names, commit = "*", "on"
	}
	Exec(tb, db, `ALTER SYSTEM SET synchronous_standby_names = '`+names+`'`)
	Exec(tb, db, `ALTER ROLE `+AppRole+` SET synchronous_commit = `+commit)
	Exec(tb, db, `SELECT pg_reload_conf()`)
	app := OwnerOf(tb, primary.DSN("postgres", AppRole))
	WaitFor(tb, "the setting to hold", func() bool {
		return Count(tb, app, `SELECT (current_setting('synchronous_standby_names') = $1)::int`, names) == 1
	})
}

// Sent counts the orders that arrived at the services of several offices, by order.
func Sent(offices ...*Office) map[string]int {
	sent := map[string]int{}
	for _, o := range offices {
		for _, order := range o.API.Orders() {
			sent[order.OrderID]++
		}
	}
	return sent
}
