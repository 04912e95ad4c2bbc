package review

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/database"
	"veinte/models/oversight"
	"veinte/models/reconciliation"
)

// Kind is why an item waits for a person.
type Kind string

// The kinds, in the order in which pages show them.
const (
	ReviewDoubt      Kind = "doubt"      // it is unknown whether the sale is canceled
	ReviewConflict   Kind = "conflict"   // something contradicts the state of a cancellation
	ReviewResult     Kind = "result"     // a terminal's post is unmatched, or contradicts what is known
	ReviewAlert      Kind = "alert"      // a rule found something
	ReviewReport     Kind = "report"     // a provider's report that differs in many sales
	ReviewDifference Kind = "difference" // a provider's report says otherwise
	ReviewFinding    Kind = "finding"    // an outlier of the last weeks
)

// Kinds lists the kinds.
var Kinds = []Kind{ReviewDoubt, ReviewConflict, ReviewResult, ReviewAlert, ReviewReport, ReviewDifference, ReviewFinding}

// Item is one item that waits for a person. See the package for what is one.
type Item struct {
	Kind         Kind
	ID           int64 // of the cancellation, result, alert, report or difference; 0 of a finding
	Since        time.Time
	Sale         *models.Sale         // nil when it is about none, or none is known
	Store        *models.Store        // nil when it belongs to none
	Terminal     models.Terminal      // the label, where the directory has it, and the serial number as it was given
	Cancellation *models.Cancellation // of a doubt or conflict
	Result       *models.Result       // of a result; without its body
	Alert        *alerts.Alert
	Differing    *Differing
	Difference   *Difference
	Finding      *oversight.Waiting
	Also         []alerts.Kind // the alerts that are folded into it
	Report       int64         // the reconciliation with a difference that is folded into it; 0: none
	// NextInquiry is when the next automatic inquiry is due; zero when there is
	// none: then it waits for a person, a report or a late result.
	NextInquiry time.Time
	Tries       int // automatic inquiries sent so far
	// Own says that it is about what the reader did: others handle it. Others are the first
	// of them by name.
	Own    bool
	Others []string

	saleID  *int64
	storeID *int64 // of what has no sale
}

// Differing is a provider's report with more differences than are items of their own.
type Differing struct {
	ID          int64
	ProfileName string
	BusinessDay models.Day
	Differences int // those that wait in the reader's stores, at most MaxDifferences
}

// MaxDifferences is the limit up to which the differences of one report are counted.
const MaxDifferences = 1000

// Difference is an item of a provider's report, with the report.
type Difference struct {
	reconciliation.ReportItem
	ProfileName string
	BusinessDay models.Day
}

// Overdue reports whether it is a doubt about which nothing more is asked by itself.
func (i *Item) Overdue() bool { return i.Kind == ReviewDoubt && i.NextInquiry.IsZero() }

// MaxReviewed is the limit up to which items of a kind are counted.
const MaxReviewed = 100

// Counts are how many items wait, by kind: all of them, not only those of a page.
type Counts map[Kind]int

// All is the number of all items.
func (c Counts) All() (n int) {
	for _, of := range c {
		n += of
	}
	return n
}

// PageSize is how many items a page has at most: each is a few sentences long, and nobody
// handles more of them at a time.
const PageSize = 20

// Page is a page of the inbox: the gravest kinds first, and of each the oldest, at most
// PageSize. With a search the counts are of what it finds.
type Page struct {
	Items  []Item
	Counts Counts
	Next   string // where the next page begins; "" when this is the last
}

// Count is the number of all items.
func (p *Page) Count() int { return p.Counts.All() }

// position is where a list continues: after this item. Findings have their place in their
// own list as an id.
type position struct {
	Grade int
	Since time.Time
	ID    int64
}

// Review returns a page of what waits in the actor's stores.
//
// Errors: ErrForbidden, cursor.invalid.
func (s *Service) Review(ctx context.Context, actor models.Actor, f Filter) (*Page, error) {
	if !actor.May(models.Oversee) {
		return nil, models.ErrForbidden
	}
	var after position
	if f.Cursor != "" {
		if err := database.DecodeCursor(f.Cursor, &after); err != nil {
			return nil, err
		}
	}
	page, err := s.waiting(ctx, actor, f, after, PageSize)
	if err != nil {
		return nil, err
	}
	return page, s.recordReading(ctx, actor, page)
}

// First returns the first items of all kinds with what to do about each, and how many there
// are of each kind. It is for the page that says what needs somebody; the trail records
// who read the list.
//
// Errors: ErrForbidden.
func (s *Service) First(ctx context.Context, actor models.Actor, n int) ([]Item, Counts, error) {
	if !actor.May(models.Oversee) {
		return nil, nil, models.ErrForbidden
	}
	page, err := s.waiting(ctx, actor, Filter{}, position{}, n)
	if err != nil {
		return nil, nil, err
	}
	return page.Items, page.Counts, nil
}

// ReviewCount returns how many items wait for the actor; 0 for actors who do not
// review.
func (s *Service) ReviewCount(ctx context.Context, actor models.Actor) (int, error) {
	if !actor.May(models.ReviewCancellations) {
		return 0, nil
	}
	counts, err := s.Counts(ctx, actor)
	return counts.All(), err
}

// Counts returns how many items there are of each kind.
//
// Errors: ErrForbidden.
func (s *Service) Counts(ctx context.Context, actor models.Actor) (Counts, error) {
	if !actor.May(models.Oversee) {
		return nil, models.ErrForbidden
	}
	findings, err := s.oversight.Unreviewed(ctx, actor)
	if err != nil {
		return nil, fmt.Errorf("count findings to review: %w", err)
	}
	counts := Counts{ReviewFinding: len(findings)}
	batch := &pgx.Batch{}
	database.Generic(batch, func() { queueCounts(batch, actor, nil, counts) })
	if err := s.db.SendBatch(ctx, batch); err != nil {
		return nil, fmt.Errorf("count what is to review: %w", err)
	}
	return counts, nil
}

func queueCounts(batch *pgx.Batch, actor models.Actor, found *search, counts Counts) {
	sql := countsSQL
	if found != nil {
		sql = countsFoundSQL
	}
	args := append([]any{actor.AllStores, actor.StoreIDs, actor.May(models.ReconcileSales)}, found.arguments()...)
	batch.Queue(sql, args...).Query(func(rows pgx.Rows) error {
		var kind Kind
		var n int
		_, err := pgx.ForEachRow(rows, []any{&kind, &n}, func() error {
			counts[kind] = n
			return nil
		})
		return err
	})
}

// waiting reads the items after a position in two round trips: which they are with the
// counts, and then what is shown of them.
func (s *Service) waiting(ctx context.Context, actor models.Actor, f Filter, after position, most int) (*Page, error) {
	dir, err := s.terminals.Directory(ctx)
	if err != nil {
		return nil, err
	}
	findings, err := s.oversight.Unreviewed(ctx, actor)
	if err != nil {
		return nil, fmt.Errorf("list findings to review: %w", err)
	}
	found := read(f.Query, dir, actor)
	findings = found.findings(findings)
	page := &Page{Counts: Counts{ReviewFinding: len(findings)}}
	batch := &pgx.Batch{}
	var grades []int
	database.Generic(batch, func() {
		queueCounts(batch, actor, found, page.Counts)
		sql := openSQL
		if found != nil {
			sql = openFoundSQL
		}
		args := append([]any{
			actor.AllStores, actor.StoreIDs, actor.May(models.ReconcileSales), string(f.Kind), after.Grade, after.Since, after.ID, most + 1,
		}, found.arguments()...)
		batch.Queue(sql, args...).Query(func(rows pgx.Rows) error {
			var grade int
			var i Item
			_, err := pgx.ForEachRow(rows, []any{&i.Kind, &grade, &i.ID, &i.Since, &i.saleID}, func() error {
				page.Items, grades = append(page.Items, i), append(grades, grade)
				i.saleID = nil
				return nil
			})
			return err
		})
	})
	if err := s.db.SendBatch(ctx, batch); err != nil {
		return nil, fmt.Errorf("list what is to review: %w", err)
	}
	if f.Kind == "" || f.Kind == ReviewFinding {
		seen := 0
		if after.Grade == findingGrade {
			seen = min(max(int(after.ID), 0), len(findings))
		}
		for n := seen; n < len(findings) && len(page.Items) <= most; n++ {
			page.Items = append(page.Items, Item{Kind: ReviewFinding, ID: int64(n + 1), Since: findings[n].At, Finding: &findings[n]})
			grades = append(grades, findingGrade)
		}
	}
	if len(page.Items) > most {
		page.Items = page.Items[:most]
		last := page.Items[most-1]
		page.Next = database.EncodeCursor(position{grades[most-1], last.Since, last.ID})
	}
	page.Items, err = s.fill(ctx, actor, dir, page.Items)
	return page, err
}

// recordReading records that the actor read alerts, if there are any among the items.
func (s *Service) recordReading(ctx context.Context, actor models.Actor, page *Page) error {
	shown := 0
	for i := range page.Items {
		if page.Items[i].Alert != nil {
			shown++
		}
	}
	if shown == 0 {
		return nil
	}
	return s.recordAlerts(ctx, actor, true, shown)
}

// folded are the items into which alerts and differences can be folded.
func folded(items []Item) (sales []int64) {
	for i := range items {
		if id := items[i].saleID; id != nil && items[i].Kind != ReviewAlert {
			sales = append(sales, *id)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(sales)))
}
