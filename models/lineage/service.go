package lineage

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// Cause is how a database was recognized as another one.
type Cause string

// The causes.
const (
	First    Cause = "first"    // nothing was known before
	Copied   Cause = "copied"   // in another cluster, or under another number: a dump was restored
	Promoted Cause = "promoted" // on another timeline: a standby was promoted, or recovered to a point in time
	Behind   Cause = "behind"   // a checkpoint outside the database knows more
	Lost     Cause = "lost"     // it lacks what this installation has sent
)

// Change is a database in which this installation went on.
type Change struct {
	ID        int64
	Cause     Cause
	Doubts    int // cancellations that may have left from the other one
	NoticedAt time.Time
	Left      int // of these and what else may have left from there, those still in doubt
}

// Service recognizes the database. Every server process has one.
type Service struct {
	Config
	one     sync.Mutex   // one recognition at a time
	known   atomic.Int64 // the generation of the pool's servers that was recognized
	sent    memory
	waiting atomic.Bool // commits wait for a standby, when that was last asked
}

// Config is what the service needs.
type Config struct {
	DB     *database.DB
	Clock  models.Clock
	Logger *slog.Logger
	// KeepsCommits is the operator's word that every commit waits for a standby
	// (FAILOVER_KEEPS_COMMITS). It counts for requests whose commit did wait.
	KeepsCommits bool
	// Compare looks whether checkpoints outside the database know more than it, and
	// records that as a stop of the sealing; nil: there are none.
	Compare func(context.Context) error
	// Changed is called before anything is sent, when the database may be another one.
	Changed func(context.Context) error
}

// New makes the service.
func New(c Config) *Service { return &Service{Config: c} }

// Recognized reports whether the server of PostgreSQL that connections reach now was
// recognized. Until it is, nothing may be sent.
func (s *Service) Recognized() bool { return s.known.Load() == s.DB.Generation() }

// Elsewhere reports whether what was requested in one database must not be sent in
// another: it may have been sent from there. Waited is whether the commit of the
// request waited for a standby.
func (s *Service) Elsewhere(asked, here database.Identity, waited bool) bool {
	return asked != here && !(s.KeepsCommits && waited && asked.PromotedTo(here))
}

// Since returns when this installation went on in this database after another one, for a
// cancellation that was requested here: its sale, if it is from before, may have been
// canceled from there, as nobody here knows. Zero: never. It reads what other processes
// have noticed too.
func (s *Service) Since(t database.Tx, cancellationID int64) (time.Time, error) {
	var since sql.NullTime
	err := t.Raw(`SELECT max(noticed_at) FROM database_changes, cancellations c
		WHERE c.id = ? AND coalesce(c.asked_in, database_identity()) = database_identity()
			AND cause <> 'first' AND NOT (? AND cause = 'promoted' AND doubts = 0)`, cancellationID, s.KeepsCommits).Row().Scan(&since)
	if err != nil {
		return time.Time{}, fmt.Errorf("ask since when the database is this one: %w", err)
	}
	return since.Time, nil
}

// Latest returns the last change that people should know of: for a day, and for as long
// as something is in doubt because of it; nil when there is none.
func (s *Service) Latest(ctx context.Context) (*Change, error) {
	all, err := database.Rows[Change](ctx, s.DB.Pool(), `SELECT id, cause, doubts, noticed_at, (SELECT count(*) FROM cancellations
			WHERE state = `+models.UnknownSQL+` AND detail = $1)::int AS left
		FROM database_changes WHERE cause <> $2 ORDER BY id DESC LIMIT 1`, models.DetailOtherDatabase, First)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	last := &all[0]
	keeps := last.Cause == Promoted && last.Doubts == 0 && s.KeepsCommits
	if last.Left == 0 && (keeps || s.Clock.Now().Sub(last.NoticedAt) > noticeTime) {
		return nil, nil
	}
	return last, nil
}

// noticeTime is how long people are told at least.
const noticeTime = 24 * time.Hour

// Unkept reports whether the operator promised that commits wait for a standby, and
// they do not.
func (s *Service) Unkept() bool { return s.KeepsCommits && s.known.Load() > 0 && !s.waiting.Load() }
