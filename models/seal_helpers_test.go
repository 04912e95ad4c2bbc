package models_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/modelstest"
	"veinte/models/trail"
)

// sealing is a trail that is sealed.
type sealing struct {
	tb    testing.TB
	owner *sql.DB
	url   string // of the application
	dsn   string // of the owner
	keys  *trail.Keys
	dir   string
	seals *sealing.Service
}

func newKeys(tb testing.TB, more ...string) (*trail.Keys, string) {
	tb.Helper()
	private, _, err := trail.GenerateKey("tienda.example/bitacora")
	if err != nil {
		tb.Fatal(err)
	}
	text := strings.Join(append([]string{private}, more...), "\n")
	keys, err := trail.ParseKeys(text)
	if err != nil {
		tb.Fatal(err)
	}
	return keys, text
}

func newSealing(tb testing.TB) *sealing {
	tb.Helper()
	app, owner := modelstest.URLs(tb)
	db, err := sql.Open("pgx", owner)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	s := &sealing{tb: tb, owner: db, url: app, dsn: owner, dir: filepath.Join(tb.TempDir(), "checkpoints")}
	s.keys, _ = newKeys(tb)
	s.seals = s.process(s.dir)
	return s
}

// process is another process that seals the trail.
func (s *sealing) process(dir string) *sealing.Service {
	s.tb.Helper()
	return sealing.New(sealing.Config{
		DB: modelstest.Open(s.tb, s.url), Clock: models.ShiftedClock(0), Signers: s.keys.Signers(), Dir: dir,
	})
}

// write adds entries in one transaction.
func (s *sealing) write(n int) {
	s.tb.Helper()
	exec(s.tb, s.owner, `INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, canonical)
		SELECT now(), 'x', 'system', 'test.done', 'success', convert_to(gen_random_uuid()::text, 'UTF8') FROM generate_series(1, $1)`, n)
}

// all seals until everything is. Other tests' transactions hold it up for as
// long as they run.
func (s *sealing) all() {
	s.tb.Helper()
	entries := count(s.tb, s.owner, `SELECT count(*) FROM audit_entries`)
	waitFor(s.tb, fmt.Sprintf("%d entries to be sealed", entries), func() bool {
		if _, err := s.seals.Seal(s.tb.Context()); err != nil {
			s.tb.Fatalf("Seal: %v", err)
		}
		return count(s.tb, s.owner, `SELECT coalesce(max(size), 0) FROM checkpoints`) >= entries
	})
}

// check computes the tree from the entries themselves and compares with it all
// that the database and the directory hold.
func (s *sealing) check() {
	s.tb.Helper()
	rows, err := s.owner.Query(`SELECT e.id, e.era, e.txid::text::bigint, e.canonical, s.n, s.hash FROM audit_entries e JOIN sealed_entries s ON s.entry_id = e.id AND s.at = e.at
		ORDER BY e.era, e.txid, e.id`)
	if err != nil {
		s.tb.Fatal(err)
	}
	defer rows.Close()
	var stored []tlog.Hash
	tree := tlog.HashReaderFunc(func(at []int64) ([]tlog.Hash, error) {
		hashes := make([]tlog.Hash, len(at))
		for i, x := range at {
			hashes[i] = stored[x]
		}
		return hashes, nil
	})
	size := int64(0)
	for ; rows.Next(); size++ {
		var leaf trail.Leaf
		var n int64
		var hash []byte
		if err := rows.Scan(&leaf.ID, &leaf.Era, &leaf.TxID, &leaf.Canonical, &n, &hash); err != nil {
			s.tb.Fatal(err)
		}
		if n != size || tlog.Hash(hash) != leaf.Hash() {
			s.tb.Fatalf("entry %d is leaf %d, want %d; its hash fits: %t", leaf.ID, n, size, tlog.Hash(hash) == leaf.Hash())
		}
		more, err := tlog.StoredHashes(n, leaf.Bytes(), tree)
		if err != nil {
			s.tb.Fatal(err)
		}
		stored = append(stored, more...)
	}
	if sealed := count(s.tb, s.owner, `SELECT count(*) FROM sealed_entries`); int64(sealed) != size {
		s.tb.Errorf("%d leaves of %d entries", sealed, size)
	}
	s.checkHashes(stored)
	points, err := s.owner.Query(`SELECT size, root, note FROM checkpoints ORDER BY size`)
	if err != nil {
		s.tb.Fatal(err)
	}
	defer points.Close()
	last := int64(0)
	for points.Next() {
		var root []byte
		var note string
		if err := points.Scan(&last, &root, &note); err != nil {
			s.tb.Fatal(err)
		}
		c, err := trail.Open(note, s.keys.Verifiers())
		want, treeErr := tlog.TreeHash(last, tree)
		if err != nil || treeErr != nil || c.Root != want || tlog.Hash(root) != want || c.Size != last {
			s.tb.Errorf("checkpoint %d: note %+v, %v, root %x, want %s, %v", last, c, err, root, want, treeErr)
		}
	}
	if last != size {
		s.tb.Errorf("the last checkpoint has %d entries, want %d", last, size)
	}
}

// checkHashes compares what the tables give with the whole tree.
func (s *sealing) checkHashes(stored []tlog.Hash) {
	s.tb.Helper()
	all := make([]int64, len(stored))
	for i := range all {
		all[i] = int64(i)
	}
	got, err := sealing.New(modelstest.Open(s.tb, s.url)).SealedHashes(s.tb.Context()).ReadHashes(all)
	if err != nil {
		s.tb.Fatal(err)
	}
	for i, h := range got {
		if h != stored[i] {
			level, n := tlog.SplitStoredHashIndex(int64(i))
			s.tb.Fatalf("hash %d of level %d is not what tlog computes", n, level)
		}
	}
}

// notes are the checkpoints in a directory, verified.
func (s *sealing) notes(dir string) []trail.Checkpoint {
	s.tb.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "checkpoints-*.txt"))
	if err != nil {
		s.tb.Fatal(err)
	}
	var all []trail.Checkpoint
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			s.tb.Fatal(err)
		}
		parts := strings.Split(strings.TrimSuffix(string(text), "\n\n"), "\n\n")
		for i := 0; i+1 < len(parts); i += 2 {
			c, err := trail.Open(parts[i]+"\n\n"+parts[i+1]+"\n", s.keys.Verifiers())
			if err != nil {
				s.tb.Fatalf("%s: %v", file, err)
			}
			all = append(all, c)
		}
	}
	return all
}
