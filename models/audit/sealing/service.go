package sealing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/mod/sumdb/note"

	"veinte/models"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/trailfile/notes"
	"veinte/models/database"
)

// Service seals the trail: it adds what was committed to the Merkle tree, signs
// checkpoints over it, and has them written outside the database. Every server
// process has one; only one at a time seals.
type Service struct {
	db      *database.DB
	clock   models.Clock
	signers []note.Signer
	public  []string
	other   bool // another process seals
	Dir     *checkpointDir
	log     *slog.Logger

	mu      sync.Mutex      // one batch at a time in this process
	edge    *trailfile.Edge // of the last tree that this process has sealed; nil before
	seen    *outside        // the largest checkpoint that this process knows to be outside the database
	filled  bool            // the directory had checkpoints when it was last read
	odd     string          // what it holds that this installation did not sign; "" for nothing
	through int64           // entries up to which the directory was looked through
	emptied bool            // it had some, and has none any more
	rest    *rest           // how all stood when nothing was left to do; nil when that is not known
	ended   int64           // the last stop that this process knows to have ended

	beginning atomic.Int64 // of the trail, as the last stop that ended left it

	trouble atomic.Pointer[Trouble]
	told    time.Time // when the others were last told of trouble with the directory
	tells   string    // what they were told
	cleared bool      // they know of none
	sealed  atomic.Int64
	guarded atomic.Pointer[guards]
	looking func() // test hook: before the directory is read
}

// Config has the keys to seal with, and the directory of checkpoints.
type Config struct {
	DB      *database.DB
	Clock   models.Clock
	Signers []note.Signer // all of one name, the newest first; without any, nothing is sealed
	Public  []string      // the keys to verify with, as text; with Signers, theirs at least
	Dir     string        // for checkpoints; "": they stay in the database
	// Elsewhere means that the database's role has no right to seal: a process with
	// another role does.
	Elsewhere bool
	Logger    *slog.Logger
}

// New makes a sealer; it does nothing until Run or Seal is called.
func New(c Config) *Service {
	s := &Service{db: c.DB, clock: c.Clock, signers: c.Signers, public: c.Public, other: c.Elsewhere, log: c.Logger}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if c.Dir != "" {
		s.Dir = &checkpointDir{path: c.Dir}
		// Without a key nothing in it counts; a key that is wrong was refused before.
		s.Dir.keys, _ = trailfile.ParsePublic(c.Public...)
	}
	return s
}

// Trouble is why nothing is sealed, or why checkpoints are not published. Code is a
// key that the views translate.
type Trouble struct {
	Code   string
	Sealed int64     // entries that the database has sealed
	Seen   int64     // entries of the checkpoint that contradicts it
	SeenAt time.Time // when that was signed
	Since  time.Time // when the trouble began
	Detail string    // of Foreign: the file and what it holds
	Note   string    // of a contradiction: the checkpoint that contradicts, as it was signed
	known  bool      // to every process
	err    error
}

// The troubles. The first two are contradictions: no process seals anything more
// until an operator has reviewed it and either moved the contradicting directory of
// checkpoints away or confirmed that sealing continues.
const (
	Shorter   = "seal.shorter"   // the trail has fewer entries than a checkpoint outside the database
	Different = "seal.different" // it does not begin with the entries of a checkpoint
	Directory = "seal.directory" // checkpoints cannot be written outside the database
	Foreign   = "seal.foreign"   // the directory holds what this installation did not sign; everything is sealed all the same
	Unguarded = "seal.unguarded" // the database's own guards over the trail are off; everything is sealed all the same
	Failing   = "seal.failing"   // the database refuses, or cannot be reached
	Lagging   = "seal.lagging"   // nothing fails, and yet entries have waited for long
	Paused    = "seal.held"      // a transaction has been writing for long: what was committed since waits for it
)

func (t *Trouble) Error() string {
	switch t.Code {
	case Shorter, Different:
		return fmt.Sprintf("%s: %d entries are sealed in the database; a checkpoint of %d entries was signed %s",
			t.Code, t.Sealed, t.Seen, t.SeenAt.Format(time.RFC3339))
	}
	if t.Code == Foreign {
		return fmt.Sprintf("%s: not signed by this installation: %s", t.Code, t.Detail)
	}
	return fmt.Sprintf("%s: %v", t.Code, t.err)
}

func (t *Trouble) Unwrap() error { return t.err }

// contradiction reports whether the database and a checkpoint disagree.
func (t *Trouble) contradiction() bool {
	return t != nil && (t.Code == Shorter || t.Code == Different)
}

// Sealing reports whether this process has keys to seal with.
func (s *Service) Sealing() bool { return len(s.signers) > 0 }

// Elsewhere reports whether another process seals.
func (s *Service) Elsewhere() bool { return s.other }

// Trouble returns what prevents this process from sealing; nil when nothing does.
func (s *Service) Trouble() *Trouble { return s.trouble.Load() }

// Sealed is how many entries this process has sealed.
func (s *Service) Sealed() int64 { return s.sealed.Load() }

// Check refuses to begin with the wrong keys: a trail that was sealed once must
// be sealed on, under the same name. It makes the directory. Where another process
// seals, this one must not have the key.
func (s *Service) Check(ctx context.Context) error {
	if s.other {
		if s.Sealing() {
			return errors.New("AUDIT_KEY_FILE: the role of DATABASE_URL may not seal, veinte seal does; keep the private key there, " +
				"and name a file with the public key alone here")
		}
		return nil
	}
	last, err := s.LatestCheckpoint(ctx)
	if err != nil {
		return err
	}
	if !s.Sealing() {
		if last != nil {
			return fmt.Errorf("AUDIT_KEY_FILE: the trail is sealed (%d entries, last %s), and without its key nothing more of it would be; "+
				"name the key file", last.Size, last.SealedAt.UTC().Format(time.RFC3339))
		}
		return nil
	}
	if last != nil {
		// A note that cannot be read is reported by verification: it is no reason
		// not to start.
		if c, err := trailfile.Unverified(last.Note); err == nil && !notes.Signs(s.signers[0].Name(), c.Origin) {
			return fmt.Errorf("AUDIT_KEY_FILE: its keys are named %q, but the trail was sealed as %q; a new key must bear the old name",
				s.signers[0].Name(), c.Origin)
		}
	}
	_, over, err := stops(ctx, s.db)
	if err != nil {
		return err
	}
	s.beginning.Store(int64(over.beginning))
	if s.Dir == nil {
		return nil
	}
	if err := s.Dir.create(); err != nil {
		return fmt.Errorf("AUDIT_CHECKPOINT_DIR: %w", err)
	}
	if err := s.learnKeys(ctx); err != nil {
		return err
	}
	if _, err := s.Dir.look(); err != nil {
		return fmt.Errorf("AUDIT_CHECKPOINT_DIR: %w", err)
	}
	return nil
}

// PublicKeys are the keys to verify with, as text, for users who have no better
// source: a file with its own key proves only that it is consistent.
func (s *Service) PublicKeys() []string { return s.public }

// PublishedCheckpoints returns signed checkpoints that are stored outside the
// database, the last one of each month; nil without a directory for them.
func (s *Service) PublishedCheckpoints() ([]string, error) {
	if s.Dir == nil {
		return nil, nil
	}
	there, err := s.Dir.look()
	return there.notes, err
}

// origin is what the checkpoints of this trail are signed for.
func (s *Service) origin() string { return notes.Origin(s.signers[0].Name(), int(s.beginning.Load())) }

// interval is how often new entries are sealed.
const interval = 500 * time.Millisecond

// Run seals until ctx ends. An error is logged once, and sealing is tried again.
func (s *Service) Run(ctx context.Context) {
	if !s.Sealing() {
		return
	}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	s.lookAgain(ctx, true)
	var looked time.Time
	for recorded := false; ; {
		recorded = recorded || errors.Join(s.recordKeys(ctx), s.learnKeys(ctx)) == nil
		if !s.quiet(ctx) {
			_, _ = s.seal(ctx, false) // the error is stored as trouble
		}
		if s.Dir != nil && (s.lost() || time.Since(looked) >= lookEvery) && !s.troubled() {
			looked = time.Now()
			s.lookAgain(ctx, false)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// troubled reports whether something keeps this process from sealing or publishing.
func (s *Service) troubled() bool {
	t := s.Trouble()
	return t != nil && t.Code != Foreign
}

// Seal seals what was committed, and returns how many entries that were. It waits
// while another process seals.
func (s *Service) Seal(ctx context.Context) (sealed int, err error) {
	if !s.Sealing() {
		return 0, nil
	}
	return s.seal(ctx, true)
}

// SealAll seals until nothing waits any more: what was committed last may have to wait for
// a transaction that is older. It gives up when the time is over.
func (s *Service) SealAll(ctx context.Context, within time.Duration) error {
	if !s.Sealing() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for {
		if _, err := s.Seal(ctx); err != nil {
			return err
		}
		row, err := database.Row[struct{ Waits bool }](ctx, s.db, waitsSQL)
		if err != nil || !row.Waits {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("seal the last entries: %w", ctx.Err())
		case <-time.After(sealPause):
		}
	}
}

// sealPause is how long the last entries wait before it is tried again.
const sealPause = 100 * time.Millisecond

// waitsSQL asks whether an entry is not sealed.
const waitsSQL = `SELECT EXISTS (SELECT FROM (SELECT 1) one
	LEFT JOIN LATERAL (SELECT * FROM checkpoints ORDER BY size DESC LIMIT 1) c ON true
	JOIN LATERAL (SELECT FROM audit_entries
		WHERE (era, txid, id) > (coalesce(c.era, 1), coalesce(c.txid, '0'), coalesce(c.entry_id, 0)) LIMIT 1) e ON true) AS waits`

// seal seals in batches until little is left, then writes the checkpoints out.
func (s *Service) seal(ctx context.Context, wait bool) (sealed int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rest = nil
	for n := MaxSealed; err == nil && n == MaxSealed; {
		n, err = s.batch(ctx, wait)
		var over *mayResume
		switch {
		case err == nil:
			sealed += n
			err = s.publish(ctx)
		case errors.As(err, &over):
			// ErrNotFound: another process was quicker.
			if err = s.endStop(ctx, actor(), over.stop, ""); err == nil || errors.Is(err, models.ErrNotFound) {
				n, err = MaxSealed, nil
			}
		}
	}
	if err == nil {
		s.settle(ctx)
	}
	if ctx.Err() == nil {
		s.note(ctx, cmp.Or(err, s.foreign()))
	}
	return sealed, err
}

// note stores an error as the trouble, logs it once, and records a contradiction in
// the trail and for every other process.
func (s *Service) note(ctx context.Context, err error) {
	before := s.trouble.Load()
	if err == nil {
		s.trouble.Store(nil)
		s.tell(ctx, nil)
		if before != nil && before.Code != Foreign {
			s.log.Info("the trail is being sealed again")
		}
		return
	}
	var now *Trouble
	if !errors.As(err, &now) {
		now = &Trouble{Code: Failing, err: err}
	}
	if before == nil || before.Code != now.Code {
		text := "the trail is not being sealed"
		if now.Code == Foreign {
			text = "the directory of checkpoints holds something else"
		}
		s.log.Error(text, "error", now)
	}
	if now.contradiction() && !now.known {
		s.recordStop(ctx, now) // or with the next try
	}
	if now.Code == Directory || now.Code == Foreign {
		s.tell(ctx, now)
	}
	s.trouble.Store(now)
}

// sealTimeout is how long an export waits for the sealer. Entries that are not
// sealed by then are counted as unsealed.
const sealTimeout = 3 * time.Second

// SealFirst seals what was committed, so that an export is covered by a checkpoint
// as far as possible.
func (s *Service) SealFirst(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, sealTimeout)
	defer cancel()
	if _, err := s.Seal(ctx); err != nil {
		s.log.WarnContext(ctx, "an export leaves before the last entries are sealed", "error", err)
	}
}

// ErrNothingSealed refuses a verifiable file while there is no checkpoint to verify
// it by.
var ErrNothingSealed = &models.Error{Kind: models.KindConflict, Code: "error.nothingSealed"}
