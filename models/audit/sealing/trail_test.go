package sealing_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// trail is a sealed trail that these tests tamper with.
type trail struct{ *modelstest.SealedTrail }

func newTrail(tb testing.TB) trail {
	tb.Helper()
	return trail{modelstest.NewSealedTrail(tb)}
}

func (s trail) restored(dump string) trail {
	s.TB.Helper()
	return trail{s.Restored(dump)}
}

// check computes the tree from the entries themselves and compares everything in the
// database and the directory with it.
func (s trail) check() {
	s.TB.Helper()
	rows, err := s.Owner.Query(`SELECT e.id, e.era, e.txid::text::bigint, e.canonical, s.n, s.hash
		FROM audit_entries e JOIN sealed_entries s ON s.entry_id = e.id AND s.at = e.at
		ORDER BY e.era, e.txid, e.id`)
	if err != nil {
		s.TB.Fatal(err)
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
		var leaf trailfile.Leaf
		var n int64
		var hash []byte
		if err := rows.Scan(&leaf.ID, &leaf.Era, &leaf.TxID, &leaf.Canonical, &n, &hash); err != nil {
			s.TB.Fatal(err)
		}
		if n != size || tlog.Hash(hash) != leaf.Hash() {
			s.TB.Fatalf("entry %d is leaf %d, want %d; its hash fits: %t", leaf.ID, n, size, tlog.Hash(hash) == leaf.Hash())
		}
		more, err := tlog.StoredHashes(n, leaf.Bytes(), tree)
		if err != nil {
			s.TB.Fatal(err)
		}
		stored = append(stored, more...)
	}
	if sealed := modelstest.Count(s.TB, s.Owner, `SELECT count(*) FROM sealed_entries`); int64(sealed) != size {
		s.TB.Errorf("%d leaves of %d entries", sealed, size)
	}
	s.checkHashes(stored)
	points, err := s.Owner.Query(`SELECT size, root, note FROM checkpoints ORDER BY size`)
	if err != nil {
		s.TB.Fatal(err)
	}
	defer points.Close()
	last := int64(0)
	for points.Next() {
		var root []byte
		var note string
		if err := points.Scan(&last, &root, &note); err != nil {
			s.TB.Fatal(err)
		}
		c, err := trailfile.Open(note, s.Keys.Verifiers())
		want, treeErr := tlog.TreeHash(last, tree)
		if err != nil || treeErr != nil || c.Root != want || tlog.Hash(root) != want || c.Size != last {
			s.TB.Errorf("checkpoint %d: note %+v, %v, root %x, want %s, %v", last, c, err, root, want, treeErr)
		}
	}
	if last != size {
		s.TB.Errorf("the last checkpoint has %d entries, want %d", last, size)
	}
}

// checkHashes compares the hashes of the tables with the whole tree.
func (s trail) checkHashes(stored []tlog.Hash) {
	s.TB.Helper()
	all := make([]int64, len(stored))
	for i := range all {
		all[i] = int64(i)
	}
	got, err := sealing.TreeOf(s.TB.Context(), modelstest.Open(s.TB, s.URL).Pool()).ReadHashes(all)
	if err != nil {
		s.TB.Fatal(err)
	}
	for i, h := range got {
		if h != stored[i] {
			level, n := tlog.SplitStoredHashIndex(int64(i))
			s.TB.Fatalf("hash %d of level %d is not what tlog computes", n, level)
		}
	}
}

// notes are the checkpoints in a directory, verified.
func (s trail) notes(dir string) []trailfile.Checkpoint {
	s.TB.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "checkpoints-*.txt"))
	if err != nil {
		s.TB.Fatal(err)
	}
	var all []trailfile.Checkpoint
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			s.TB.Fatal(err)
		}
		parts := strings.Split(strings.TrimSuffix(string(text), "\n\n"), "\n\n")
		for i := 0; i+1 < len(parts); i += 2 {
			c, err := trailfile.Open(parts[i]+"\n\n"+parts[i+1]+"\n", s.Keys.Verifiers())
			if err != nil {
				s.TB.Fatalf("%s: %v", file, err)
			}
			all = append(all, c)
		}
	}
	return all
}

// noticed is the trouble that a process shows to those who oversee.
func (s trail) noticed(p *sealing.Service, ahead time.Duration) *sealing.Trouble {
	s.TB.Helper()
	db := modelstest.Open(s.TB, s.URL)
	o := wiring.New(wiring.Config{DB: db, Clock: models.ShiftedClock(ahead), Seals: p})
	// Notices take no longer than two seconds; a first connection may, on a busy machine.
	_, err := p.Status(s.TB.Context())
	if err = errors.Join(err, db.Ready(s.TB.Context())); err != nil {
		s.TB.Fatalf("the database: %v", err)
	}
	return o.Operations.Notices(s.TB.Context()).Sealing
}

func (s trail) sealedBy(p *sealing.Service) int {
	s.TB.Helper()
	n, err := p.Seal(s.TB.Context())
	if err != nil {
		s.TB.Fatalf("Seal: %v", err)
	}
	return n
}

// asSuperuser does what no role of the product may: it turns the guards off, and on again.
func (s trail) asSuperuser(statements ...string) {
	s.TB.Helper()
	tables := []string{"audit_entries", "sealed_entries", "sealed_nodes", "checkpoints"}
	var all []string
	for _, t := range tables {
		all = append(all, "ALTER TABLE "+t+" DISABLE TRIGGER USER")
	}
	for _, statement := range append(append(all, statements...), guarded) {
		modelstest.Exec(s.TB, s.Owner, statement)
	}
}

const guarded = `DO $$ DECLARE t record; BEGIN
	FOR t IN SELECT tgrelid::regclass AS of, tgname FROM pg_trigger WHERE tgenabled = 'D' AND NOT tgisinternal LOOP
		EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', t.of, t.tgname);
	END LOOP; END $$`

// cut deletes everything from leaf n on, and the checkpoints over it.
func (s trail) cut(n int) {
	s.TB.Helper()
	s.asSuperuser(
		`DELETE FROM audit_entries e USING sealed_entries s WHERE s.entry_id = e.id AND s.n >= `+strconv.Itoa(n),
		`DELETE FROM sealed_entries WHERE n >= `+strconv.Itoa(n),
		`DELETE FROM sealed_nodes WHERE (n+1) << (8*level) > `+strconv.Itoa(n),
		`DELETE FROM checkpoints WHERE size > `+strconv.Itoa(n))
}

func (s trail) refused(p *sealing.Service, code string) {
	s.TB.Helper()
	sealed := modelstest.Count(s.TB, s.Owner, `SELECT coalesce(max(size), 0) FROM checkpoints`)
	modelstest.WaitFor(s.TB, "sealing to be refused", func() bool { // it cannot be tried while a transaction of another test runs
		_, err := p.Seal(s.TB.Context())
		return err != nil
	})
	for range 2 {
		_, err := p.Seal(s.TB.Context())
		var trouble *sealing.Trouble
		if !errors.As(err, &trouble) || trouble.Code != code {
			s.TB.Fatalf("Seal = %v, want %s", err, code)
		}
	}
	if t := p.Trouble(); t == nil || t.Code != code {
		s.TB.Errorf("Trouble = %v, want %s", t, code)
	}
	size := modelstest.Count(s.TB, s.Owner, `SELECT coalesce(max(size), 0) FROM checkpoints`)
	modelstest.Wants(s.TB, "entries sealed over a contradiction", size-sealed, 0)
}

// resumes waits until nothing prevents the process from sealing: it cannot be tried
// while a transaction of another test runs.
func (s trail) resumes() {
	s.TB.Helper()
	modelstest.WaitFor(s.TB, "sealing to be resumed", func() bool {
		_, err := s.Seals.Seal(s.TB.Context())
		return err == nil
	})
}

func (s trail) recorded(action models.Action) int {
	return modelstest.Count(s.TB, s.Owner, `SELECT count(*) FROM audit_entries WHERE action = $1`, string(action))
}
