package modelstest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib"

	"veinte/migrations"
	"veinte/models/localpg"
)

// clusterDir is the environment variable with a directory that the test programs of one
// run share: the first prepares a cluster there, and all begin with a copy of it. Without
// it each prepares its own, which takes longer than most packages' tests.
const clusterDir = "VEINTE_TEST_CLUSTER"

// schema is the environment variable with the schema in which the tables stand, when it is
// not public: all tests hold there too.
const schema = "VEINTE_TEST_SCHEMA"

// start starts the server of this test program.
func start(ctx context.Context) (err error) {
	if dir := os.Getenv(clusterDir); dir == "" {
		server.pg, err = localpg.StartTemporary(ctx)
		err = prepared(ctx, server.pg, err)
	} else if err = prepareOnce(ctx, dir); err == nil {
		server.pg, err = localpg.StartTemporaryCopy(ctx, filepath.Join(dir, "ready"))
	}
	if err != nil {
		return err
	}
	if server.own, err = pgxpool.New(ctx, server.pg.DSN("postgres", "postgres")); err != nil {
		return err
	}
	var chooses bool
	if err := server.own.QueryRow(ctx, `SELECT current_setting('server_version_num')::int >= 150000`).Scan(&chooses); err != nil {
		return err
	}
	if chooses {
		server.strategy = " STRATEGY FILE_COPY"
	}
	return nil
}

// prepareOnce prepares the shared cluster, unless it is there already.
func prepareOnce(ctx context.Context, dir string) error {
	alone, err := os.OpenFile(filepath.Join(dir, "alone"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer alone.Close() // and with it the lock
	if err := syscall.Flock(int(alone.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("wait for the shared cluster: %w", err)
	}
	ready, unready := filepath.Join(dir, "ready"), filepath.Join(dir, "unready")
	if _, err := os.Stat(ready); err == nil {
		return nil
	}
	if err := os.RemoveAll(unready); err != nil { // of a program that was killed
		return err
	}
	pg, err := localpg.Start(ctx, localpg.Options{Dir: unready, NoSync: true})
	if err := prepared(ctx, pg, err); err != nil {
		return err
	}
	if err := pg.Stop(ctx); err != nil {
		return err
	}
	return os.Rename(unready, ready)
}

// prepared prepares a server that was started, and stops it when that fails.
func prepared(ctx context.Context, pg *localpg.Server, err error) error {
	if err != nil {
		return err
	}
	if err := prepare(ctx, pg); err != nil {
		return errors.Join(err, pg.Stop(ctx))
	}
	return nil
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
	if name := os.Getenv(schema); name != "" {
		if _, err := db.ExecContext(ctx, "CREATE SCHEMA "+name+"; ALTER ROLE ALL SET search_path = "+name); err != nil {
			return err
		}
		db.SetMaxIdleConns(-1) // none that has the search path of before
	}
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
