// Package modelstest gives each test a real database: a clone of a template that is
// migrated once per test program, accessed with the application's restricted role.
// It also makes sample stores, terminals, sales and people.
package modelstest

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib"

	"veinte/migrations"
	"veinte/models/database"
	"veinte/models/localpg"
)

// AppRole is the role that the application uses in tests, as in production.
const AppRole = "veinte_app"

// server is the one PostgreSQL of a test program.
var server struct {
	once sync.Once
	pg   *localpg.Server
	err  error
	next atomic.Int64
	// CREATE DATABASE fails while another session copies the template.
	cloning sync.Mutex
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
	server.once.Do(func() { server.pg, server.err = start() })
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

func start() (*localpg.Server, error) {
	ctx := context.Background()
	pg, err := localpg.StartTemporary(ctx)
	if err != nil {
		return nil, err
	}
	if err := prepare(ctx, pg); err != nil {
		_ = pg.Stop(ctx)
		return nil, err
	}
	return pg, nil
}

// prepare makes the template and the application's role.
func prepare(ctx context.Context, pg *localpg.Server) error {
	if err := admin(ctx, pg, "CREATE ROLE "+AppRole+" LOGIN", "CREATE DATABASE template_veinte"); err != nil {
		return err
	}
	db, err := sql.Open("pgx", pg.DSN("template_veinte", "postgres"))
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, createQueue); err != nil {
		return err
	}
	if _, err := migrations.Up(ctx, db, migrations.Roles{Server: AppRole}); err != nil {
		return err
	}
	// The clock of an office stands still, where a test puts it.
	_, err = db.ExecContext(ctx, `INSERT INTO database_rights VALUES ('server', 'SELECT, INSERT, UPDATE, DELETE', 'test_tasks');
		GRANT SELECT, INSERT, UPDATE, DELETE ON test_tasks TO `+AppRole+`;
		CREATE OR REPLACE FUNCTION refuse_other_time() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
		UPDATE factor_rules SET ask = 'never';
		UPDATE proof_rule SET asked = false`) // a test that is about them says so
	return err
}

func clone(tb testing.TB, name string) {
	tb.Helper()
	server.cloning.Lock()
	defer server.cloning.Unlock()
	// A copy does not have the database's own rights.
	err := admin(context.Background(), server.pg, "CREATE DATABASE "+name+" TEMPLATE template_veinte",
		"REVOKE TEMPORARY ON DATABASE "+name+" FROM PUBLIC")
	if err != nil {
		tb.Fatalf("clone test database: %v", err)
	}
}

func drop(tb testing.TB, name string) {
	tb.Helper()
	if err := admin(context.Background(), server.pg, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
		tb.Errorf("drop test database: %v", err)
	}
}

func admin(ctx context.Context, pg *localpg.Server, statements ...string) error {
	conn, err := pgx.Connect(ctx, pg.DSN("postgres", "postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, s := range statements {
		if _, err := conn.Exec(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}
