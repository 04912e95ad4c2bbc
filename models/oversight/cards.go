package oversight

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/stats"
)

// Four digits have ten thousand values, and a chain cancels more sales than that, so
// repeats occur by chance. cardChance is how many cards may repeat by chance before
// a number of repeats means nothing.
const (
	fourDigits = 10_000
	cardChance = 0.1
)

// expectedRepeats is an upper bound for how many last fours repeat that often within
// the days by chance alone. It assumes a Poisson distribution over as many windows
// as the period has. Real cards are not distributed evenly, so it is a rough figure,
// and the page says so.
func (l *query) expectedRepeats(times int, cancellations int64) float64 {
	period := float64(l.days())
	window := min(float64(l.Days), period)
	windows := max(period/window, 1)
	return fourDigits * windows * stats.Poisson(int64(times), float64(cancellations)*window/period/fourDigits)
}

// repeats is the smallest number of repeats that is meaningful among so many
// cancellations.
func (l *query) repeats(cancellations int64) int {
	times := l.Times
	for l.expectedRepeats(times, cancellations) > cardChance {
		times++
	}
	return times
}

// cards finds the last four digits that repeat: in all the stores of the query, or
// within one.
func (l *query) cards(ctx context.Context, sums *aggregates, found *Findings) error {
	perStore, all := map[int64]int64{}, int64(0)
	for i := range sums.people {
		if c := &sums.people[i]; c.Week == thisWeek {
			perStore[c.Store] += c.Requested - c.Dropped
			all += c.Requested - c.Dropped
		}
	}
	found.Repeats = l.repeats(all)
	thresholds := map[int64]int{}
	for store, n := range perStore {
		// Each of the stores may bring a card by chance.
		thresholds[store] = min(l.repeats(n*int64(len(perStore))), found.Repeats)
	}
	ids, err := l.repeated(ctx, found.Repeats, thresholds)
	if err != nil {
		return err
	}
	byCard, err := l.cardCancellations(ctx, ids)
	if err != nil {
		return err
	}
	for _, last4 := range slices.Sorted(maps.Keys(byCard)) {
		for subject, of := range byBrand(last4, byCard[last4]) {
			f := Finding{Kind: FindCard, Subject: subject, Name: subject, Outlier: true}
			closeTo := l.closeUses(cardUsesOf(of), found.Repeats, thresholds)
			f.Cancellations = slices.DeleteFunc(of, func(c Cancellation) bool { return !closeTo[c.ID] })
			if len(f.Cancellations) == 0 {
				continue // too few of one brand, or something changed since the count
			}
			f.Chance = l.expectedRepeats(len(f.Cancellations), all)
			found.List = append(found.List, f)
		}
	}
	return nil
}

// cardUse is one cancellation, as far as its card matters.
type cardUse struct {
	ID, SaleID, StoreID int64
	Last4               string
	RequestedAt         time.Time
}

func cardUsesOf(list []Cancellation) []cardUse {
	uses := make([]cardUse, len(list))
	for i := range list {
		c := &list[i]
		uses[i] = cardUse{c.ID, c.SaleID, c.StoreID, c.Last4, c.RequestedAt}
	}
	return uses
}

// repeated returns the cancellations of the last fours that repeat often enough
// within the days, each sale once. They are grouped in Go: sorting a month of
// cancellations by card costs the database more than returning them.
func (l *query) repeated(ctx context.Context, everywhere int, thresholds map[int64]int) ([]int64, error) {
	uses, err := rowsOf[cardUse](ctx, l, `SELECT case_id AS id, sale_id, store_id, last4, requested_at FROM case_facts
		WHERE day BETWEEN $1 AND $2 AND store_id = ANY($3) AND length(last4) = 4 AND state NOT IN `+models.NeverSentSQL,
		string(l.From), string(l.To), l.stores)
	if err != nil {
		return nil, fmt.Errorf("read cards: %w", err)
	}
	type cardOfSale struct { // a sale's card may have been corrected between its cancellations
		last4 string
		sale  int64
	}
	byCard, at := map[string][]cardUse{}, map[cardOfSale]int{}
	for _, u := range uses {
		of, key := byCard[u.Last4], cardOfSale{u.Last4, u.SaleID}
		if i, again := at[key]; !again {
			at[key] = len(of)
			byCard[u.Last4] = append(of, u)
		} else if u.ID > of[i].ID {
			of[i] = u
		}
	}
	var ids []int64
	for _, of := range byCard {
		slices.SortFunc(of, func(a, b cardUse) int {
			return cmp.Or(a.RequestedAt.Compare(b.RequestedAt), cmp.Compare(a.ID, b.ID))
		})
		if len(l.closeUses(of, everywhere, thresholds)) == 0 {
			continue
		}
		for i := range of {
			ids = append(ids, of[i].ID)
		}
	}
	return ids, nil
}

// closeUses returns the cancellations that are close enough together, everywhere or
// within a store; uses are of one card, oldest first.
func (l *query) closeUses(uses []cardUse, everywhere int, thresholds map[int64]int) map[int64]bool {
	found := map[int64]bool{}
	within := time.Duration(l.Days) * 24 * time.Hour
	find := func(of []cardUse, times int) {
		for last := times - 1; last < len(of); last++ {
			if first := last - times + 1; of[last].RequestedAt.Sub(of[first].RequestedAt) < within {
				for _, u := range of[first : last+1] {
					found[u.ID] = true
				}
			}
		}
	}
	find(uses, everywhere)
	inStore := map[int64][]cardUse{}
	for _, u := range uses {
		inStore[u.StoreID] = append(inStore[u.StoreID], u)
	}
	for store, of := range inStore {
		// A store whose first cancellation came after the count has no threshold
		// yet: the next query includes it.
		if times, counted := thresholds[store]; counted {
			find(of, times)
		}
	}
	return found
}

// cardCancellations reads cancellations by their ids, by last four digits, oldest
// first.
func (l *query) cardCancellations(ctx context.Context, ids []int64) (map[string][]Cancellation, error) {
	list, err := rowsOf[Cancellation](ctx, l, `SELECT `+cancellationColumns+` FROM case_facts f
		WHERE f.case_id = ANY($1) ORDER BY f.requested_at, f.case_id`, ids)
	if err != nil {
		return nil, fmt.Errorf("read cancellations of cards: %w", err)
	}
	byCard := map[string][]Cancellation{}
	for i := range list {
		byCard[list[i].Last4] = append(byCard[list[i].Last4], list[i])
	}
	return byCard, nil
}

// byBrand separates cards of different brands. Where only one brand is known,
// cancellations without a brand are counted with it.
func byBrand(last4 string, list []Cancellation) map[string][]Cancellation {
	brands := map[string]bool{}
	for i := range list {
		brands[list[i].CardBrand] = true
	}
	delete(brands, "")
	of := map[string][]Cancellation{}
	for _, c := range list {
		brand := c.CardBrand
		if len(brands) == 1 {
			brand = slices.Collect(maps.Keys(brands))[0]
		}
		subject := strings.TrimSpace(last4 + " " + brand)
		of[subject] = append(of[subject], c)
	}
	return of
}
