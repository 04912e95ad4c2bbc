package lab

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver named "pgx"

	"veinte/migrations"
	"veinte/models/localpg"
)

// The database and the restricted role that serves it.
const (
	databaseName = "veinte"
	appRole      = "veinte_app"
)

// Database is a database of an experiment's own, in which the role veinte_app exists.
type Database struct {
	App, Owner string // addresses, as the server's role and as the owner
}

// postgres is the private server of a laboratory.
type postgres struct {
	options localpg.Options
	server  *localpg.Server
	app     string // the product's address of it; the same after every restart
	owner   string // the laboratory's own
}

func newPostgres(dir string, durable bool, more map[string]string) *postgres {
	settings := map[string]string{
		"max_connections": "200", "shared_buffers": "128MB",
		// This limits the log to replay, and so the time to recover from a crash.
		"max_wal_size": "512MB", "checkpoint_timeout": "5min",
	}
	maps.Copy(settings, more)
	return &postgres{options: localpg.Options{Dir: filepath.Join(dir, "postgres"), NoSync: !durable, Settings: settings}}
}

func (p *postgres) start(ctx context.Context) (err error) {
	if p.server, err = localpg.Start(ctx, p.options); err != nil {
		return err
	}
	app := p.server.DSN(databaseName, appRole)
	if p.app != "" && p.app != app {
		return fmt.Errorf("postgres is at %q after a restart, was at %q", app, p.app)
	}
	p.app, p.owner = app, p.server.DSN(databaseName, "postgres")
	return nil
}

// Prepare makes a database with the product's schema, and the restricted role that
// serves it.
func Prepare(ctx context.Context, server *localpg.Server, name string) error {
	conn, err := pgx.Connect(ctx, server.DSN("postgres", "postgres"))
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer conn.Close(ctx)
	for _, s := range []string{"CREATE ROLE " + appRole + " LOGIN", "CREATE DATABASE " + name} {
		if _, err := conn.Exec(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return migrate(ctx, server.DSN(name, "postgres"))
}

// migrate makes the product's schema.
func migrate(ctx context.Context, owner string) error {
	db, err := sql.Open("pgx", owner)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err = migrations.Up(ctx, db, migrations.Roles{Server: appRole}); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `UPDATE factor_rules SET ask = 'never'; UPDATE proof_rule SET asked = false`) // its people have no phones
	return err
}

// KillPostgres is kill -9 of the postmaster and all its processes. It is like a
// power failure, except that the kernel still writes its buffers. Servers go on
// running.
func (l *Lab) KillPostgres() error {
	pid := l.pg.server.PID()
	children := ChildrenOf(pid)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill postgres: %w", err)
	}
	for _, child := range children {
		_ = syscall.Kill(child, syscall.SIGKILL) // it may have ended meanwhile
	}
	ctx, cancel := context.WithTimeout(context.Background(), startWait)
	defer cancel()
	return l.pg.server.Stop(ctx) // it is dead: this releases its lock and its log
}

// StartPostgres starts it again on the same data and at the same address.
func (l *Lab) StartPostgres(ctx context.Context) error {
	if err := l.pg.start(ctx); err != nil {
		return err
	}
	return l.reach(ctx)
}

// reach waits until the laboratory's own pool has a connection again.
func (l *Lab) reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	for {
		err := l.Pool.Ping(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("reach postgres: %w", errors.Join(err, ctx.Err()))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func openPool(ctx context.Context, url string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns = 16
	config.ConnConfig.RuntimeParams["application_name"] = "veinte lab"
	return pgxpool.NewWithConfig(ctx, config)
}
