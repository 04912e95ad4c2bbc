package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"veinte/models/audit/trailfile"
	"veinte/models/database"
)

// archivedMonth is a month which an entry states to be archived. The entry alone
// proves nothing: whoever may write could have written it. While it holds, entries
// of the month are not reported as missing, but their content is unknown until the
// month's file is supplied.
type archivedMonth struct {
	ArchivedMonth
	claimed int64  // the leaf of that entry
	wrong   string // why the claim does not hold; "" when it does
	read    bool   // its file was supplied, and fits
	absent  int64  // leaves of it whose entries are missing
}

// covers reports whether a leaf may lack its entry by the claim.
func (a *archivedMonth) covers(n int64) bool {
	return a != nil && a.wrong == "" && n >= a.From && n < a.To
}

// readArchived reads which months entries state to be archived, and whether that is
// true. An entry that was just written and is not sealed yet counts: it excuses no
// more than it will when it is sealed.
func (t *trailRun) readArchived(ctx context.Context, tx pgx.Tx) error {
	rows, _ := tx.Query(ctx, `SELECT coalesce(s.n, $1) AS n, e.canonical FROM audit_entries e LEFT JOIN sealed_entries s ON s.entry_id = e.id
		WHERE e.action = 'audit.archived' AND e.outcome = 'success' ORDER BY s.n`, t.leaves)
	t.archived = map[string]*archivedMonth{}
	err := database.Each(rows, func(e *struct {
		N         int64
		Canonical []byte
	},
	) error {
		var record struct {
			After ArchivedMonth `json:"after"`
		}
		if json.Unmarshal(e.Canonical, &record) == nil && record.After.Month != "" {
			t.archived[record.After.Month] = &archivedMonth{ArchivedMonth: record.After, claimed: e.N}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, month := range t.archived {
		if err := month.judge(ctx, tx); err != nil {
			return err
		}
	}
	t.readArchives()
	return nil
}

// judge compares a claim with the leaves that are sealed as of its month: it must
// cover all of them, and the month must be deleted from the database.
func (a *archivedMonth) judge(ctx context.Context, tx pgx.Tx) error {
	first, err := time.Parse("2006-01", a.Month)
	if err != nil {
		a.wrong = "no month"
		return nil
	}
	var here bool
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
			WHERE i.inhparent = 'audit_entries'::regclass AND c.relname = $3)
		OR EXISTS (SELECT FROM audit_entries e JOIN sealed_entries s ON s.entry_id = e.id
			WHERE e.at >= $1 AND e.at < $2 AND s.n < $4)`,
		first, first.AddDate(0, 1, 0), first.Format("audit_entries_2006_01"), a.claimed).Scan(&here)
	if err != nil {
		return err
	}
	// Entries that were written later with a time of that month are no part of what
	// was archived and do not make the claim false: whoever may write could add one.
	// They are reported as back-dated.
	rows, err := tx.Query(ctx, `SELECT n, hash FROM sealed_entries WHERE at >= $1 AND at < $2 AND n < $3 ORDER BY n`,
		first, first.AddDate(0, 1, 0), a.claimed)
	if err != nil {
		return err
	}
	defer rows.Close()
	sealed, err := ReadLeavesOfMonth(rows)
	switch {
	case err != nil:
		return err
	case here:
		a.wrong = "the month is still here"
	case sealed.From != a.From || sealed.To != a.To || sealed.Entries != a.Entries:
		a.wrong = fmt.Sprintf("%d entries of leaves %d to %d were put away, %d of leaves %d to %d are sealed as of that month",
			a.Entries, a.From, a.To-1, sealed.Entries, sealed.From, sealed.To-1)
	case a.Leaves != sealed.Sum:
		a.wrong = "other entries were put away than are sealed as of that month"
	case a.claimed < a.To:
		a.wrong = "it was said before the month was over"
	}
	return nil
}

// LeavesOfMonth reads what was sealed as of a month; its arguments are the month's
// beginning and the next one's.
const LeavesOfMonth = `SELECT n, hash FROM sealed_entries WHERE at >= $1 AND at < $2 ORDER BY n`

// MonthLeaves are the leaves of a month: its entries in [from, to), and the checksum
// over them.
type MonthLeaves struct {
	From, To, Entries int64
	Sum               string
}

// leafRows are rows of whichever driver.
type leafRows interface {
	Next() bool
	Scan(into ...any) error
	Err() error
}

func ReadLeavesOfMonth(rows leafRows) (m MonthLeaves, err error) {
	sum := NewLeafSum()
	var n int64
	var hash []byte
	for rows.Next() {
		if err := rows.Scan(&n, &hash); err != nil {
			return m, err
		}
		if sum.Leaves == 0 {
			m.From = n
		}
		sum.Add(n, tlog.Hash(hash))
		m.To = n + 1
	}
	m.Entries, m.Sum = sum.Leaves, sum.String()
	return m, rows.Err()
}

// leafSum computes the checksum over the archived leaves.
type leafSum struct {
	Leaves int64
	sum    hash.Hash
}

func NewLeafSum() *leafSum { return &leafSum{sum: sha256.New()} }

func (s *leafSum) Add(n int64, h tlog.Hash) {
	s.Leaves++
	fmt.Fprintf(s.sum, "%d %s\n", n, h)
}

func (s *leafSum) String() string { return hex.EncodeToString(s.sum.Sum(nil)) }

// readArchives verifies the supplied files of archived months. A file that is of no
// month that lacks its entries, or does not fit, leaves that month undecided.
func (t *trailRun) readArchives() {
	for i, file := range t.check.Archives {
		if why := t.readArchive(file); why != "" {
			name := fmt.Sprintf("file %d", i+1)
			if named, ok := file.(interface{ Name() string }); ok {
				name = named.Name()
			}
			t.found(t.last.Size, Finding{Code: FindNotArchive, N: -1, Detail: name + ": " + why})
		}
	}
}

func (t *trailRun) readArchive(file io.Reader) string {
	whole, leaves := sha256.New(), NewLeafSum()
	v := trailfile.Verify(io.TeeReader(file, whole), trailfile.Check{Keys: t.check.Keys, Entry: leaves.Add})
	if v.State != trailfile.Intact {
		return fmt.Sprintf("it is not intact: %s", v.Findings[0])
	}
	name := hex.EncodeToString(whole.Sum(nil))
	for _, month := range t.archived {
		if month.SHA256 != name {
			continue
		}
		if month.Leaves != leaves.String() {
			return "it holds other entries than were put away"
		}
		month.read = true
		return ""
	}
	return "no entry of the trail says that it was put away, SHA-256 " + name
}

// checkArchived adds the findings about archived months, after all entries were
// read.
func (t *trailRun) checkArchived() {
	for _, month := range t.archived {
		switch {
		case month.wrong != "":
			t.found(month.claimed, Finding{Code: FindArchive, N: month.claimed, Detail: month.Month + ": " + month.wrong})
		case month.absent > 0 && !month.read:
			t.found(month.From, Finding{Code: FindArchived, N: month.From, Month: month.Month, Count: month.absent})
		}
	}
}
