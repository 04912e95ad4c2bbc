package lab

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models/localpg"
)

// Copy is another PostgreSQL that has the laboratory's database: a restored backup, or
// a standby.
type Copy struct {
	App, Owner string // addresses of the database
	server     *localpg.Server
}

// Backup dumps the database into a file, as the documentation says, while everything
// goes on.
func (l *Lab) Backup(ctx context.Context) (file string, err error) {
	file = l.file("backup.dump")
	return file, l.tool(ctx, "pg_dump", "-Fc", "-f", file, l.pg.owner)
}

// Restore restores a backup into a cluster of its own.
func (l *Lab) Restore(ctx context.Context, file string) (*Copy, error) {
	c, err := l.another(ctx, localpg.Start)
	if err != nil {
		return nil, err
	}
	for _, s := range []string{"CREATE ROLE " + appRole + " LOGIN", "CREATE DATABASE " + databaseName} {
		if err := c.Exec(ctx, s); err != nil {
			return nil, err
		}
	}
	return c, l.tool(ctx, "pg_restore", "--exit-on-error", "-d", c.Owner, file)
}

// Recover starts a PostgreSQL from the files that fill puts into a data directory. What
// was archived there is not archived from here. It returns once the database takes writes.
func (l *Lab) Recover(ctx context.Context, fill func(data string) error) (*Copy, error) {
	c, err := l.another(ctx, func(ctx context.Context, o localpg.Options) (*localpg.Server, error) {
		bin, err := localpg.FindBinaries()
		if err != nil {
			return nil, err
		}
		if err := fill(filepath.Join(o.Dir, fmt.Sprintf("pg%d", bin.Major), "data")); err != nil {
			return nil, err
		}
		o.Settings = maps.Clone(o.Settings)
		o.Settings["archive_mode"] = "off"
		return localpg.Start(ctx, o)
	})
	if err != nil {
		return nil, err
	}
	conn, err := pgx.Connect(ctx, c.Owner)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	return c, Eventually(ctx, time.Minute, "the recovery has ended", func(ctx context.Context) (ended bool, err error) {
		err = conn.QueryRow(ctx, "SELECT NOT pg_is_in_recovery()").Scan(&ended)
		return ended, err
	})
}

// Follow starts a standby of the laboratory's PostgreSQL.
func (l *Lab) Follow(ctx context.Context) (*Copy, error) {
	return l.another(ctx, func(ctx context.Context, o localpg.Options) (*localpg.Server, error) {
		return localpg.StartStandby(ctx, l.pg.server, o)
	})
}

func (l *Lab) another(ctx context.Context, start func(context.Context, localpg.Options) (*localpg.Server, error)) (*Copy, error) {
	o := l.pg.options
	o.Dir = l.file(fmt.Sprintf("copy-%d", len(l.copies)))
	server, err := start(ctx, o)
	if err != nil {
		return nil, err
	}
	c := &Copy{App: server.DSN(databaseName, appRole), Owner: server.DSN(databaseName, "postgres"), server: server}
	l.copies = append(l.copies, c)
	return c, nil
}

// Exec runs a statement as the superuser, outside the database.
func (c *Copy) Exec(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, c.server.DSN("postgres", "postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

// Lag ends a standby's following: it gets nothing from now on.
func (c *Copy) Lag(ctx context.Context) error {
	if err := c.Exec(ctx, "ALTER SYSTEM SET primary_conninfo = ''"); err != nil {
		return err
	}
	if err := c.Exec(ctx, "SELECT pg_reload_conf()"); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, c.server.DSN("postgres", "postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return Eventually(ctx, time.Minute, "the standby is alone", func(ctx context.Context) (alone bool, err error) {
		err = conn.QueryRow(ctx, "SELECT count(*) = 0 FROM pg_stat_wal_receiver").Scan(&alone)
		return alone, err
	})
}

// Promote makes a standby take writes.
func (c *Copy) Promote(ctx context.Context) error { return c.Exec(ctx, "SELECT pg_promote(true, 60)") }

// Either is an address of the laboratory's PostgreSQL and of a copy, of which the one
// is used that takes writes.
func (l *Lab) Either(c *Copy) string {
	first, second := hostOf(l.pg.app), hostOf(c.App)
	return strings.Replace(l.pg.app, "host="+first, "host="+first+","+second, 1) + " target_session_attrs=read-write connect_timeout=10"
}

func hostOf(address string) string {
	_, host, _ := strings.Cut(address, "host=")
	host, _, _ = strings.Cut(host, " ")
	return host
}

// MoveTo has the laboratory itself read a copy from now on.
func (l *Lab) MoveTo(ctx context.Context, c *Copy) error {
	pool, err := openPool(ctx, c.Owner)
	if err != nil {
		return err
	}
	l.Pool.Close()
	l.Pool = pool
	return nil
}

// tool runs a program of PostgreSQL.
func (l *Lab) tool(ctx context.Context, name string, args ...string) error {
	bin, err := localpg.FindBinaries()
	if err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, filepath.Join(bin.Dir, name), args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}
