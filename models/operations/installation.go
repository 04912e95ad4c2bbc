package operations

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"veinte/models/database"
)

// Installation is what a database is for. Its first start sets it and it never
// changes, so that practice and real data are never in one trail.
type Installation string

// The kinds of installations.
const (
	RealInstallation     Installation = "real"
	PracticeInstallation Installation = "practice" // against a stand-in of the service, to learn
	DemoInstallation     Installation = "demo"
)

// CheckInstallation refuses a database that is for something else, with an error for
// the operator who starts the server. It writes nothing.
func (s *Service) CheckInstallation(ctx context.Context, kind Installation) error {
	marked, err := markedAs(ctx, s.db.SQL())
	if err != nil {
		return err
	}
	if marked == "" && kind == PracticeInstallation {
		// A database without a mark that has sales is a real one.
		var served bool
		if err := s.db.SQL().QueryRowContext(ctx, `SELECT EXISTS (SELECT FROM sales)`).Scan(&served); err != nil {
			return fmt.Errorf("look for sales: %w", err)
		}
		if served {
			marked = RealInstallation
		}
	}
	return kind.fits(marked)
}

// fits reports why a database with this mark cannot serve as the kind.
func (kind Installation) fits(marked Installation) error {
	switch {
	case marked == "" || marked == kind:
		return nil
	case kind == PracticeInstallation:
		return fmt.Errorf("this database holds the truth of a %s installation, and practice would mix with it: "+
			"name an empty database of its own in DATABASE_URL, or start without PRACTICE", marked)
	}
	return fmt.Errorf("this database is of a %s installation, where nothing is real: "+
		"name the %s one in DATABASE_URL, or start as %[1]s", marked, kind)
}

// rowQuerier is the database or a transaction of it.
type rowQuerier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func markedAs(ctx context.Context, q rowQuerier) (kind Installation, err error) {
	err = q.QueryRowContext(ctx, `SELECT kind FROM installation`).Scan(&kind)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read what the database is for: %w", err)
	}
	return kind, nil
}

// install sets what the database is for; if an earlier start has, it must be the
// same.
func install(ctx context.Context, t database.Tx, now time.Time, kind Installation) error {
	_, err := t.SQL.ExecContext(ctx, `INSERT INTO installation (kind, marked_at) VALUES ($1, $2) ON CONFLICT DO NOTHING`, kind, now)
	if err != nil {
		return fmt.Errorf("mark the database: %w", err)
	}
	marked, err := markedAs(ctx, t.SQL)
	if err != nil {
		return err
	}
	return kind.fits(marked)
}
