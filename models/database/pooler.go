package database

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// limits are the settings of each connection that a pooler does not pass on.
var limits = map[string]string{
	// Milliseconds. A statement that takes longer than a user waits, and a lock that was not
	// released, end with an error that states the cause.
	"statement_timeout":                   "15000",
	"lock_timeout":                        "5000",
	"idle_in_transaction_session_timeout": "30000",
	// A statement whose client has left ends, even one that waits for a lock. The request to
	// cancel it may come when it is not at work, and is then lost.
	"client_connection_check_interval": "1000",
	// Compiling a plan takes seconds, and no statement here runs for longer.
	"jit": "off",
}

// described gives connections the settings that also a pooler passes on.
func described(config *pgxpool.Config, application string) {
	for name, value := range map[string]string{"application_name": application, "timezone": "UTC"} {
		if _, set := config.ConnConfig.RuntimeParams[name]; !set {
			config.ConnConfig.RuntimeParams[name] = value
		}
	}
}

// pooled is how pages connect through a pooler in transaction mode; nil: they do not. Each of
// their transactions may have another connection to the database, so none may rely on what
// an earlier one has left there, such as a prepared statement: what a statement takes and
// gives is remembered here.
func pooled(c DBConfig) (*pgxpool.Config, error) {
	if c.PagesURL == "" {
		return nil, nil
	}
	config, err := pgxpool.ParseConfig(c.PagesURL)
	if err != nil {
		return nil, errors.New("DATABASE_PAGES_URL cannot be read: want postgres://user:password@host/database or libpq keywords")
	}
	described(config, c.Application)
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	config.ConnConfig.Tracer = c.Tracer
	return config, nil
}

// limitRole has the limits be those of the role in this database: PgBouncer refuses a client
// that names them, and gives its connections to one client after another.
func (db *DB) limitRole(ctx context.Context) error {
	var sql strings.Builder
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		fmt.Fprintf(&sql, "EXECUTE format('ALTER ROLE CURRENT_USER IN DATABASE %%I SET %s = %s', current_database());\n", name, limits[name])
	}
	if _, err := db.pool.Exec(ctx, "DO $$ BEGIN\n"+sql.String()+"END $$"); err != nil {
		return fmt.Errorf("set the limits of the role, for DATABASE_PAGES_URL: %w", err)
	}
	return nil
}

// The reasons why a server cannot work with DATABASE_URL.
var (
	errStandby = errors.New("DATABASE_URL leads to a standby, which takes no writes: name the primary, or all hosts and " +
		"target_session_attrs=read-write")
	errShared = errors.New("DATABASE_URL leads through a pooler in transaction mode, which forgets what a connection has set, locked and " +
		"listens to: connect directly or in session mode; for pages DATABASE_PAGES_URL may lead through it")
)

// CheckAddress refuses an address over which a server would be wrong: that of a standby, and
// one of a pooler in transaction mode, which gives two connections the same one of the
// database. A pooler that was told to ignore settings lets them pass, and forgets them.
func (db *DB) CheckAddress(ctx context.Context) error {
	config := db.pool.Acts().Config().ConnConfig
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	var pids [2]int
	var standby bool
	for i := range pids {
		conn, err := pgx.ConnectConfig(ctx, config)
		if err != nil {
			return fmt.Errorf("reach database: %w", err)
		}
		defer conn.Close(ctx)
		if err := conn.QueryRow(ctx, `SELECT pg_backend_pid(), pg_is_in_recovery()`).Scan(&pids[i], &standby); err != nil {
			return fmt.Errorf("ask which connection this is: %w", err)
		}
	}
	switch {
	case standby:
		return errStandby
	case pids[0] == pids[1]:
		return errShared
	}
	return nil
}
