package oversight

import (
	"context"
	"fmt"
	"slices"

	"veinte/models"
	"veinte/models/stats"
)

// cancellationColumns are the columns of a Cancellation.
const cancellationColumns = `f.case_id AS id, f.sale_id, (SELECT order_id FROM sales s WHERE s.id = f.sale_id) AS order_id,
	f.store_id, f.terminal_id, f.requester, f.requester_name AS name, f.source, f.reason, f.state, f.amount,
	f.last4, f.card_brand, f.sold_at, f.requested_at`

// cancellationsOf reads the canceled sales of people.
func (l *query) cancellationsOf(ctx context.Context, by By, people []Row) (map[string][]Cancellation, error) {
	keys := make([]string, len(people))
	for i := range people {
		keys[i] = people[i].Key
	}
	query := `SELECT f.requester AS subject, ` + cancellationColumns + ` FROM case_facts f
		WHERE f.day BETWEEN $1 AND $2 AND f.store_id = ANY($3) AND f.state = ` + models.ConfirmedSQL + ` AND f.requester = ANY($4)`
	if by == ByApprover {
		query = `SELECT a.approver AS subject, ` + cancellationColumns + ` FROM (SELECT DISTINCT approver, case_id FROM approvals
				WHERE day BETWEEN $1 AND $2 AND store_id = ANY($3) AND approver = ANY($4)) a
			JOIN case_facts f USING (case_id) WHERE f.state = ` + models.ConfirmedSQL
	}
	list, err := rowsOf[struct {
		Subject string
		Cancellation
	}](ctx, l, query, string(l.From), string(l.To), l.stores, keys)
	if err != nil {
		return nil, fmt.Errorf("read cancellations of people: %w", err)
	}
	of := map[string][]Cancellation{}
	for i := range list {
		of[list[i].Subject] = append(of[list[i].Subject], list[i].Cancellation)
	}
	return of, nil
}

const (
	// minLate is how many cancellations the earlier weeks must have before a share
	// of them is meaningful.
	minLate = 20
	// minOwn is the smallest number of own sales canceled that is an outlier:
	// reporting a sale in order to cancel it is a normal use of that source.
	minOwn = 3
	// minQuick is the smallest number of cancellations within a minute that is an
	// outlier.
	minQuick = 3
	// largeTimes is how many times the store's average sale an amount must be to be
	// far above the usual; usualSales is how many sales that average needs.
	largeTimes = 10
	usualSales = 200
)

// flagged is a cancellation with the patterns that it shows by itself.
type flagged struct {
	Cancellation
	Late, Own, Quick, Large bool
}

// flagged finds the patterns of single cancellations, in one pass.
func (l *query) flagged(ctx context.Context, sums *aggregates, found *Findings) error {
	usual := usualSale(sums.sold)
	var stores, least []int64
	for store, mean := range usual {
		stores, least = append(stores, store), append(least, int64(mean)*largeTimes)
	}
	rows, err := rowsOf[flagged](ctx, l, `SELECT * FROM (
			SELECT `+cancellationColumns+`,
				f.requester <> '' AND f.requested_at < f.cutoff_at AND f.requested_at >= f.cutoff_at - $4 * interval '1 minute' AS late,
				f.requester <> '' AND f.teller = f.requester AS own,
				f.requester <> '' AND f.source IN ('terminal', 'api')
					AND f.requested_at >= f.sold_at AND f.requested_at < f.sold_at + interval '1 minute' AS quick,
				f.state = `+models.ConfirmedSQL+` AND coalesce(f.amount >= u.least, false) AS large
			FROM case_facts f LEFT JOIN unnest($5::bigint[], $6::bigint[]) AS u(store_id, least) USING (store_id)
			WHERE f.day BETWEEN $1 AND $2 AND f.store_id = ANY($3) AND f.state NOT IN `+models.NeverSentSQL+`
		) c WHERE late OR own OR quick OR large ORDER BY id DESC`,
		string(l.From), string(l.To), l.stores, l.Minutes, stores, least)
	if err != nil {
		return fmt.Errorf("find patterns of cancellations: %w", err)
	}
	groups := &groups{at: map[[2]string]int{}, seen: map[[3]any]bool{}}
	for i := range rows {
		groups.put(&rows[i])
	}
	judgeLate(sums.people, found, groups.list)
	for i := range groups.list {
		f := &groups.list[i]
		switch f.Kind {
		case FindOwn:
			imported := func(c Cancellation) bool { return c.Source == models.SourceImport }
			f.Outlier = len(f.Cancellations) >= minOwn || slices.ContainsFunc(f.Cancellations, imported)
		case FindQuick:
			f.Outlier = len(f.Cancellations) >= minQuick
		case FindLarge:
			f.Outlier, f.Usual, f.Name = true, usual[f.ID], ""
		}
	}
	found.List = append(found.List, groups.list...)
	return nil
}

// groups collects cancellations into findings, each sale once, by its newest
// cancellation.
type groups struct {
	list []Finding
	at   map[[2]string]int
	seen map[[3]any]bool
}

func (g *groups) put(c *flagged) {
	for kind, shows := range map[FindingKind]bool{FindLate: c.Late, FindOwn: c.Own, FindQuick: c.Quick} {
		if shows {
			g.add(kind, c.Requester, &c.Cancellation)
		}
	}
	if c.Large {
		g.add(FindLarge, fmt.Sprint("s", c.StoreID), &c.Cancellation)
	}
}

func (g *groups) add(kind FindingKind, subject string, c *Cancellation) {
	sale := [3]any{kind, subject, c.SaleID}
	if g.seen[sale] {
		return
	}
	g.seen[sale] = true
	key := [2]string{string(kind), subject}
	i, ok := g.at[key]
	if !ok {
		i = len(g.list)
		g.at[key] = i
		g.list = append(g.list, Finding{Kind: kind, Subject: subject, ID: idOf(subject[1:])})
	}
	g.list[i].Cancellations = append(g.list[i].Cancellations, *c)
}

// usualSale is the average sale of each store that has enough sales.
func usualSale(sold []soldBucket) map[int64]models.Money {
	sums := map[int64]SalesTally{}
	for i := range sold {
		sum := sums[sold[i].Store]
		sum.add(sold[i].SalesTally)
		sums[sold[i].Store] = sum
	}
	usual := map[int64]models.Money{}
	for store, sum := range sums {
		if sum.Sales >= usualSales {
			usual[store] = sum.Amount / models.Money(sum.Sales)
		}
	}
	return usual
}

// judgeLate compares each person's share of cancellations in the last minutes with
// everybody's share in the weeks before.
func judgeLate(people []bucket, found *Findings, list []Finding) {
	all := map[string]int64{}
	for i := range people {
		c := &people[i]
		asked := c.Requested - c.Dropped
		switch {
		case c.Key == "":
		case c.Week == thisWeek:
			all[c.Key] += asked
			found.Late.All += asked
			found.Late.Late += c.Late
		default:
			found.Late.UsualAll += asked
			found.Late.UsuallyLate += c.Late
		}
	}
	found.Late.compare()
	for i := range list {
		f := &list[i]
		if f.Kind != FindLate {
			continue
		}
		f.Late = LateShare{
			Late: int64(len(f.Cancellations)), All: all[f.Subject], UsuallyLate: found.Late.UsuallyLate, UsualAll: found.Late.UsualAll,
		}
		f.Few = !f.Late.compare()
		f.Outlier = !f.Few && f.Late.Out()
	}
}

// compare compares the shares, and reports whether there is enough data.
func (s *LateShare) compare() bool {
	if s.UsualAll < minLate || s.Late < minCancellations {
		return false
	}
	s.Comparison = stats.Compare(s.Late, s.UsuallyLate, float64(s.All)/float64(s.All+s.UsualAll))
	return true
}
