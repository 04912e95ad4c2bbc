package modelstest

import (
	"context"
	"database/sql"
	"fmt"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/verify"
	"veinte/models/database"
	"veinte/models/localpg"
	"veinte/models/wiring"
)

// SealedTrail is a trail that is sealed.
type SealedTrail struct {
	TB    testing.TB
	Owner *sql.DB
	URL   string // of the application
	DSN   string // of the owner
	Keys  *trailfile.Keys
	Dir   string
	Seals *sealing.Service
}

func NewKeys(tb testing.TB, more ...string) (*trailfile.Keys, string) {
	tb.Helper()
	private, _, err := trailfile.GenerateKey("tienda.example/bitacora")
	if err != nil {
		tb.Fatal(err)
	}
	text := strings.Join(append([]string{private}, more...), "\n")
	keys, err := trailfile.ParseKeys(text)
	if err != nil {
		tb.Fatal(err)
	}
	return keys, text
}

func NewSealedTrail(tb testing.TB) *SealedTrail {
	tb.Helper()
	app, owner := URLs(tb)
	db, err := sql.Open("pgx", owner)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	s := &SealedTrail{TB: tb, Owner: db, URL: app, DSN: owner, Dir: filepath.Join(tb.TempDir(), "checkpoints")}
	s.Keys, _ = NewKeys(tb)
	s.Seals = s.Process(s.Dir)
	return s
}

// Process is another process that seals the trail.
func (s *SealedTrail) Process(dir string) *sealing.Service {
	s.TB.Helper()
	return sealing.New(sealing.Config{
		DB: Open(s.TB, s.URL), Clock: models.ShiftedClock(0), Signers: s.Keys.Signers(), Public: s.Keys.Public(), Dir: dir,
	})
}

// Write adds entries in one transaction.
func (s *SealedTrail) Write(n int) {
	s.TB.Helper()
	Exec(s.TB, s.Owner, `INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, canonical)
		SELECT now(), 'x', 'system', 'test.done', 'success', convert_to(gen_random_uuid()::text, 'UTF8') FROM generate_series(1, $1)`, n)
}

// All seals until everything is sealed. Other tests' transactions delay it for as
// long as they run.
func (s *SealedTrail) All() {
	s.TB.Helper()
	entries := Count(s.TB, s.Owner, `SELECT count(*) FROM audit_entries`)
	WaitForOlder(s.TB, s.Owner)
	WaitFor(s.TB, fmt.Sprintf("%d entries to be sealed", entries), func() bool {
		if _, err := s.Seals.Seal(s.TB.Context()); err != nil {
			s.TB.Fatalf("Seal: %v", err)
		}
		return Count(s.TB, s.Owner, `SELECT coalesce(max(size), 0) FROM checkpoints`) >= entries
	})
}

// WaitForOlder waits until no transaction of other tests is older than an entry: then all
// entries are sealed at once. What is sealed after a checkpoint is held to its time, and entries
// of tests may be of any.
func WaitForOlder(tb testing.TB, owner *sql.DB) {
	tb.Helper()
	WaitFor(tb, "other tests' transactions to end that are older than entries", func() bool {
		return Count(tb, owner, `SELECT count(*) FROM audit_entries
			WHERE (era, txid) >= (trail_era(), pg_snapshot_xmin(pg_current_snapshot()))`) == 0
	})
}

// postgresTool runs a program of PostgreSQL.
func postgresTool(tb testing.TB, name string, args ...string) {
	tb.Helper()
	bin, err := localpg.FindBinaries()
	if err != nil {
		tb.Fatal(err)
	}
	if out, err := osexec.Command(filepath.Join(bin.Dir, name), args...).CombinedOutput(); err != nil {
		tb.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// Restored is the sealing of a dump in a cluster of its own.
func (s *SealedTrail) Restored(dump string) *SealedTrail {
	s.TB.Helper()
	pg, err := localpg.StartTemporary(s.TB.Context())
	if err != nil {
		s.TB.Fatal(err)
	}
	s.TB.Cleanup(func() { _ = pg.Stop(context.Background()) })
	admin, err := sql.Open("pgx", pg.DSN("postgres", "postgres"))
	if err != nil {
		s.TB.Fatal(err)
	}
	defer admin.Close()
	Exec(s.TB, admin, "CREATE ROLE "+AppRole+" LOGIN")
	Exec(s.TB, admin, "CREATE DATABASE veinte")
	postgresTool(s.TB, "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", dump, pg.DSN("veinte", "postgres"))
	owner, err := sql.Open("pgx", pg.DSN("veinte", "postgres"))
	if err != nil {
		s.TB.Fatal(err)
	}
	s.TB.Cleanup(func() { _ = owner.Close() })
	there := &SealedTrail{TB: s.TB, Owner: owner, URL: pg.DSN("veinte", AppRole), DSN: pg.DSN("veinte", "postgres"), Keys: s.Keys, Dir: s.Dir}
	there.Seals = there.Process(s.Dir)
	return there
}

func (s *SealedTrail) Dump() string {
	s.TB.Helper()
	file := filepath.Join(s.TB.TempDir(), "dump.sql")
	postgresTool(s.TB, "pg_dump", "-f", file, s.DSN)
	return file
}

// Unguarded lets the database's superuser do what triggers prevent.
func (s *SealedTrail) Unguarded() {
	s.TB.Helper()
	Exec(s.TB, s.Owner, `DO $$ DECLARE t regclass; BEGIN
		FOR t IN SELECT tgrelid FROM pg_trigger WHERE NOT tgisinternal AND tgfoid = 'refuse_change'::regproc LOOP
			EXECUTE format('ALTER TABLE %s DISABLE TRIGGER USER', t);
		END LOOP; END $$`)
}

// IdOf is the entry that is leaf n.
func (s *SealedTrail) IdOf(n int) int64 {
	s.TB.Helper()
	return int64(Count(s.TB, s.Owner, `SELECT entry_id FROM sealed_entries WHERE n = $1`, n))
}

func (s *SealedTrail) DB() *database.DB { return Open(s.TB, s.URL) }

// Verify verifies with the public key and checkpoints that were stored outside.
func (s *SealedTrail) Verify(outside ...string) *verify.Verdict {
	s.TB.Helper()
	v, err := wiring.Over(s.DB()).Verify.VerifyTrail(s.TB.Context(), verify.TrailCheck{Keys: s.Keys.Verifiers(), Checkpoints: outside})
	if err != nil {
		s.TB.Fatal(err)
	}
	return v
}

func (s *SealedTrail) Checkpoint() string {
	s.TB.Helper()
	c, err := wiring.Over(s.DB()).Sealing.LatestCheckpoint(s.TB.Context())
	if err != nil || c == nil {
		s.TB.Fatalf("LatestCheckpoint = %v, %v", c, err)
	}
	return c.Note
}
