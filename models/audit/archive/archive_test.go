package archive_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"veinte/models"
	"veinte/models/audit/archive"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/verify"
	"veinte/models/database"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// shelf is a trail of three months, sealed: 300 entries of half a year ago, 120 of
// a month later, 80 of now.
type shelf struct {
	*modelstest.SealedTrail
	first, second time.Time // months
	own           *database.DB
	checkpoint    string // the checkpoint of then
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	s := &shelf{SealedTrail: modelstest.NewSealedTrail(t)}
	now := time.Now().UTC()
	s.first = time.Date(now.Year(), now.Month()-6, 1, 0, 0, 0, 0, time.UTC)
	s.second = s.first.AddDate(0, 1, 0)
	s.in(s.first, 1, 300)
	s.in(s.second, 301, 420)
	s.Whole(421, 500) // under one checkpoint: behind another the old ones would be back-dated
	s.own = modelstest.Open(t, s.DSN)
	s.checkpoint = s.Checkpoint()
	return s
}

// in adds entries of a month.
func (s *shelf) in(month time.Time, from, to int) {
	s.TB.Helper()
	modelstest.Exec(s.TB, s.Owner, `SELECT trail.make_month($1)`, month)
	modelstest.Exec(s.TB, s.Owner, strings.Replace(modelstest.WholeEntries, "now() AS at",
		fmt.Sprintf("'%s'::timestamptz + interval '3 days' AS at", month.Format(time.RFC3339)), 1), from, to)
}

func (s *shelf) begin(month string) (*archive.Month, error) {
	s.TB.Helper()
	m, err := archive.Begin(s.TB.Context(), s.own, time.Now(), month)
	if err == nil {
		s.TB.Cleanup(m.Close)
	}
	return m, err
}

// rest seals until everything that is here is.
func (s *shelf) rest() {
	s.TB.Helper()
	modelstest.WaitFor(s.TB, "the rest to be sealed", func() bool {
		if _, err := s.Seals.Seal(s.TB.Context()); err != nil {
			s.TB.Fatalf("Seal: %v", err)
		}
		return modelstest.Count(s.TB, s.Owner, `SELECT count(*) FROM audit_entries e WHERE NOT EXISTS (SELECT FROM sealed_entries s
			WHERE s.entry_id = e.id)`) == 0
	})
}

// file writes the file of a month that was begun.
func (s *shelf) file(m *archive.Month) string {
	s.TB.Helper()
	var b bytes.Buffer
	if err := m.Write(s.TB.Context(), time.Now(), s.Keys.Public(), &b); err != nil {
		s.TB.Fatal(err)
	}
	return b.String()
}

// putAway archives a month, and returns its file.
func (s *shelf) putAway(month time.Time, clock models.Clock) string {
	s.TB.Helper()
	m, err := archive.Begin(s.TB.Context(), s.own, clock.Now(), month.Format("2006-01"))
	if err != nil {
		s.TB.Fatal(err)
	}
	defer m.Close()
	file := s.file(m)
	record, err := m.Compare(strings.NewReader(file), trailfile.Check{Keys: s.Keys.Verifiers()})
	if err == nil {
		err = m.Archive(s.TB.Context(), models.System("command line", "raquel"), clock, record)
	}
	if err != nil {
		s.TB.Fatal(err)
	}
	return file
}

func (s *shelf) is(fact string, want verify.State, code string, files ...string) *verify.Verdict {
	s.TB.Helper()
	check := verify.TrailCheck{Keys: s.Keys.Verifiers(), Checkpoints: []string{s.checkpoint}}
	for _, f := range files {
		check.Archives = append(check.Archives, strings.NewReader(f))
	}
	v, err := wiring.Over(s.DB()).Verify.VerifyTrail(s.TB.Context(), check)
	if err != nil {
		s.TB.Fatal(err)
	}
	if v.State != want || code != "" && (v.First == nil || v.First.Code != code) {
		s.TB.Errorf("%s: the trail is %s, want %s %s\n%s", fact, v.State, want, code, modelstest.FindingsOf(v))
	}
	return v
}

// TestAMonthIsPutAway: with its file the trail is as complete as before; without it,
// or with another file, the verdict is undecided; and changes to other months are
// reported.
func TestAMonthIsPutAway(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	m, err := s.begin(s.second.Format("2006-01"))
	if err != nil {
		t.Fatal(err)
	}
	other := s.file(m)
	m.Close()
	file := s.putAway(s.first, models.ShiftedClock(0))
	modelstest.Wants(t, "entries left", modelstest.Count(t, s.Owner, `SELECT count(*) FROM audit_entries`), 201)
	modelstest.Wants(t, "tables of the month", modelstest.Count(t, s.Owner, `SELECT count(*) FROM pg_class
		WHERE relname = $1`, s.first.Format("audit_entries_2006_01")), 0)
	s.is("before it is sealed that it was archived", verify.Intact, "", file)
	s.Whole(501, 540)
	s.rest()
	if v := s.is("without the file", verify.Undecided, verify.FindArchived); v.First.Month != s.first.Format("2006-01") ||
		v.First.Count != 300 {
		t.Errorf("without the file %d entries of %q are missed", v.First.Count, v.First.Month)
	}
	s.is("with the file", verify.Intact, "", file)
	s.is("with another month's", verify.Undecided, "", other)
	s.is("with both", verify.Undecided, verify.FindNotArchive, file, other)
	s.is("with an edited file", verify.Undecided, "", strings.Replace(file, "cliente", "clienta", 1))
	if v := trailfile.Verify(strings.NewReader(strings.Replace(file, "cliente", "clienta", 1)),
		trailfile.Check{Keys: s.Keys.Verifiers()}); v.State != trailfile.Altered || v.Findings[0].ID == 0 {
		t.Errorf("an edited file is %s, %+v", v.State, v.Findings)
	}
	s.provesOthers()
	s.saysWhere(file)
	there := &shelf{SealedTrail: s.Restored(s.Dump()), checkpoint: s.checkpoint}
	there.Whole(541, 547)
	there.rest()
	modelstest.Wants(t, "entries sealed after a restore", modelstest.Count(t, there.Owner, `SELECT max(size) FROM checkpoints`), 548)
	there.is("restored", verify.Intact, "", file)
	s.Unguarded()
	modelstest.Exec(t, s.Owner, `DELETE FROM audit_entries WHERE id = (SELECT entry_id FROM sealed_entries WHERE n = 310)`)
	if v := s.is("with an entry of another month gone", verify.Altered, verify.FindMissing, file); v.First.N != 310 {
		t.Errorf("leaf %d is named, want 310", v.First.N)
	}
}

// provesOthers proves entries of other months, and that the tree only grew.
func (s *shelf) provesOthers() {
	s.TB.Helper()
	db := s.DB()
	for _, n := range []int64{300, 419, 510} {
		p, err := wiring.Over(db).Sealing.Prove(s.TB.Context(), modelstest.Scan[int64](s.TB, s.Owner, `SELECT entry_id FROM sealed_entries
			WHERE n = $1`, n))
		if err != nil || p.Leaf == nil || tlog.CheckRecord(p.Proof, p.Checkpoint.Size, p.Checkpoint.Root, n, p.Leaf.Hash()) != nil {
			s.TB.Errorf("leaf %d is not proved: %v", n, err)
		}
	}
	before, err := trailfile.Open(s.checkpoint, s.Keys.Verifiers())
	if err != nil {
		s.TB.Fatal(err)
	}
	last, err := wiring.Over(db).Sealing.LatestCheckpoint(s.TB.Context())
	if err != nil {
		s.TB.Fatal(err)
	}
	proof, err := wiring.Over(db).Sealing.ProveConsistency(s.TB.Context(), before.Size, last.Size)
	if err != nil || tlog.CheckTree(proof, last.Size, last.Root, before.Size, before.Root) != nil {
		s.TB.Errorf("the tree of before is not the beginning of today's: %v", err)
	}
}

// saysWhere checks what is reported of the month and of its entries.
func (s *shelf) saysWhere(file string) {
	s.TB.Helper()
	id := modelstest.Scan[int64](s.TB, s.Owner, `SELECT entry_id FROM sealed_entries WHERE n = 41`)
	e, err := wiring.Over(s.DB()).Verify.ArchivedEntry(s.TB.Context(), id)
	if err != nil || e.Month == nil || e.Month.Month != s.first.Format("2006-01") || e.Month.By != "raquel" {
		s.TB.Fatalf("GoneEntry = %+v, %v", e, err)
	}
	months, err := wiring.Over(s.DB()).Verify.TrailMonths(s.TB.Context())
	if err != nil {
		s.TB.Fatal(err)
	}
	last := months[len(months)-1]
	if last.Month != e.Month.Month || last.Archived == nil || last.Entries != 300 || !last.Sealed ||
		last.Archived.SHA256 != fmt.Sprintf("%x", sha256.Sum256([]byte(file))) {
		s.TB.Errorf("the month is listed as %+v", last)
	}
	var away *archive.ErrArchived
	if _, err := s.begin(e.Month.Month); !errors.As(err, &away) || away.Archived.SHA256 != last.Archived.SHA256 {
		s.TB.Errorf("the month again: %v", err)
	}
}

// TestWhereAMonthIsOutlivesTheMonthThatSaysSo: the entry about an archived month
// belongs to a month too, which is archived later itself.
func TestWhereAMonthIsOutlivesTheMonthThatSaysSo(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	first := s.putAway(s.first, models.ShiftedClock(0))
	s.rest()
	var at time.Time
	if err := s.Owner.QueryRow(`SELECT at FROM audit_entries WHERE action = 'audit.archived'`).Scan(&at); err != nil {
		t.Fatal(err)
	}
	later := models.ShiftedClock(150 * 24 * time.Hour)
	modelstest.Exec(t, s.Owner, `SELECT trail.make_month($1)`, later.Now())
	second := s.putAway(at, later)
	s.Seals = sealing.New(sealing.Config{DB: s.DB(), Clock: later, Signers: s.Keys.Signers(), Public: s.Keys.Public(), Dir: s.Dir})
	s.rest()
	modelstest.Wants(t, "months said to be away", modelstest.Count(t, s.Owner, `SELECT count(DISTINCT after->>'month') FROM audit_entries
		WHERE action = 'audit.archived'`), 2)
	s.is("with both files", verify.Intact, "", first, second)
	s.is("with the second alone", verify.Undecided, verify.FindArchived, second)
	months, err := wiring.Over(s.DB()).Verify.TrailMonths(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if last := months[len(months)-1]; last.Month != s.first.Format("2006-01") || !last.At.Equal(at) {
		t.Errorf("the first month is listed as %+v, want as archived at %s", last, at)
	}
}

// TestPuttingAwayHoldsNobodyUp: while a long read of the trail runs the month is not
// archived, and writers of the trail wait less than a person notices.
func TestPuttingAwayHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	m, err := s.begin(s.first.Format("2006-01"))
	if err != nil {
		t.Fatal(err)
	}
	record, err := m.Compare(strings.NewReader(s.file(m)), trailfile.Check{Keys: s.Keys.Verifiers()})
	if err != nil {
		t.Fatal(err)
	}
	reader, err := s.Owner.BeginTx(context.WithoutCancel(t.Context()), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Rollback() }()
	if _, err := reader.Exec(`SELECT count(*) FROM audit_entries`); err != nil {
		t.Fatal(err)
	}
	m.Patience = 2 * time.Second
	done := make(chan error)
	go func() {
		done <- m.Archive(t.Context(), models.System("command line", "raquel"), models.ShiftedClock(0), record)
	}()
	var longest time.Duration
	for writes := 0; ; writes++ {
		select {
		case err := <-done:
			if !errors.Is(err, sealing.ErrMonthLocked) {
				t.Errorf("PutAway = %v, want it busy", err)
			}
			if longest > 2*time.Second || writes == 0 {
				t.Errorf("of %d writes the longest waited %s", writes, longest)
			}
			modelstest.Wants(t, "entries that say it", modelstest.Count(t, s.Owner, `SELECT count(*) FROM audit_entries
				WHERE action = 'audit.archived'`), 0)
			_ = reader.Rollback()
			m.Patience = time.Minute
			if err := m.Archive(t.Context(), models.System("command line", "raquel"), models.ShiftedClock(0), record); err != nil {
				t.Errorf("PutAway when nobody reads any more = %v", err)
			}
			return
		default:
			began := time.Now()
			s.Write(1)
			longest = max(longest, time.Since(began))
		}
	}
}
