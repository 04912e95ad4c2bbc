package review

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"veinte/models"
	"veinte/models/database"
)

// Kind is why an item waits for a supervisor.
type Kind string

// The kinds, in the order in which the inbox shows them.
const (
	ReviewDoubt    Kind = "doubt"    // it is unknown whether the sale is canceled
	ReviewConflict Kind = "conflict" // something contradicts the state of a cancellation
	ReviewResult   Kind = "result"   // a terminal's post is unmatched, or contradicts what is known
)

// Kinds lists the kinds.
var Kinds = []Kind{ReviewDoubt, ReviewConflict, ReviewResult}

// Item is one item that waits for a supervisor.
type Item struct {
	Kind         Kind
	Since        time.Time
	Sale         *models.Sale         // nil for an unmatched result
	Store        *models.Store        // of the sale
	Cancellation *models.Cancellation // of a doubt or conflict
	Result       *models.Result       // of a result
	// NextInquiry is when the next automatic inquiry is due; zero when there is
	// none: then it waits for a person, a report or a late result.
	NextInquiry time.Time
	Tries       int // automatic inquiries sent so far
}

// Overdue reports whether it is a doubt about which nothing more is asked by itself.
func (i *Item) Overdue() bool { return i.Kind == ReviewDoubt && i.NextInquiry.IsZero() }

// MaxReviewed is the limit up to which items of the inbox are counted.
const MaxReviewed = 100

// Page is the inbox: the oldest of each kind first, at most PageSize.
type Page struct {
	Items  []Item
	Counts map[Kind]int // of all items, not only of those on the page
}

// Count is the number of all items.
func (p *Page) Count() (n int) {
	for _, of := range p.Counts {
		n += of
	}
	return n
}

// Review returns what waits for a supervisor in the actor's stores: of one kind,
// or of all.
//
// Errors: ErrForbidden.
func (s *Service) Review(ctx context.Context, actor models.Actor, kind Kind) (*Page, error) {
	if !actor.May(models.ReviewCancellations) {
		return nil, models.ErrForbidden
	}
	page := &Page{}
	var err error
	if page.Counts, err = s.reviewCounts(ctx, actor); err != nil {
		return nil, err
	}
	for _, k := range Kinds {
		if kind != "" && kind != k || page.Counts[k] == 0 {
			continue
		}
		items, err := s.reviewItems(ctx, actor, k)
		if err != nil {
			return nil, fmt.Errorf("list %ss to review: %w", k, err)
		}
		page.Items = append(page.Items, items...)
	}
	return page, nil
}

// ReviewCount returns how many items wait for the actor; 0 for actors who do not
// review.
func (s *Service) ReviewCount(ctx context.Context, actor models.Actor) (n int, err error) {
	if !actor.May(models.ReviewCancellations) {
		return 0, nil
	}
	counts, err := s.reviewCounts(ctx, actor)
	return (&Page{Counts: counts}).Count(), err
}

func (s *Service) reviewCounts(ctx context.Context, actor models.Actor) (map[Kind]int, error) {
	counts := make(map[Kind]int, len(Kinds))
	for _, kind := range Kinds {
		var n int64
		few := s.toReview(ctx, actor, kind).Select("id").Limit(MaxReviewed)
		if err := s.db.Gorm().WithContext(ctx).Table("(?) few", few).Count(&n).Error; err != nil {
			return nil, fmt.Errorf("count %ss to review: %w", kind, err)
		}
		counts[kind] = int(n)
	}
	return counts, nil
}

// toReview is the query of a kind's items in the actor's stores. Each condition
// is the predicate of a partial index.
func (s *Service) toReview(ctx context.Context, actor models.Actor, kind Kind) *gorm.DB {
	g := s.db.Gorm().WithContext(ctx)
	if kind == ReviewResult {
		// A result that raised a conflict is shown with its cancellation.
		q := g.Model(&models.Result{}).Where("status IN " + models.ResultsReviewSQL + " AND reviewed_at IS NULL").
			Where(`NOT EXISTS (SELECT FROM cancellations c
				WHERE c.id = results.cancellation_id AND c.conflict = results.note AND c.reviewed_at IS NULL)`)
		return q.Scopes(database.OfStores(actor))
	}
	q := g.Model(&models.Cancellation{}).Where("state = " + models.UnknownSQL)
	if kind == ReviewConflict {
		q = g.Model(&models.Cancellation{}).Where("conflict <> '' AND reviewed_at IS NULL")
	}
	if !actor.AllStores {
		q = q.Where("store_id IN ?", actor.StoreIDs)
	}
	return q
}
