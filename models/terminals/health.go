package terminals

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// Problem is something about the assignment of terminals to stores that an
// administrator should check. A wrong assignment stops cancellations, or shows a
// store's sales to another.
type Problem string

// The problems, worst first.
const (
	ProblemUnknownSerial  Problem = "unknownSerial"  // posts, and nobody has registered it
	ProblemInvalidSerial  Problem = "oddSerial"      // posts under a serial number that is not ten digits
	ProblemNoStore        Problem = "noStore"        // in use, and assigned to no store
	ProblemSharedMerchant Problem = "sharedMerchant" // its merchant id is another terminal's too
	ProblemOtherSerial    Problem = "otherSerial"    // its order numbers contain another serial number
	ProblemNotFound       Problem = "notFound"       // the service last reported that there is no such terminal (19)
	ProblemSharedAddress  Problem = "sharedAddress"  // posts at the address that all share, though it has its own
	ProblemOlderAddress   Problem = "olderAddress"   // posts at an address of a master key before the newest
	ProblemNoSales        Problem = "noSales"        // has posted, but sold nothing for days
	ProblemNeverSeen      Problem = "neverSeen"      // has never posted anything, and was expected to
)

// Problems lists the problems, worst first.
var Problems = []Problem{
	ProblemUnknownSerial, ProblemInvalidSerial, ProblemNoStore, ProblemSharedMerchant,
	ProblemOtherSerial, ProblemNotFound, ProblemSharedAddress, ProblemOlderAddress, ProblemNoSales, ProblemNeverSeen,
}

// ofTerminal reports whether the problem is one of a registered terminal.
func (p Problem) ofTerminal() bool { return slices.Index(Problems, p) > 1 }

// Days without a sale that count as a problem: the default and the maximum.
const (
	DefaultDays = 7
	MaxDays     = 365
)

// since is the instant that many days ago.
func since(now time.Time, days int) time.Time { return now.AddDate(0, 0, -days) }

// TerminalProblem is one problem of a terminal.
type TerminalProblem struct {
	Kind         Problem
	TerminalID   int64  // 0 when nobody has registered it
	SerialNumber string // as posted: it may be invalid
	Label        string
	StoreID      int64 // 0 when it is in no store
	StoreName    string
	MerchantID   string     // of its assignment, or as posted
	Detail       string     // the other serial number, or how many posts came at the shared address
	At           *time.Time // when it last happened; nil when it never did
	OtherID      int64      // the terminal it is mixed up with; 0 when there is none
}

// HealthFilter narrows the list of problems. Zero values do not filter.
type HealthFilter struct {
	Kind   Problem
	Days   int // without a sale that are a problem; 0: DefaultDays
	Cursor string
}

// HealthPage is a page of problems, worst first.
type HealthPage struct {
	Problems []TerminalProblem
	Counts   map[Problem]int64 // of every kind, also those that are filtered out
	Next     string
}

// Total is the number of problems.
func (p *HealthPage) Total() (total int64) {
	for _, n := range p.Counts {
		total += n
	}
	return total
}

// Health returns a page of the problems of all terminals.
//
// Errors: ErrForbidden, filter.invalid, days.invalid or cursor.invalid.
func (s *Service) Health(ctx context.Context, actor models.Actor, f HealthFilter) (*HealthPage, error) {
	now := s.clock.Now()
	if !actor.May(models.ManageTerminals) {
		return nil, models.ErrForbidden
	}
	if f.Days == 0 {
		f.Days = DefaultDays
	}
	switch {
	case f.Kind != "" && !slices.Contains(Problems, f.Kind):
		return nil, models.Invalid("problem", "filter.invalid")
	case f.Days < 1 || f.Days > MaxDays:
		return nil, models.Invalid("days", "days.invalid")
	}
	after, err := parseHealthCursor(f.Cursor)
	if err != nil {
		return nil, err
	}
	page := &HealthPage{}
	if page.Counts, err = s.countProblems(ctx, now, f.Days); err != nil {
		return nil, err
	}
	kinds := Problems
	if f.Kind != "" {
		kinds = []Problem{f.Kind}
	}
	page.Problems, err = database.Rows[TerminalProblem](ctx, s.db, problemsSQL(kinds)+problemLines+`
		WHERE (rank, q.serial_number, coalesce(terminal_id, 0)) > ($5, $6, $7)
		ORDER BY rank, q.serial_number, coalesce(q.terminal_id, 0) LIMIT `+fmt.Sprint(models.PageSize+1),
		append(s.asked(now, f.Days), after.Rank, after.Serial, after.ID)...)
	if err != nil {
		return nil, fmt.Errorf("list problems of terminals: %w", err)
	}
	if len(page.Problems) > models.PageSize {
		page.Problems = page.Problems[:models.PageSize]
		last := &page.Problems[models.PageSize-1]
		page.Next = database.EncodeCursor(healthCursor{slices.Index(Problems, last.Kind), last.SerialNumber, last.TerminalID})
	}
	return page, nil
}

// problemLines selects problems with the terminals and stores that they concern.
const problemLines = ` SELECT kind, coalesce(terminal_id, 0) AS terminal_id,
		q.serial_number, coalesce(p.label, '') AS label, coalesce(p.store_id, 0) AS store_id,
		coalesce(p.store_name, '') AS store_name, q.merchant_id, detail, at, coalesce(other_id, 0) AS other_id
	FROM problems q LEFT JOIN places p ON p.id = q.terminal_id`

// ProblemsOf returns the problems of one terminal, worst first.
//
// Errors: ErrForbidden.
func (s *Service) ProblemsOf(ctx context.Context, actor models.Actor, id int64) ([]TerminalProblem, error) {
	if !actor.May(models.ManageTerminals) {
		return nil, models.ErrForbidden
	}
	list, err := database.Rows[TerminalProblem](ctx, s.db, problemsSQL(Problems[2:])+problemLines+`
		WHERE terminal_id = $5 ORDER BY rank`, append(s.asked(s.clock.Now(), DefaultDays), id)...)
	if err != nil {
		return nil, fmt.Errorf("list problems of terminal %d: %w", id, err)
	}
	return list, nil
}

// CountProblems counts the problems by kind.
//
// Errors: ErrForbidden.
func (s *Service) CountProblems(ctx context.Context, actor models.Actor) (map[Problem]int64, error) {
	now := s.clock.Now()
	if !actor.May(models.ManageTerminals) {
		return nil, models.ErrForbidden
	}
	return s.countProblems(ctx, now, DefaultDays)
}

// WorstProblems counts the problems by kind, and returns the worst of each terminal that
// has one.
//
// Errors: ErrForbidden.
func (s *Service) WorstProblems(ctx context.Context, actor models.Actor) (counts map[Problem]int64, worst map[int64]Problem, err error) {
	if !actor.May(models.ManageTerminals) {
		return nil, nil, models.ErrForbidden
	}
	rows, err := database.Rows[struct {
		Kind            Problem
		Terminal, Count int64
	}](ctx, s.db, problemsSQL(Problems)+` SELECT kind, coalesce(terminal_id, 0) AS terminal, count(*)
		FROM problems GROUP BY rank, kind, 2 ORDER BY rank DESC`, s.asked(s.clock.Now(), DefaultDays)...)
	if err != nil {
		return nil, nil, fmt.Errorf("list the worst problems of terminals: %w", err)
	}
	counts, worst = map[Problem]int64{}, map[int64]Problem{}
	for _, r := range rows { // the worst comes last
		counts[r.Kind] += r.Count
		if r.Terminal != 0 {
			worst[r.Terminal] = r.Kind
		}
	}
	return counts, worst, nil
}

func (s *Service) countProblems(ctx context.Context, now time.Time, days int) (map[Problem]int64, error) {
	type countRow struct {
		Kind  Problem
		Count int64
	}
	rows, err := database.Rows[countRow](ctx, s.db,
		problemsSQL(Problems)+` SELECT kind, count(*) FROM problems GROUP BY kind`, s.asked(now, days)...)
	if err != nil {
		return nil, fmt.Errorf("count problems of terminals: %w", err)
	}
	counts := map[Problem]int64{}
	for _, r := range rows {
		counts[r.Kind] = r.Count
	}
	return counts, nil
}

// healthCursor is the position at which the next page of problems begins.
type healthCursor struct {
	Rank   int
	Serial string
	ID     int64
}

func parseHealthCursor(s string) (c healthCursor, err error) {
	if s == "" {
		return healthCursor{Rank: -1}, nil
	}
	if err := database.DecodeCursor(s, &c); err != nil {
		return c, err
	}
	if !models.Storable(c.Serial) || c.Rank > len(Problems) {
		return c, models.Invalid("cursor", "cursor.invalid")
	}
	return c, nil
}

// problemsSQL starts a query for these kinds of problems. It defines the tables ask,
// places and problems.
func problemsSQL(kinds []Problem) string {
	parts := make([]string, len(kinds))
	for i, kind := range kinds {
		parts[i] = fmt.Sprintf("SELECT %d AS rank, '%s'::text AS kind, k.* FROM (%s) AS k", slices.Index(Problems, kind), kind, problemSQL[kind])
	}
	return askedSQL + assignmentsSQL + ", problems AS (" + strings.Join(parts, " UNION ALL ") + ")"
}
