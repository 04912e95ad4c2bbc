package sales

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/database"
)

// search narrows the query to what a text means: every part of it, or the whole as
// one. The parts that are quickly judged come first, so that the others are judged of few
// sales.
func (q *query) search(text string) {
	r := Read(text)
	slices.SortStableFunc(r.Parts, func(a, b Part) int { return cmp.Compare(a.cost(), b.cost()) })
	each := &alternatives{}
	for i := range r.Parts {
		part := r.Parts[i].where()
		each.args = append(each.args, part.args...)
		each.of = append(each.of, "("+part.sql()+")")
	}
	parts := strings.Join(each.of, " AND ")
	if parts == "" {
		parts = "false"
	}
	whole := r.whole.where()
	q.and("("+parts+" OR "+whole.sql()+")", append(each.args, whole.args...)...)
}

// cost orders parts by how long a sale takes to be judged by them: a word, a time and a
// brand some times as long as digits.
func (p *Part) cost() int {
	switch {
	case p.Brand != "":
		return 3
	case len(p.Times) > 0:
		return 2
	case hasLetters(p.Order):
		return 1
	}
	return 0
}

// hasLetters reports whether upper and lower case make a difference.
func hasLetters(s string) bool { return strings.ToLower(s) != s }

// alternatives are conditions of which one is enough, with their arguments. Each is a
// constant text, and only those that can hold are asked: a list of all stores goes
// through a hundred thousand sales.
type alternatives struct {
	of   []string
	args []any
}

func (a *alternatives) or(condition string, args ...any) {
	a.of, a.args = append(a.of, condition), append(a.args, args...)
}

func (a *alternatives) sql() string {
	if len(a.of) == 0 {
		return "false"
	}
	return strings.Join(a.of, " OR ")
}

const (
	// An order number as terminals write it: day, second and the terminal.
	dated = `s.order_id LIKE '____________-%'`
	// An order number without the terminal at its end: its digits tell nothing of the sale.
	orderHead = `CASE WHEN right(s.order_id, 11) = '-' || s.serial_number THEN left(s.order_id, -11) ELSE s.order_id END`
	// The clock of the cut-off, and that of a store with another one.
	cutoffClock = `(s.sold_at AT TIME ZONE 'America/Mexico_City')::time`
	elsewhere   = `s.store_id IN (SELECT id FROM stores WHERE time_zone <> 'America/Mexico_City')`
	ownClock    = `(s.sold_at AT TIME ZONE (SELECT time_zone FROM stores WHERE id = s.store_id))::time`
)

// where returns the conditions of a part of the search.
func (p *Part) where() *alternatives {
	a := &alternatives{}
	if p.Amount != 0 {
		a.or("s.amount BETWEEN ? AND ?", int64(p.Amount), int64(p.Most))
	}
	p.whereCard(a)
	p.whereNumber(a)
	if len(p.Times) > 0 {
		// One look at the clock tells whether it is between the first and the second of
		// these instants, or the third and the fourth.
		bounds := p.bounds()
		a.or("width_bucket("+cutoffClock+", ?::time[]) % 2 = 1", bounds)
		a.or(elsewhere+" AND width_bucket("+ownClock+", ?::time[]) % 2 = 1", bounds)
	}
	switch {
	case len(p.Terminal) == serialDigits:
		a.or("s.serial_number = ?", p.Terminal)
	case p.Terminal != "":
		a.or("s.serial_number LIKE ?", "%"+database.Like(p.Terminal))
	}
	return a
}

// whereCard adds a card's brand and last digits, which belong together where both are
// said.
func (p *Part) whereCard(a *alternatives) {
	const ofBrand = "translate(lower(s.card_brand), 'áéíóú .-_/', 'aeiou') LIKE ANY(?)"
	var spellings []string
	if p.Brand != "" {
		for _, s := range models.BrandSpellings(p.Brand) {
			s += "%" // credit or debit may stand beside it, before it too
			if len(s) > len("visa") {
				s = "%" + s
			}
			spellings = append(spellings, s)
		}
	}
	switch {
	case p.Brand != "" && p.Last4 != "":
		a.or("s.last4 = ? AND "+ofBrand, p.Last4, spellings)
	case p.Brand != "":
		a.or(ofBrand, spellings)
	case p.Last4 != "":
		a.or("s.last4 = ?", p.Last4)
	}
}

// whereNumber adds what tickets print to tell one sale from another.
func (p *Part) whereNumber(a *alternatives) {
	p.whereOrder(a)
	if p.Second != "" {
		a.or(dated+" AND substring(s.order_id, 7, 6) LIKE ?", "%"+p.Second+"%")
	}
	if p.head != "" {
		a.or("(upper(s.order_id), s.serial_number) = (?, ?)", p.head, p.serial)
	}
	if p.Name == "" {
		return
	}
	if hasLetters(p.Name) {
		// How long a text is is known before it is read.
		for _, name := range []string{"s.folio", "s.auth_code", "s.reference"} {
			a.or("octet_length("+name+") = ? AND upper("+name+") = ?", len(p.Name), p.Name)
		}
	} else {
		a.or("(s.folio = ? OR s.auth_code = ? OR s.reference = ?)", p.Name, p.Name, p.Name)
	}
	a.or(`s.state <> `+models.CancelableSQL+` AND EXISTS (
		SELECT FROM results r WHERE r.sale_id = s.id AND ? IN (upper(r.folio), upper(r.auth_code)))`, p.Name)
}

// whereOrder adds the beginning of an order number, or any part of it.
func (p *Part) whereOrder(a *alternatives) {
	if p.Order == "" {
		return
	}
	order, head, begins := "s.order_id", orderHead, database.Like(p.Order)+"%"
	if hasLetters(p.Order) { // else a sale is judged in half the time
		order, head = "upper(s.order_id)", "upper("+orderHead+")"
	}
	if strings.Contains(p.Order, " ") {
		order = "s.order_id LIKE '% %' AND " + order // hardly any has one
	}
	switch digits := strings.Trim(p.Order, "0123456789") == ""; {
	case len(p.Order) < partOfOrder:
		a.or(order+" LIKE ?", begins)
	case !digits:
		a.or(order+" LIKE ?", "%"+begins)
	case p.Second == "":
		a.or(head+" LIKE ?", "%"+begins)
	default:
		// Six digits are a time or a day; half of a day and half of a time are not what
		// anybody reads on a ticket.
		a.or(order+" LIKE ?", begins)
		a.or("NOT "+dated+" AND "+head+" LIKE ?", "%"+begins)
	}
}

// orderDigits is how many digits stand before the terminal in an order number.
const orderDigits = len("YYMMDDhhmmss")

// orderDay returns the day at the beginning of an order number as terminals write
// it, YYMMDDhhmmss and the terminal; "" when there is none. It may differ from the
// sale's business day, so it is only a day to search.
func orderDay(text string) models.Day {
	text = strings.TrimSpace(text)
	if len(text) < orderDigits || strings.Trim(text[:orderDigits], "0123456789") != "" {
		return ""
	}
	at, err := time.Parse("060102150405", text[:orderDigits])
	if err != nil {
		return ""
	}
	return models.Day(at.Format(time.DateOnly))
}

// FoundOn is the number of matching sales of a day.
type FoundOn struct {
	Day   models.Day
	Sales int64
}

// Elsewhere is where a text is found beyond a list, and how far that was looked for.
type Elsewhere struct {
	On       []FoundOn  // newest first; days without a match are omitted
	From, To models.Day // the days in a row that were searched to their end; "" for none
	Order    models.Day // the day that an order number names, searched for it besides; "" for none
}

// daysBefore is how many earlier days are searched when little is found.
const daysBefore = 7

// LittleFound is up to how many sales somebody looks for one of them, which may be of
// another day.
const LittleFound = 10

// MaxElsewhere is how many sales are looked through beyond a list: a week of a hundred
// stores, two days of a thousand. More would keep somebody waiting who looks for today's.
const MaxElsewhere = 60_000

// FoundElsewhere searches for the filter's text beyond the filter, in every store,
// terminal and state that the actor may see: on the day after it, its own, the week before
// it, as far as most sales go, and on the day that an order number names.
func (s *Service) FoundElsewhere(ctx context.Context, actor models.Actor, f Filter, most int) (found Elsewhere, err error) {
	stores, err := s.terminals.Scope(ctx, actor, 0)
	if err != nil {
		return found, err
	}
	found.From, found.To = max(f.Day.Plus(-daysBefore), "0001-01-01"), f.Day.Plus(1) // PostgreSQL has no year 0
	q := &query{args: []any{string(found.From), string(found.To), most}}
	if !actor.AllStores || len(stores) < chainStores { // a chain's index of the day has no stores
		q.stores(stores)
	}
	looked := `(SELECT * FROM sales s WHERE s.business_day BETWEEN $1 AND $2` + q.where.String() + ` ORDER BY s.business_day DESC LIMIT $3)`
	if d := orderDay(f.Query); d != "" && (d < found.From || d > found.To) {
		found.Order = d
		q.and("s.business_day = ? AND s.order_id LIKE ?", string(d), strings.TrimSpace(f.Query)[:orderDigits]+"%")
		looked += ` UNION ALL SELECT * FROM sales s WHERE true` + q.where.String()
	}
	q.where.Reset()
	q.search(f.Query)
	// The plan depends on how many stores and sales there are, so it is made for these.
	rows, err := s.db.Query(ctx, `SELECT business_day::text AS day, count(*) AS looked,
			count(*) FILTER (WHERE true`+q.where.String()+`) AS sales
		FROM (`+looked+`) s GROUP BY business_day ORDER BY business_day DESC`, slices.Insert(q.args, 0, any(pgx.QueryExecModeCacheDescribe))...)
	if err != nil {
		return found, fmt.Errorf("look beyond %s: %w", f.Day, err)
	}
	days, err := pgx.CollectRows(rows, pgx.RowToStructByName[struct {
		FoundOn
		Looked int
	}])
	if err != nil {
		return found, fmt.Errorf("look beyond %s: %w", f.Day, err)
	}
	for i := range days {
		d := &days[i]
		if d.Day != found.Order {
			if most -= d.Looked; most <= 0 { // of the last day there may be more
				if found.From = d.Day.Plus(1); found.From > found.To {
					found.From, found.To = "", ""
				}
				continue
			}
		}
		if d.Sales > 0 {
			found.On = append(found.On, d.FoundOn)
		}
	}
	return found, nil
}

// OwnTerminals returns the terminals that are or were in a store that the actor may
// see, so that a page may name them.
func (s *Service) OwnTerminals(ctx context.Context, actor models.Actor) (map[int64]bool, error) {
	stores, err := s.terminals.Scope(ctx, actor, 0)
	if err != nil {
		return nil, err
	}
	rows, err := s.db.Query(ctx, `SELECT terminal_id FROM assignments WHERE store_id = ANY($1)`, stores)
	if err != nil {
		return nil, fmt.Errorf("list own terminals: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return nil, fmt.Errorf("list own terminals: %w", err)
	}
	own := make(map[int64]bool, len(ids))
	for _, id := range ids {
		own[id] = true
	}
	return own, nil
}
