// Package migrations owns the schema: numbered SQL files, forward only, and the
// functions that apply them. River's own tables are applied after ours by River's
// own files. It knows nothing of the program that uses the schema.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/rivermigrate"
)

//go:embed *.sql
var files embed.FS

// Step is one file of the schema.
type Step struct {
	Name    string
	Applied bool
}

// Up applies the pending migrations and grants the roles their rights: those that are
// named, and those that were named before. db connects as the owner of the schema,
// directly, not through a pooler. One advisory lock is held from the first file to the last
// right, so that programs that start at the same time come one after the other. Without any
// role nothing is granted: then the owner serves.
func Up(ctx context.Context, db *sql.DB, roles Roles) (applied []string, err error) {
	unlock, err := alone(ctx, db)
	if err != nil {
		return nil, err
	}
	defer unlock()
	provider, err := provider(ctx, db, true)
	if err != nil {
		return nil, err
	}
	temporary, err := temporaryNeeded(ctx, db)
	if err != nil {
		return nil, err
	}
	if applied, err = upTo(ctx, provider); err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	river, err := rivermigrate.New(riverdatabasesql.New(db), nil)
	if err != nil {
		return nil, fmt.Errorf("migrate jobs: %w", err)
	}
	jobs, err := river.Migrate(ctx, rivermigrate.DirectionUp, nil)
	if err != nil {
		return nil, fmt.Errorf("migrate jobs: %w", err)
	}
	for _, v := range jobs.Versions {
		applied = append(applied, fmt.Sprintf("river %d (%s)", v.Version, v.Name))
	}
	if err := grant(ctx, db, roles, temporary); err != nil {
		return applied, err
	}
	return applied, nil
}

// maxDeadlocks is how often a file is tried again.
const maxDeadlocks = 10

// upTo applies the pending files. One that deadlocks with people who are at work is tried
// again: it holds a table that they want, and wants one that they hold. PostgreSQL ends the
// file, of which nothing is left then, and they are done in a moment.
func upTo(ctx context.Context, provider *goose.Provider) (applied []string, err error) {
	for range maxDeadlocks {
		var results []*goose.MigrationResult
		results, err = provider.Up(ctx)
		var partial *goose.PartialError
		if errors.As(err, &partial) {
			results = partial.Applied
		}
		for _, r := range results {
			applied = append(applied, r.Source.Path)
		}
		var state interface{ SQLState() string }
		if !errors.As(err, &state) || state.SQLState() != "40P01" {
			break
		}
	}
	return applied, err
}

// migrating is the advisory lock of Up. goose takes another one besides, which programs of
// earlier releases know.
const migrating = "hashtextextended('veinte migrates', 0)"

// lockBeat is how often it is tried to take that lock. Nothing waits for it in a statement:
// an index that is built concurrently waits for all statements that run.
const lockBeat = 200 * time.Millisecond

// alone waits until no other program migrates the database, and keeps others from it until
// unlock.
func alone(ctx context.Context, db *sql.DB) (unlock func(), err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("lock migrations: %w", err)
	}
	for mine := false; ; {
		if err = conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock("+migrating+")").Scan(&mine); err != nil || mine {
			break
		}
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-time.After(lockBeat):
			continue
		}
		break
	}
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("lock migrations: %w", err)
	}
	return func() {
		// A connection that fails here has lost the lock with it.
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock("+migrating+")")
		_ = conn.Close()
	}, nil
}

// Status lists every file and whether it is applied.
func Status(ctx context.Context, db *sql.DB) ([]Step, error) {
	provider, err := provider(ctx, db, false)
	if err != nil {
		return nil, err
	}
	all, err := provider.Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	var steps []Step
	for _, s := range all {
		steps = append(steps, Step{Name: s.Source.Path, Applied: s.State == goose.StateApplied})
	}
	river, err := rivermigrate.New(riverdatabasesql.New(db), nil)
	if err != nil {
		return nil, err
	}
	jobs, err := river.Validate(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("read migrations of jobs: %w", err)
	}
	return append(steps, Step{Name: "river", Applied: jobs.OK}), nil
}

// migratedSQL says whether anything of ours has ever been applied.
const migratedSQL = "SELECT to_regclass(current_schema() || '.goose_db_version') IS NOT NULL"

// Pending lists the names of the files that are not applied yet.
func Pending(ctx context.Context, db *sql.DB) ([]string, error) {
	var there bool
	if err := db.QueryRowContext(ctx, migratedSQL).Scan(&there); err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	if !there {
		return []string{"everything"}, nil // nothing has ever been applied
	}
	steps, err := Status(ctx, db)
	if err != nil {
		return nil, err
	}
	var pending []string
	for _, s := range steps {
		if !s.Applied {
			pending = append(pending, s.Name)
		}
	}
	return pending, nil
}

func provider(ctx context.Context, db *sql.DB, locked bool) (*goose.Provider, error) {
	name, err := schema(ctx, db)
	if err != nil {
		return nil, err
	}
	theirs, err := in(name)
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	options := []goose.ProviderOption{goose.WithDisableGlobalRegistry(true)}
	if locked {
		locker, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return nil, fmt.Errorf("lock migrations: %w", err)
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, theirs, options...)
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	return p, nil
}
