// Package modelstest gives each test a real database: a clone of a template that is
// migrated once per test program, accessed with the application's restricted role.
// It also makes sample stores, terminals, sales and people.
package modelstest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"veinte/models/database"
	"veinte/models/localpg"
)

// AppRole is the role that the application uses in tests, as in production.
const AppRole = "veinte_app"

// server is the one PostgreSQL of a test program.
var server struct {
	once sync.Once
	pg   *localpg.Server
	own  *pgxpool.Pool // the superuser's, in the database postgres
	err  error
	next atomic.Int64
	// CREATE DATABASE fails while another session copies the template.
	cloning sync.Mutex
	// strategy has the template's files copied: PostgreSQL 15 and newer log each block
	// otherwise, which takes three times as long; older ones know nothing else.
	strategy string
}

// runOnly is the environment variable with the pattern of the only tests to run. The
// mutations of make mutants need it: their tool runs all tests of a package, and those
// with a database take too long for each of some hundred changes.
const runOnly = "VEINTE_TEST_RUN"

// Main runs a package's tests and stops the server that they started. Call it
// from TestMain.
func Main(m *testing.M) { os.Exit(Run(m)) }

// Run is Main for packages that have more to clean up; it returns the exit code.
func Run(m *testing.M) int {
	if pattern := os.Getenv(runOnly); pattern != "" {
		_ = flag.Set("test.run", pattern)
	}
	code := m.Run()
	if server.own != nil {
		server.own.Close()
	}
	if server.pg != nil {
		if err := server.pg.Stop(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "stop test database:", err)
			code = 1
		}
	}
	return code
}

// URL returns a fresh database's address for the application's role.
func URL(tb testing.TB) string {
	tb.Helper()
	app, _ := URLs(tb)
	return app
}

// URLs returns a fresh database's addresses: as the application, and as the
// owner and superuser.
func URLs(tb testing.TB) (app, owner string) {
	tb.Helper()
	server.once.Do(func() { server.err = start(context.Background()) })
	if server.err != nil {
		tb.Fatalf("test database: %v", server.err)
	}
	name := fmt.Sprintf("test_%d", server.next.Add(1))
	clone(tb, name)
	tb.Cleanup(func() { drop(tb, name) })
	return server.pg.DSN(name, AppRole), server.pg.DSN(name, "postgres")
}

// NewDB returns a fresh, migrated, empty database.
func NewDB(tb testing.TB) *database.DB {
	tb.Helper()
	return Open(tb, URL(tb))
}

// Open opens a database for the time of the test.
func Open(tb testing.TB, url string) *database.DB {
	tb.Helper()
	db, err := database.Open(context.Background(), database.DBConfig{URL: url, Application: "veinte test", MaxConns: 8})
	if err != nil {
		tb.Fatalf("open test database: %v", err)
	}
	tb.Cleanup(db.Close)
	return db
}

func clone(tb testing.TB, name string) {
	tb.Helper()
	server.cloning.Lock()
	defer server.cloning.Unlock()
	// A copy does not have the database's own rights.
	err := execute(context.Background(), server.own, "CREATE DATABASE "+name+" TEMPLATE template_veinte"+server.strategy,
		"REVOKE TEMPORARY ON DATABASE "+name+" FROM PUBLIC")
	if err != nil {
		tb.Fatalf("clone test database: %v", err)
	}
}

func drop(tb testing.TB, name string) {
	tb.Helper()
	if err := execute(context.Background(), server.own, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
		tb.Errorf("drop test database: %v", err)
	}
}

func admin(ctx context.Context, pg *localpg.Server, statements ...string) error {
	conn, err := pgx.Connect(ctx, pg.DSN("postgres", "postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return execute(ctx, conn, statements...)
}

func execute(ctx context.Context, on interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}, statements ...string,
) error {
	for _, s := range statements {
		if _, err := on.Exec(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}
