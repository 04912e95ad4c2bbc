package oversight

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"veinte/models"
)

// Count is what was canceled by a person or for a reason.
type Count struct {
	Key      string // of a person u7, k7 or "" at the terminal itself; of a reason its code
	Name     string // of a person, as they are called now
	Canceled int64
	Amount   models.Money
	Reasons  []Count // of a person, the most first
}

// Most is who canceled in the period and what for, the most first.
type Most struct {
	People  []Count // the first of them
	All     int     // how many people there are
	Reasons []Count
}

// mostPeople is how many of them are named: who wants all has the table.
const mostPeople = 5

func sortCounts(list []Count) {
	slices.SortFunc(list, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Canceled, a.Canceled), cmp.Compare(b.Amount, a.Amount), cmp.Compare(a.Key, b.Key))
	})
}

// most counts the canceled sales of the period by who asked and what for.
func (l *query) most(ctx context.Context) (m Most, err error) {
	counts, err := rowsOf[struct {
		Key, Reason      string
		Canceled, Newest int64
		Amount           models.Money
	}](ctx, l, `SELECT requester AS key, reason, count(*) AS canceled, sum(amount)::bigint AS amount, max(case_id) AS newest
		FROM case_facts WHERE day BETWEEN $1 AND $2 AND store_id = ANY($3) AND state = `+models.ConfirmedSQL+`
		GROUP BY requester, reason ORDER BY requester`, string(l.From), string(l.To), l.stores)
	if err != nil {
		return m, fmt.Errorf("count who canceled and why: %w", err)
	}
	reasons, newest := map[string]*Count{}, map[string]int64{}
	for _, c := range counts {
		if n := len(m.People); n == 0 || m.People[n-1].Key != c.Key {
			m.People = append(m.People, Count{Key: c.Key})
		}
		p := &m.People[len(m.People)-1]
		if reasons[c.Reason] == nil {
			reasons[c.Reason] = &Count{Key: c.Reason}
		}
		p.Reasons = append(p.Reasons, Count{Key: c.Reason, Canceled: c.Canceled, Amount: c.Amount})
		for _, sum := range []*Count{p, reasons[c.Reason]} {
			sum.Canceled += c.Canceled
			sum.Amount += c.Amount
		}
		newest[c.Key] = max(newest[c.Key], c.Newest)
	}
	for _, r := range reasons {
		m.Reasons = append(m.Reasons, *r)
	}
	sortCounts(m.Reasons)
	sortCounts(m.People)
	m.All, m.People = len(m.People), m.People[:min(len(m.People), mostPeople)]
	keys, last := make([]string, len(m.People)), make([]int64, len(m.People))
	for i := range m.People {
		keys[i], last[i] = m.People[i].Key, newest[m.People[i].Key]
		sortCounts(m.People[i].Reasons)
	}
	names, err := l.names(ctx, ByPerson, keys, last)
	for i := range names {
		m.People[i].Name = names[i]
	}
	return m, err
}
