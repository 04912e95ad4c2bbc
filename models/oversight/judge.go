package oversight

import (
	"maps"
	"slices"
	"strconv"

	"veinte/models/stats"
)

func (u *Usual) add(t CancellationTally, against SalesTally) {
	u.Weeks++
	u.Canceled += t.Canceled
	u.Amount += t.Amount
	u.Against.add(against)
}

// subjectBuckets are the counts of one subject, by week and store.
type subjectBuckets struct {
	key   string
	weeks map[int]map[int64]CancellationTally
}

// soldBy are the sums of sales by week and by store or terminal.
type soldBy map[int]map[int64]SalesTally

func (s soldBy) add(week int, of int64, t SalesTally) {
	if s[week] == nil {
		s[week] = map[int64]SalesTally{}
	}
	sum := s[week][of]
	sum.add(t)
	s[week][of] = sum
}

// baseline is the data that the subjects of a report are compared with.
type baseline struct {
	by                By
	subjects          map[string]*subjectBuckets
	stores, terminals soldBy
	neighbors         map[int64][]int64          // the terminals of a store
	storeOf           map[int64]int64            // of a terminal
	canceled          map[string]int64           // in the period, by subject
	inStore           map[int64]map[string]int64 // and by store
}

func newBaseline(by By, buckets []bucket, sold []soldBucket) *baseline {
	b := &baseline{
		by: by, subjects: map[string]*subjectBuckets{}, stores: soldBy{}, terminals: soldBy{}, neighbors: map[int64][]int64{},
		storeOf: map[int64]int64{}, canceled: map[string]int64{}, inStore: map[int64]map[string]int64{},
	}
	for _, s := range sold {
		b.stores.add(s.Week, s.Store, s.SalesTally)
		b.terminals.add(s.Week, s.Terminal, s.SalesTally)
		if s.Week == thisWeek {
			b.storeOf[s.Terminal] = s.Store
			b.neighbors[s.Store] = append(b.neighbors[s.Store], s.Terminal)
		}
	}
	for i := range buckets {
		b.add(&buckets[i])
	}
	return b
}

func (b *baseline) add(c *bucket) {
	s := b.subjects[c.Key]
	if s == nil {
		s = &subjectBuckets{key: c.Key, weeks: map[int]map[int64]CancellationTally{}}
		b.subjects[c.Key] = s
	}
	if s.weeks[c.Week] == nil {
		s.weeks[c.Week] = map[int64]CancellationTally{}
	}
	s.weeks[c.Week][c.Store] = c.CancellationTally
	if c.Week != thisWeek {
		return
	}
	b.canceled[c.Key] += c.Canceled
	if b.inStore[c.Store] == nil {
		b.inStore[c.Store] = map[string]int64{}
	}
	b.inStore[c.Store][c.Key] = c.Canceled
}

// judge makes a row for each subject that did anything in the period, and compares
// it with its own earlier weeks and with the others.
func (b *baseline) judge() []Row {
	var rows []Row
	for _, key := range slices.Sorted(maps.Keys(b.subjects)) {
		s := b.subjects[key]
		if s.weeks[thisWeek] == nil {
			continue
		}
		row := b.row(s)
		row.Own = row.own()
		switch b.by {
		case ByPerson, ByApprover:
			row.Peers = b.colleagues(s)
		case ByTerminal:
			id := idOf(key)
			row.StoreID = b.storeOf[id]
			row.Peers = b.neighbours(id, b.neighbors[row.StoreID], b.terminals[thisWeek])
		case ByStore:
			row.Peers = b.neighbours(idOf(key), slices.Collect(maps.Keys(b.stores[thisWeek])), b.stores[thisWeek])
		default:
			row.Peers.Few = true
		}
		row.rank()
		rows = append(rows, row)
	}
	return rows
}

// row adds up what a subject did, and the sales of its scope.
func (b *baseline) row(s *subjectBuckets) Row {
	row := Row{Key: s.key, Line: make([]float64, usualWeeks+1)}
	for week := thisWeek; week < usualWeeks; week++ {
		var did CancellationTally
		for _, t := range s.weeks[week] {
			did.add(t)
		}
		against, known := b.against(s, week)
		row.Line[usualWeeks-1-week] = share(did.Canceled, against, known)
		switch {
		case week == thisWeek:
			row.CancellationTally, row.Against = did, against
		case known:
			row.Usual.add(did, against)
		}
	}
	return row
}

// share is the part of the sales that was canceled; negative where it is not known.
func share(canceled int64, against SalesTally, known bool) float64 {
	if !known || against.Sales == 0 {
		return -1
	}
	return float64(canceled) / float64(against.Sales)
}

// against returns the sales that a subject's cancellations of a week are measured
// against, and whether the week is known. A person is measured against the stores
// where they requested cancellations, and only in the weeks when they did: their
// working hours are not known.
func (b *baseline) against(s *subjectBuckets, week int) (sum SalesTally, known bool) {
	switch b.by {
	case ByPerson, ByApprover:
		for store := range s.weeks[week] {
			sum.add(b.stores[week][store])
		}
		return sum, len(s.weeks[week]) > 0
	case ByReason:
		for _, t := range b.stores[week] {
			sum.add(t)
		}
	case ByTerminal:
		sum = b.terminals[week][idOf(s.key)]
	case ByStore:
		sum = b.stores[week][idOf(s.key)]
	}
	return sum, sum.Sales > 0
}

// own compares a row with its own average: cancellations for each sale.
func (r *Row) own() Judgement {
	u := &r.Usual
	if r.Canceled < minCancellations || u.Weeks < MinWeeks || r.Against.Sales == 0 || u.Against.Sales == 0 {
		return Judgement{Few: true}
	}
	share := float64(r.Against.Sales) / float64(r.Against.Sales+u.Against.Sales)
	return Judgement{Comparison: stats.Compare(r.Canceled, u.Canceled, share)}
}

// colleagues compares a person with the others who requested cancellations in the
// same stores. It expects the same number from each, because working hours are not
// known. Terminal cancellations by an unknown person are left out.
func (b *baseline) colleagues(s *subjectBuckets) Judgement {
	var ours, all int64
	var expected float64
	others := map[string]bool{}
	for store := range s.weeks[thisWeek] {
		people, together := 0, int64(0)
		for key, canceled := range b.inStore[store] {
			if key == "" {
				continue
			}
			people++
			together += canceled
			if key != s.key {
				others[key] = true
			}
		}
		if people < 2 {
			continue // alone there: nothing to compare with
		}
		ours += b.inStore[store][s.key]
		all += together
		expected += float64(together) / float64(people)
	}
	if s.key == "" || len(others) < minOthers || ours < minCancellations {
		return Judgement{Few: true, Others: len(others)}
	}
	return Judgement{Comparison: stats.Compare(ours, all-ours, expected/float64(all)), Others: len(others)}
}

// neighbours compares a terminal with the others of its store, or a store with the
// others that the user sees: cancellations per sale.
func (b *baseline) neighbours(id int64, beside []int64, sold map[int64]SalesTally) Judgement {
	var all, together int64
	for _, other := range beside {
		all += b.canceled[strconv.FormatInt(other, 10)]
		together += sold[other].Sales
	}
	ours, others := b.canceled[strconv.FormatInt(id, 10)], max(len(beside)-1, 0)
	if others < minOthers || ours < minCancellations || sold[id].Sales == 0 {
		return Judgement{Few: true, Others: others}
	}
	return Judgement{Comparison: stats.Compare(ours, all-ours, float64(sold[id].Sales)/float64(together)), Others: others}
}

// rank is how far a row is from normal. It uses the lower bound and not the ratio,
// so that one cancellation of two sales never comes first.
func (r *Row) rank() {
	for _, j := range []Judgement{r.Own, r.Peers} {
		if j.Out() {
			r.Rank = max(r.Rank, j.AtLeast)
		}
	}
}

// Out reports whether the row is an outlier.
func (r *Row) Out() bool { return r.Rank > 0 }

// idOf parses a key that is an id; it returns 0 for any other.
func idOf(key string) (id int64) {
	for i := range len(key) {
		if key[i] < '0' || key[i] > '9' {
			return 0
		}
		id = id*10 + int64(key[i]-'0')
	}
	return id
}
