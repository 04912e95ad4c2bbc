package oversight

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

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
func (l *query) cards(ctx context.Context, ground *aggregates, found *Findings) error {
	perStore, all := map[int64]int64{}, int64(0)
	for i := range ground.people {
		if c := &ground.people[i]; c.week == thisWeek {
			perStore[c.store] += c.Requested - c.Dropped
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
	cases, err := l.cardCancellations(ctx, ids)
	if err != nil {
		return err
	}
	for _, last4 := range slices.Sorted(maps.Keys(cases)) {
		for subject, of := range byBrand(last4, cases[last4]) {
			f := Finding{Kind: FindCard, Subject: subject, Name: subject, Outlier: true}
			kept := l.closeUses(cardUsesOf(of), found.Repeats, thresholds)
			f.Cancellations = slices.DeleteFunc(of, func(c Cancellation) bool { return !kept[c.ID] })
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
	id, sale, store int64
	last4           string
	at              time.Time
}

func cardUsesOf(cases []Cancellation) []cardUse {
	swipes := make([]cardUse, len(cases))
	for i := range cases {
		swipes[i] = cardUse{id: cases[i].ID, sale: cases[i].SaleID, store: cases[i].StoreID, at: cases[i].RequestedAt}
	}
	return swipes
}

// repeated returns the cancellations of the last fours that repeat often enough
// within the days, each sale once. They are grouped in Go: sorting a month of
// cancellations by card costs the database more than returning them.
func (l *query) repeated(ctx context.Context, everywhere int, thresholds map[int64]int) ([]int64, error) {
	rows, err := l.db.Pool().Query(ctx, `SELECT case_id, sale_id, store_id, last4, requested_at FROM case_facts
		WHERE day BETWEEN $1 AND $2 AND store_id = ANY($3) AND length(last4) = 4 AND state NOT IN `+models.NeverSentSQL,
		string(l.From), string(l.To), l.stores)
	if err != nil {
		return nil, fmt.Errorf("read cards: %w", err)
	}
	type cardOfSale struct {
		last4 string
		sale  int64
	}
	byCard, at := map[string][]cardUse{}, map[cardOfSale]int{} // a sale's card may have been corrected between its cancellations
	var s cardUse
	_, err = pgx.ForEachRow(rows, []any{&s.id, &s.sale, &s.store, &s.last4, &s.at}, func() error {
		of := byCard[s.last4]
		if i, again := at[cardOfSale{s.last4, s.sale}]; again {
			if s.id > of[i].id {
				of[i] = s
			}
			return nil
		}
		at[cardOfSale{s.last4, s.sale}] = len(of)
		byCard[s.last4] = append(of, s)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read cards: %w", err)
	}
	var ids []int64
	for _, of := range byCard {
		slices.SortFunc(of, func(a, b cardUse) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.id, b.id)) })
		if len(l.closeUses(of, everywhere, thresholds)) == 0 {
			continue
		}
		for i := range of {
			ids = append(ids, of[i].id)
		}
	}
	return ids, nil
}

// closeUses returns the cancellations that are close enough together, everywhere or
// within a store; swipes are of one card, oldest first.
func (l *query) closeUses(swipes []cardUse, everywhere int, thresholds map[int64]int) map[int64]bool {
	kept := map[int64]bool{}
	within := time.Duration(l.Days) * 24 * time.Hour
	keep := func(of []cardUse, times int) {
		for last := times - 1; last < len(of); last++ {
			if first := last - times + 1; of[last].at.Sub(of[first].at) < within {
				for _, s := range of[first : last+1] {
					kept[s.id] = true
				}
			}
		}
	}
	keep(swipes, everywhere)
	inStore := map[int64][]cardUse{}
	for _, s := range swipes {
		inStore[s.store] = append(inStore[s.store], s)
	}
	for store, of := range inStore {
		// A store whose first cancellation came after the count has no threshold
		// yet: the next query includes it.
		if times, counted := thresholds[store]; counted {
			keep(of, times)
		}
	}
	return kept
}

// cardCancellations reads cancellations by their ids, by last four digits, oldest
// first.
func (l *query) cardCancellations(ctx context.Context, ids []int64) (map[string][]Cancellation, error) {
	rows, err := l.db.Pool().Query(ctx, `SELECT `+cancellationColumns+` FROM case_facts f WHERE f.case_id = ANY($1) ORDER BY f.requested_at, f.case_id`, ids)
	if err != nil {
		return nil, fmt.Errorf("read cases of cards: %w", err)
	}
	cases := map[string][]Cancellation{}
	var c Cancellation
	_, err = pgx.ForEachRow(rows, c.into(), func() error {
		cases[c.Last4] = append(cases[c.Last4], c)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read cases of cards: %w", err)
	}
	return cases, nil
}

// byBrand separates cards of different brands. Where only one brand is known,
// cancellations without a brand are counted with it.
func byBrand(last4 string, cases []Cancellation) map[string][]Cancellation {
	brands := map[string]bool{}
	for i := range cases {
		if b := cases[i].CardBrand; b != "" {
			brands[b] = true
		}
	}
	of := map[string][]Cancellation{}
	for _, c := range cases {
		subject := last4
		switch {
		case len(brands) == 1:
			for b := range brands {
				subject += " " + b
			}
		case c.CardBrand != "":
			subject += " " + c.CardBrand
		}
		of[subject] = append(of[subject], c)
	}
	return of
}
