package compare

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"veinte/models"
)

// The tables that are compared sale by sale.
const (
	tableSales         = "sales"
	tableCancellations = "cancellations"
	tableAttempts      = "attempts"
)

// compareSales holds sales, their cancellations and attempts against their entries and
// the closing reports, which are bound by their own.
func (r *run) compareSales(ctx context.Context, tx pgx.Tx) error {
	c, err := openSales(ctx, tx)
	if err != nil {
		return err
	}
	var of ofSale
	for n := 0; c.next(&of); n++ {
		if n%fetched == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r.Entries += int64(len(of.entries))
		for i := range of.entries {
			r.LastEntry = max(r.LastEntry, of.entries[i].id)
		}
		s := saleJudge{run: r, of: &of}
		s.sale()
		s.cancellations()
	}
	return c.err()
}

// saleJudge compares one sale.
type saleJudge struct {
	*run
	of *ofSale
	// What the evidence says, and where: an entry, or the closing of a day.
	store, amount, serial, order known
	amounts                      []int64 // that it has had
	undone                       bool    // an entry says that it was taken back

	cases        []foldedCase
	done         bool // cases are folded
	unknownState bool // moves of a cancellation are in an archived month
}

// known is a value that the trail has of a row.
type known struct {
	text  string
	n     int64
	entry int64
	told  bool
}

func (s *saleJudge) differ(kind Kind, table, row, field string, recorded, found string, entry int64) {
	if kind == Changed && field == "amount" && s.maybeCorrected(entry) {
		s.table(table).Archived++
		return
	}
	d := Difference{Kind: kind, Table: table, Row: row, Field: field, Recorded: recorded, Found: found, EntryID: entry, SaleID: s.of.id}
	if s.of.row != nil {
		d.StoreID = s.of.row.store
	} else {
		d.StoreID = s.store.n
	}
	s.add(d)
}

// maybeCorrected reports whether a correction of the sale's amount may be in a month that is
// not here, and behind the entry that says it. No sale is corrected once somebody asked to
// cancel it.
func (s *saleJudge) maybeCorrected(entry int64) bool {
	return s.of.row != nil && s.of.row.received <= s.lastArchived && entry < s.firstKept && len(s.of.cases) == 0
}

// sale compares what identifies a sale and what it was worth.
func (s *saleJudge) sale() {
	s.fold()
	row, table := s.of.row, s.table(tableSales)
	switch {
	case row == nil:
		s.gone(table)
		return
	case !s.amount.told && s.isArchived(row.received):
		table.Archived++
	case !s.amount.told:
		table.NotBound++
	default:
		if s.amount.entry == 0 {
			table.Archived++ // compared with a report whose own entry is not here
		} else {
			table.Compared++
		}
		if s.amount.n != row.amount {
			s.differ(Changed, tableSales, id(row.id), "amount", centavos(s.amount.n), centavos(row.amount), s.amount.entry)
		}
		if s.store.n != row.store {
			s.differ(Changed, tableSales, id(row.id), "store_id", s.storeName(s.store.n), s.storeName(row.store), s.store.entry)
		}
		if s.serial.told && s.serial.text != row.serial {
			s.differ(Changed, tableSales, id(row.id), "serial_number", s.serial.text, row.serial, s.serial.entry)
		}
		if s.order.told && s.order.text != row.order {
			s.differ(Changed, tableSales, id(row.id), "order_id", s.order.text, row.order, s.order.entry)
		}
	}
	s.state()
}

// fold reads what the sale was worth and where it was made. That never changes, except
// for the amount, by a correction: whoever changed the row between two entries stands
// between two that disagree.
func (s *saleJudge) fold() {
	s.amounts = s.amounts[:0]
	for i := range s.of.entries {
		e := &s.of.entries[i]
		switch {
		case e.action == models.ActionSaleUndone:
			s.undone = true
		case !s.amount.told, e.action == models.ActionSaleCorrected:
			if e.before != nil {
				s.amounts = append(s.amounts, *e.before)
			}
			s.amount = known{n: e.amount, entry: e.id, told: true}
			s.amounts = append(s.amounts, e.amount)
		}
		s.holds(&s.store, known{n: e.store, entry: e.id, told: true}, "store_id", s.storeName)
		s.same(&s.serial, known{text: e.serial, entry: e.id, told: true}, "serial_number")
		s.same(&s.order, known{text: e.order, entry: e.id, told: true}, "order_id")
	}
	for i := range s.of.entries {
		if e := &s.of.entries[i]; !s.was(e.amount) {
			s.differ(Changed, tableSales, id(s.of.id), "amount", centavos(s.amount.n), centavos(e.amount), s.amount.entry)
			break
		}
	}
	for i := range s.of.frozen {
		s.frozen(&s.of.frozen[i])
	}
}

// was reports whether the sale has ever had an amount.
func (s *saleJudge) was(amount int64) bool {
	for _, a := range s.amounts {
		if a == amount {
			return true
		}
	}
	return len(s.amounts) == 0
}

// frozen compares what the closing of its day has. A closing whose own bytes are not
// those of its entry is a difference already, and binds nothing. One whose entry is in an
// archived month still has to say what the sale does.
func (s *saleJudge) frozen(f *frozenRow) {
	entry, bound := s.closed[f.day]
	if !bound {
		return
	}
	if !s.was(f.amount) {
		s.differ(Changed, tableSales, id(s.of.id), "amount", centavos(s.amount.n), centavos(f.amount), s.amount.entry)
	}
	if !s.amount.told {
		s.amount = known{n: f.amount, entry: entry, told: true}
		s.amounts = append(s.amounts, f.amount)
	}
	s.holds(&s.store, known{n: f.store, entry: entry, told: true}, "store_id", s.storeName)
}

// holds keeps the first that is said of a number, and finds what contradicts it.
func (s *saleJudge) holds(k *known, now known, field string, name func(int64) string) {
	if !k.told {
		*k = now
	} else if k.n != now.n {
		s.differ(Changed, tableSales, id(s.of.id), field, name(k.n), name(now.n), k.entry)
	}
}

func (s *saleJudge) same(k *known, now known, field string) {
	if !k.told {
		*k = now
	} else if k.text != now.text {
		s.differ(Changed, tableSales, id(s.of.id), field, k.text, now.text, k.entry)
	}
}

// gone judges a sale that is not there.
func (s *saleJudge) gone(table *Table) {
	if s.undone {
		table.Compared++
		return
	}
	if u := s.of.undone; u != nil {
		switch {
		case u.batch != 0 && s.records.undoneImports[u.batch]:
			table.Compared++
			return
		case s.isArchived(u.undone):
			table.Archived++
			return
		}
	}
	if s.amount.told {
		table.Compared++
		s.differ(Missing, tableSales, id(s.of.id), "", centavos(s.amount.n)+" · "+s.storeName(s.store.n), "", s.amount.entry)
	} else if s.of.undone != nil {
		s.differ(Missing, tableSales, id(s.of.id), "", "", "undone_sales", 0)
	}
}

// state compares how the sale stands with how its cancellations do.
func (s *saleJudge) state() {
	want, entry := string(models.SaleCancelable), int64(0)
	for _, c := range s.folded() {
		if want == string(models.SaleConfirmed) || c.state == "" {
			continue
		}
		if c.state != string(models.Withdrawn) {
			want, entry = c.state, c.moved
		}
	}
	if s.unknownState { // at least it stands as its cancellations do
		want, entry = string(models.SaleCancelable), 0
		for _, c := range s.of.cases {
			if want != string(models.SaleConfirmed) && c.state != string(models.Withdrawn) {
				want = c.state
			}
		}
	}
	if found := s.of.row.state; found != want {
		s.differ(Changed, tableSales, id(s.of.id), "state", want, found, entry)
	}
}

func id(n int64) string { return strconv.FormatInt(n, 10) }

func centavos(n int64) string {
	if n < 0 {
		return "-" + models.Money(-n).Decimal()
	}
	return models.Money(n).Decimal()
}

// storeName names a store by its number and code.
func (r *run) storeName(n int64) string {
	if code := r.stores[n]; code != "" {
		return code
	}
	return fmt.Sprintf("#%d", n)
}
