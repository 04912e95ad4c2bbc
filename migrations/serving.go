package migrations

import (
	"context"
	"database/sql"
	"fmt"
)

// oldest is what the newest file leaves in serving_schemas.
const oldest = 31

// Schemas says which versions of the program may serve a database side by side. A version
// of the program is called by the newest schema that it knows.
type Schemas struct {
	Program  int64 // this program's
	Database int64 // what the database has; 0: none of ours
	Oldest   int64 // whose servers may use the newer of both
}

// Compare reads how the database's schema stands to the program's.
func Compare(ctx context.Context, db *sql.DB) (s Schemas, err error) {
	p, err := provider(ctx, db, false)
	if err != nil {
		return s, err
	}
	sources := p.ListSources()
	s.Program, s.Oldest = sources[len(sources)-1].Version, oldest
	var migrated, bounded bool
	err = db.QueryRowContext(ctx, `SELECT to_regclass(current_schema() || '.goose_db_version') IS NOT NULL,
		to_regclass(current_schema() || '.serving_schemas') IS NOT NULL`).
		Scan(&migrated, &bounded)
	if err == nil && migrated {
		err = db.QueryRowContext(ctx, "SELECT max(version_id) FROM goose_db_version WHERE is_applied").Scan(&s.Database)
	}
	if err == nil && bounded && s.Database > s.Program {
		err = db.QueryRowContext(ctx, "SELECT oldest FROM serving_schemas").Scan(&s.Oldest)
	}
	if err != nil {
		return s, fmt.Errorf("read which schemas may serve: %w", err)
	}
	return s, nil
}

// Err refuses a program that is too old for the database.
func (s Schemas) Err() error {
	if s.Program >= s.Oldest {
		return nil
	}
	return fmt.Errorf("the schema is of a later release (%d), and may be served from %d on; this program is of %d: run the later release, "+
		"or restore the backup that was made before the upgrade", s.Database, s.Oldest, s.Program)
}

// Text says which may serve side by side.
func (s Schemas) Text() string {
	return fmt.Sprintf("this program is of schema %d, the database of %d; servers of schema %d to %d may serve side by side",
		s.Program, s.Database, s.Oldest, max(s.Program, s.Database))
}
