package models_test

import (
	"context"
	"database/sql"
	"os"
	osexec "os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/sealing"
	"veinte/models/localpg"
	"veinte/models/modelstest"
)

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

// restored is the sealing of a dump in a cluster of its own.
func (s *sealing) restored(dump string) *sealing {
	s.tb.Helper()
	pg, err := localpg.StartTemporary(s.tb.Context())
	if err != nil {
		s.tb.Fatal(err)
	}
	s.tb.Cleanup(func() { _ = pg.Stop(context.Background()) })
	admin, err := sql.Open("pgx", pg.DSN("postgres", "postgres"))
	if err != nil {
		s.tb.Fatal(err)
	}
	defer admin.Close()
	exec(s.tb, admin, "CREATE ROLE "+modelstest.AppRole+" LOGIN")
	exec(s.tb, admin, "CREATE DATABASE veinte")
	postgresTool(s.tb, "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", dump, pg.DSN("veinte", "postgres"))
	owner, err := sql.Open("pgx", pg.DSN("veinte", "postgres"))
	if err != nil {
		s.tb.Fatal(err)
	}
	s.tb.Cleanup(func() { _ = owner.Close() })
	there := &sealing{tb: s.tb, owner: owner, url: pg.DSN("veinte", modelstest.AppRole), dsn: pg.DSN("veinte", "postgres"), keys: s.keys, dir: s.dir}
	there.seals = there.process(s.dir)
	return there
}

func (s *sealing) dump() string {
	s.tb.Helper()
	file := filepath.Join(s.tb.TempDir(), "dump.sql")
	postgresTool(s.tb, "pg_dump", "-f", file, s.dsn)
	return file
}

// TestADumpGoesOn: restored into another cluster, which counts its transactions
// from the beginning, the trail is sealed on behind what came with it, and every
// checkpoint of before still holds. An older dump, restored under a directory
// that has seen more, is not sealed.
func TestADumpGoesOn(t *testing.T) {
	t.Parallel()
	s := newSealing(t)
	// A cluster that has lived for a while.
	exec(t, s.owner, `DO $$ BEGIN FOR i IN 1..20000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$`)
	s.write(400)
	s.all()
	s.write(7) // not sealed when it is dumped
	older := s.dump()
	s.all()
	s.write(120)
	s.all()
	s.write(5)
	before := s.notes(s.dir)
	there := s.restored(s.dump())
	there.write(300)
	there.all()
	there.check()
	wants(t, "eras", scan[string](t, there.owner, `SELECT string_agg(DISTINCT era::text, ' ') FROM audit_entries`), "1 2")
	wants(t, "entries sealed", count(t, there.owner, `SELECT max(size) FROM checkpoints`), 832)
	db := modelstest.Open(t, there.url)
	last, err := sealing.New(db).LatestCheckpoint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range before {
		proof, err := sealing.New(db).ProveConsistency(t.Context(), c.Size, last.Size)
		if err == nil {
			err = tlog.CheckTree(proof, last.Size, last.Root, c.Size, c.Root)
		}
		if err != nil {
			t.Errorf("the checkpoint of %d entries does not hold any more: %v", c.Size, err)
		}
	}
	again := there.restored(there.dump()) // and once more
	again.write(10)
	again.all()
	again.check()

	old := s.restored(older)
	old.write(1000)
	old.refused(old.seals, sealing.Shorter)
	if err := os.Rename(s.dir, s.dir+".kept"); err != nil {
		t.Fatal(err)
	}
	old.all() // an operator has decided
	old.check()
}
