package archive_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit/archive"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/modelstest"
)

// TestAMonthIsNotPutAway: each reason has its own error, and nothing changes.
func TestAMonthIsNotPutAway(t *testing.T) {
	t.Parallel()
	const month = "2006-01"
	now := time.Now().UTC()
	this := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	s := newShelf(t)
	long := this.AddDate(-2, 0, 0)
	modelstest.Exec(t, s.Owner,
		strings.Replace(modelstest.WholeEntries, "now() AS at", "'"+long.Format(time.RFC3339)+"'::timestamptz AS at", 1), 900, 900)
	for name, want := range map[string]error{
		"": archive.ErrMonthName, "2026": archive.ErrMonthName, "2026-13": archive.ErrMonthName, "2026-8": archive.ErrMonthName,
		"agosto": archive.ErrMonthName, "2026-08-01": archive.ErrMonthName,
		this.Format(month):                    archive.ErrMonthNotOver,
		this.AddDate(0, 5, 0).Format(month):   archive.ErrMonthNotOver,
		this.AddDate(0, -1, 0).Format(month):  archive.ErrMonthYoung,
		this.AddDate(0, -3, 0).Format(month):  archive.ErrMonthYoung,
		this.AddDate(0, -4, 0).Format(month):  archive.ErrNoMonth,
		this.AddDate(-20, 0, 0).Format(month): archive.ErrNoMonth,
		long.Format(month):                    archive.ErrMonthInRest,
	} {
		if _, err := s.begin(name); !errors.Is(err, want) {
			t.Errorf("archive %q = %v, want %v", name, err, want)
		}
	}
	modelstest.Exec(t, s.Owner, `SELECT trail.make_month($1)`, this.AddDate(0, -4, 0))
	if _, err := s.begin(this.AddDate(0, -4, 0).Format(month)); !errors.Is(err, archive.ErrNoMonth) {
		t.Errorf("a month without entries = %v", err)
	}
	// A month is old enough on the day on which the third after it is over.
	if m, err := archive.Begin(t.Context(), s.own, s.first.AddDate(0, 4, 0), s.first.Format(month)); err != nil {
		t.Errorf("a month that ended three months ago = %v", err)
	} else {
		m.Close()
	}
	if _, err := archive.Begin(t.Context(), s.own, s.first.AddDate(0, 4, 0).Add(-time.Second),
		s.first.Format(month)); !errors.Is(err, archive.ErrMonthYoung) {
		t.Errorf("a month that ended three months ago but a second = %v", err)
	}
	if _, err := archive.Begin(t.Context(), s.DB(), now, s.first.Format(month)); !errors.Is(err, archive.ErrNotTrailOwner) {
		t.Errorf("archive as the application = %v", err)
	}
	for _, do := range []string{`DROP TABLE `, `ALTER TABLE audit_entries DETACH PARTITION `, `SELECT count(*) FROM `} {
		if _, err := s.DB().Pool().Exec(t.Context(), do+`trail.`+s.first.Format("audit_entries_2006_01")); err == nil {
			t.Errorf("the application may %s a month", do)
		}
	}
	busy, err := s.begin(s.second.Format(month))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.begin(s.first.Format(month)); !errors.Is(err, archive.ErrArchiving) {
		t.Errorf("a second program = %v", err)
	}
	busy.Close()
	modelstest.Wants(t, "entries", modelstest.Count(t, s.Owner, `SELECT count(*) FROM audit_entries`), 501)
}

// TestAMonthThatIsNotAsSealedStays: entries that are not sealed, deleted, changed,
// or that change while the month is being archived.
func TestAMonthThatIsNotAsSealedStays(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	month := s.first.Format("2006-01")
	keys := trailfile.Check{Keys: s.Keys.Verifiers()}
	refused := func(fact string, want error) {
		t.Helper()
		if _, err := s.begin(month); !errors.Is(err, want) {
			t.Errorf("with %s archive = %v, want %v", fact, err, want)
		}
	}
	writer, err := s.Owner.BeginTx(context.WithoutCancel(t.Context()), nil)
	if err != nil {
		t.Fatal(err)
	}
	late := strings.Replace(modelstest.WholeEntries, "now() AS at", "'"+s.first.Format(time.RFC3339)+"'::timestamptz AS at", 1)
	if _, err := writer.Exec(late, 700, 700); err != nil {
		t.Fatal(err)
	}
	refused("a transaction under way that writes into it", sealing.ErrMonthLocked)
	_ = writer.Rollback()
	m, err := s.begin(month)
	if err != nil {
		t.Fatal(err)
	}
	file := s.file(m)
	record, err := m.Compare(strings.NewReader(file), keys)
	if err != nil {
		t.Fatal(err)
	}
	m.Close()
	next, err := s.begin(s.second.Format("2006-01"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := next.Compare(strings.NewReader(file), keys); !errors.Is(err, archive.ErrOtherFile) ||
		!strings.Contains(err.Error(), "it holds 300 entries") {
		t.Errorf("the file of another month = %v", err)
	}
	next.Close()
	foreign, _ := modelstest.NewKeys(t)
	for fact, wrong := range map[string]string{
		"cut": file[:len(file)-9], "empty": "",
		"edited": strings.Replace(file, "cliente", "clienta", 1),
	} {
		if _, err := m.Compare(strings.NewReader(wrong), keys); !errors.Is(err, archive.ErrOtherFile) {
			t.Errorf("a file that is %s = %v", fact, err)
		}
	}
	if _, err := m.Compare(strings.NewReader(file), trailfile.Check{Keys: foreign.Verifiers()}); !errors.Is(err, archive.ErrOtherFile) {
		t.Errorf("a file by another key = %v", err)
	}
	away := func(fact string, want error) {
		t.Helper()
		if err := m.Archive(t.Context(), models.System("command line", "raquel"), models.ShiftedClock(0), record); !errors.Is(err, want) {
			t.Errorf("with %s PutAway = %v, want %v", fact, err, want)
		}
		modelstest.Wants(t, "entries that say it was archived", modelstest.Count(t, s.Owner, `SELECT count(*) FROM audit_entries
			WHERE action = 'audit.archived'`), 0)
	}
	leaves := record.Leaves
	record.Leaves = strings.Repeat("0", 64)
	away("a file of other entries", archive.ErrMonthAltered)
	record.Leaves = leaves
	modelstest.Exec(t, s.Owner, late, 700, 700)
	away("an entry that came meanwhile", archive.ErrMonthUnsealed)
	m.Close()
	refused("an entry that is not sealed", archive.ErrMonthUnsealed)
	s.Unguarded()
	modelstest.Exec(t, s.Owner, `DELETE FROM audit_entries WHERE sale_id = 700`)
	modelstest.Exec(t, s.Owner, `UPDATE audit_entries
		SET canonical = convert_to(replace(convert_from(canonical, 'UTF8'), 'cliente', 'clienta'), 'UTF8') WHERE sale_id = 41`)
	if m, err = s.begin(month); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Compare(strings.NewReader(s.file(m)), keys); !errors.Is(err, archive.ErrOtherFile) ||
		!strings.Contains(err.Error(), "n 40") {
		t.Errorf("with an entry changed = %v, want it named", err)
	}
	m.Close()
	modelstest.Exec(t, s.Owner, `DELETE FROM audit_entries WHERE sale_id = 41`)
	refused("an entry gone", archive.ErrMonthAltered)
}

// TestNothingSealedIsPutAway: where nothing vouches for the entries they stay.
func TestNothingSealedIsPutAway(t *testing.T) {
	t.Parallel()
	s := &shelf{SealedTrail: modelstest.NewSealedTrail(t)}
	s.own = modelstest.Open(t, s.DSN)
	now := time.Now().UTC()
	s.in(time.Date(now.Year(), now.Month()-6, 1, 0, 0, 0, 0, time.UTC), 1, 3)
	halfYearAgo := time.Date(now.Year(), now.Month()-6, 1, 0, 0, 0, 0, time.UTC)
	if _, err := s.begin(halfYearAgo.Format("2006-01")); !errors.Is(err, archive.ErrMonthUnsealed) {
		t.Errorf("archive of what was never sealed = %v", err)
	}
}
