package oversight

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"time"

	"veinte/models"
	"veinte/models/stats"
)

// FindingKind is a pattern that is checked.
type FindingKind string

// The patterns, in the order in which the page shows them.
const (
	FindPerson   FindingKind = "person"   // a person's cancellations in the period, an outlier in the report
	FindApprover FindingKind = "approver" // the same for who approved them
	FindLate     FindingKind = "late"     // by one person, in the last minutes before the cut-off
	FindCard     FindingKind = "card"     // the same last four digits again and again
	FindOwn      FindingKind = "own"      // one person reported the sale and canceled it
	FindQuick    FindingKind = "quick"    // canceled within a minute of being made
	FindLarge    FindingKind = "large"    // far above what the store usually sells
	FindRefusals FindingKind = "refusals" // one person tries repeatedly and is refused
)

// FindingKinds lists the patterns.
var FindingKinds = []FindingKind{FindPerson, FindApprover, FindLate, FindCard, FindOwn, FindQuick, FindLarge, FindRefusals}

// Finding is one instance of a pattern, with the cancellations behind it.
type Finding struct {
	Kind          FindingKind
	Subject       string // u7 a person, "4242 VISA" a card, s3 a store, or a name as it was typed
	Name          string // of a person, as their last cancellation has it
	ID            int64  // of the person or the store; 0 when it is neither
	Cancellations []Cancellation
	Amount        models.Money // of the cancellations
	// Outlier reports whether it is an outlier; other findings are shown on demand.
	Outlier bool
	Few     bool // too little data to decide
	Row     *Row // of a person or approver
	Late    LateShare
	Chance  float64         // upper bound for how many such cards chance alone brings
	Usual   models.Money    // the store's average sale
	Marks   []OversightMark // oldest first
	New     int             // cancellations that nobody has reviewed
}

// LateShare compares the share of somebody's cancellations in the last minutes with
// everybody's in the weeks before.
type LateShare struct {
	Late, All             int64
	UsuallyLate, UsualAll int64
	stats.Comparison
}

// Cancellation is a cancellation behind a finding, or an entry of the trail.
type Cancellation struct {
	ID          int64 // of the cancellation; of the entry for refusals
	SaleID      int64 // 0 when an entry is about no sale
	OrderID     string
	StoreID     int64
	TerminalID  int64
	Requester   string // u7, k7 or ""
	Name        string // of the requester
	Source      models.SaleSource
	Reason      string
	State       models.State
	Amount      models.Money
	Last4       string
	CardBrand   string
	SoldAt      time.Time
	RequestedAt time.Time     // of an entry: when
	Action      models.Action // of an entry
	Outcome     models.Outcome
}

// OversightMark is somebody's review of a finding.
type OversightMark struct {
	ID            int64
	Marker        string // "" when the user may not see everything that it was about
	MarkerID      int64
	MarkedAt      time.Time
	Note          string
	Cancellations int // how many it covered
	members       []int64
}

// Hidden reports whether the user sees only that there was a review.
func (m *OversightMark) Hidden() bool { return m.Note == "" }

// Last is the id of the newest mark; 0 when there is none.
func (f *Finding) Last() int64 {
	if len(f.Marks) == 0 {
		return 0
	}
	return f.Marks[len(f.Marks)-1].ID
}

// Checksum identifies exactly the cancellations that a page showed.
func (f *Finding) Checksum() string {
	var text []byte
	for _, id := range f.members() {
		text = append(strconv.AppendInt(text, id, 10), ' ')
	}
	return checksum(string(text))
}

// checksum is that of sorted ids, each with a space after it.
func checksum(ids string) string {
	sum := sha256.Sum256([]byte(ids))
	return hex.EncodeToString(sum[:12])
}

func (f *Finding) members() []int64 {
	ids := make([]int64, len(f.Cancellations))
	for i := range f.Cancellations {
		ids[i] = f.Cancellations[i].ID
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// finish sorts the cancellations, newest first, and adds them up.
func (f *Finding) finish() {
	slices.SortFunc(f.Cancellations, func(a, b Cancellation) int {
		return cmp.Or(b.RequestedAt.Compare(a.RequestedAt), cmp.Compare(b.ID, a.ID))
	})
	f.Amount = 0
	for i := range f.Cancellations {
		f.Amount += f.Cancellations[i].Amount
	}
	if f.Name == "" && len(f.Cancellations) > 0 {
		f.Name = f.Cancellations[0].Name
	}
}

// Findings are the instances of the patterns.
type Findings struct {
	Filter Filter // filled
	List   []Finding
	// New counts the unreviewed outliers; FewNew the unreviewed findings with too
	// little data to decide. Both are by kind.
	New, FewNew map[FindingKind]int
	Late        LateShare // of everybody
	// Repeats is the smallest number of repeats for which a card is listed: with so
	// many cancellations, chance brings fewer ones.
	Repeats int
	// Truncated reports that there are more refusals than are read.
	Truncated bool
}

// Unreviewed is the number of findings that nobody has reviewed.
func (f *Findings) Unreviewed() (n int) {
	for _, of := range f.New {
		n += of
	}
	return n
}

// Findings checks the patterns and returns the outliers and the findings with too
// little data to decide; with a kind in the filter, all findings of that kind only.
//
// Errors: ErrForbidden, ErrNotFound for a store outside the scope, what is wrong
// with the filter.
func (o *Service) Findings(ctx context.Context, actor models.Actor, f Filter) (*Findings, error) {
	l, err := o.newQuery(ctx, actor, f)
	if err != nil {
		return nil, err
	}
	found, err := l.findings(ctx)
	if err != nil {
		return nil, fmt.Errorf("find patterns: %w", err)
	}
	return found, nil
}

// Finding returns the one that the filter names by kind and subject.
//
// Errors: as Findings; ErrNotFound when there is none.
func (o *Service) Finding(ctx context.Context, actor models.Actor, f Filter) (*Finding, *Findings, error) {
	found, err := o.Findings(ctx, actor, f)
	if err != nil {
		return nil, nil, err
	}
	if finding := found.Of(f.Kind, f.Subject); finding != nil {
		return finding, found, nil
	}
	return nil, nil, models.ErrNotFound
}

// Of returns the finding of the kind and subject; nil when there is none.
func (f *Findings) Of(kind FindingKind, subject string) *Finding {
	for i := range f.List {
		if f.List[i].Kind == kind && f.List[i].Subject == subject {
			return &f.List[i]
		}
	}
	return nil
}

// sort orders unreviewed outliers first, then by kind and by the number of
// cancellations.
func (f *Findings) sort() {
	class := func(f *Finding) (n int) {
		if !f.Outlier {
			n += 2
		}
		if f.New == 0 {
			n++
		}
		return n
	}
	slices.SortStableFunc(f.List, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(class(&a), class(&b)), cmp.Compare(slices.Index(FindingKinds, a.Kind), slices.Index(FindingKinds, b.Kind)),
			cmp.Compare(a.rank(), b.rank()), cmp.Compare(len(b.Cancellations), len(a.Cancellations)),
			cmp.Compare(b.Amount, a.Amount), cmp.Compare(a.Subject, b.Subject))
	})
}

// rank orders the findings of a kind, the strongest outlier first.
func (f *Finding) rank() float64 {
	if f.Row != nil {
		return -f.Row.Rank
	}
	return -f.Late.AtLeast
}
