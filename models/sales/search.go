package sales

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/cards"
)

// search is what a text of the search box can mean. Empty fields are not searched;
// if all are empty, nothing is found.
type search struct {
	order string // the beginning of an order number, or any part of it from partOfOrder characters on
	// A whole order number with the terminal at its end, for a sale that is recorded
	// with the number without it.
	head, serial string
	name         string // a whole folio, authorization or reference
	last4        string
	second       string // four to six digits of the time in an order number as terminals write it
	minute       string // of the sale on the clock of the cut-off or its store's: 18:20, 9:05; 18:2 is ten of them
	// The amounts that a number may be the beginning of: 164 is any from 164.00 to 164.99.
	// 0 for none: no sale has that amount.
	amount, most models.Money
}

// partOfOrder is how long a text must be to be searched inside order numbers: an
// amount or four digits would match many.
const partOfOrder = 6

var (
	amountTyped = regexp.MustCompile(`^(\$?)\s*(\d{1,3}(?:,\d{3})+|\d+)(\.\d*)?\s*(?i:MXN)?$`)
	minuteTyped = regexp.MustCompile(`^\d{1,2}:\d{0,2}$`)
	// A card as tickets and our own list print it: masking characters, then four
	// digits.
	maskedCard = regexp.MustCompile(`^[\pL\d ]*[*·•.xX#]{2,}[*·•.xX#\s-]*(\d{4})$`)
	// An order number with the ten digits of its terminal. Scanners that are set to
	// another keyboard layout replace the hyphen by another character; people leave it out.
	withSerial = regexp.MustCompile(`^(?:([0-9A-Z]+)[-'/?´_‐‑–]|([0-9]{12}))([0-9]{10})$`)
)

// readSaleSearch returns what a text may mean. Surrounding space, such as the Enter
// or tab of a scanner, and upper or lower case are ignored.
func readSaleSearch(text string) search {
	var s search
	if !models.Storable(text) || wholeCard(text) {
		return s // it cannot be stored, or is a whole card number
	}
	text = strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || models.Invisible(r) })
	if text == "" {
		return s
	}
	if m := maskedCard.FindStringSubmatch(text); m != nil {
		s.last4 = m[1]
		return s
	}
	if m := amountTyped.FindStringSubmatch(text); m != nil {
		s.amount, _ = models.ParseMoney(strings.TrimSuffix(strings.ReplaceAll(m[2], ",", "")+m[3], "."))
		s.most = s.amount + []models.Money{99, 99, 9, 0}[min(len(m[3]), 3)]
		if m[1] != "" {
			return s // with a currency sign it is only an amount
		}
	}
	s.order, s.name = strings.ToUpper(text), strings.ToUpper(text)
	if m := withSerial.FindStringSubmatch(s.order); m != nil {
		s.head, s.serial = m[1]+m[2], m[3]
		s.order = s.head + "-" + s.serial
	}
	if minuteTyped.MatchString(text) {
		s.minute = strings.TrimPrefix(text, "0")
		if strings.HasPrefix(s.minute, ":") {
			s.minute = "0" + s.minute // 00:15 is 0:15
		}
	}
	if n := len(text); n >= 4 && n <= partOfOrder && strings.Trim(text, "0123456789") == "" {
		s.second = text
		if n == 4 {
			s.last4 = text
		}
	}
	return s
}

// wholeCard is the last check of what is searched. Who read the filter knew the day.
func wholeCard(text string) bool { return cards.InReference(text, time.Time{}) }

var likeLiterals = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// maxAdjacentWords is how many words of a text are each searched for: an amount,
// four digits and a part of the order number are what a ticket shows at a glance.
const maxAdjacentWords = 4

// search narrows the query to everything that a text can mean, because people rarely
// state which. Several words match as a whole, or each of them one field of the same
// sale.
func (q *query) search(text string) {
	where, args := readSaleSearch(text).where()
	if words := strings.Fields(text); len(words) > 1 && len(words) <= maxAdjacentWords && !wholeCard(text) {
		var each []string
		for _, word := range words {
			one, more := readSaleSearch(word).where()
			each, args = append(each, one), append(args, more...)
		}
		where = "(" + where + " OR " + strings.Join(each, " AND ") + ")"
	}
	q.and(where, args...)
}

// where returns the condition of the search, with its arguments.
func (s search) where() (string, []any) {
	begins, within := "", ""
	if s.order != "" {
		begins = likeLiterals.Replace(s.order) + "%"
		if len(s.order) >= partOfOrder {
			within = "%" + begins
		}
	}
	// Six digits are a time, a day or a terminal; half of a day and half of a time are not
	// what anybody reads on a ticket.
	return `(upper(s.order_id) LIKE nullif(?, '')
		OR upper(CASE WHEN ? <> '' AND s.order_id LIKE '____________-%' THEN substring(s.order_id, 14) ELSE s.order_id END)
			LIKE nullif(?, '')
		OR s.order_id LIKE '____________-%' AND substring(s.order_id, 7, 6) LIKE '%' || nullif(?, '') || '%'
		OR to_char(s.sold_at AT TIME ZONE 'America/Mexico_City', 'FMHH24:MI') LIKE nullif(?, '') || '%'
		OR (SELECT to_char(s.sold_at AT TIME ZONE time_zone, 'FMHH24:MI') FROM stores WHERE id = s.store_id) LIKE nullif(?, '') || '%'
		OR (upper(s.order_id), s.serial_number) = (nullif(?, ''), ?)
		OR (upper(s.folio) = nullif(?, '') OR upper(s.auth_code) = nullif(?, '') OR upper(s.reference) = nullif(?, ''))
		OR s.last4 = nullif(?, '') OR s.amount BETWEEN nullif(?::bigint, 0) AND ?
		OR s.state <> ` + models.CancelableSQL + ` AND ? <> '' AND EXISTS (
			SELECT FROM results r WHERE r.sale_id = s.id AND ? IN (upper(r.folio), upper(r.auth_code))))`,
		[]any{
			begins, s.second, within, s.second, s.minute, s.minute, s.head, s.serial, s.name, s.name, s.name, s.last4,
			int64(s.amount), int64(s.most), s.name, s.name,
		}
}

// orderDay returns the day at the beginning of an order number as terminals write
// it, YYMMDDhhmmss and the terminal; "" when there is none. It may differ from the
// sale's business day, so it is only a day to search.
func orderDay(text string) models.Day {
	text = strings.TrimSpace(text)
	if len(text) < 12 || strings.Trim(text[:12], "0123456789") != "" {
		return ""
	}
	at, err := time.Parse("060102150405", text[:12])
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

// daysBefore is how many earlier days are searched when little is found.
const daysBefore = 7

// LittleFound is up to how many sales somebody looks for one of them, which may be of
// another day.
const LittleFound = 10

// FoundElsewhere searches for the filter's text beyond the filter: in every store,
// terminal and state that the actor may see, on its day, the one after it, the week before
// it, and the day in an order number. Newest first; days without a match are omitted.
func (s *Service) FoundElsewhere(ctx context.Context, actor models.Actor, f Filter) ([]FoundOn, error) {
	stores, err := s.terminals.Scope(ctx, actor, 0)
	if err != nil {
		return nil, err
	}
	days := []string{string(f.Day), string(f.Day.Plus(1))}
	for i := range daysBefore {
		if d := f.Day.Plus(-1 - i); d >= "0001-01-01" { // PostgreSQL has no year 0
			days = append(days, string(d))
		}
	}
	if d := orderDay(f.Query); d != "" {
		days = append(days, string(d))
	}
	q := &query{args: []any{days}}
	q.and("s.store_id = ANY(?)", stores)
	q.search(f.Query)
	rows, err := s.db.Pool().Query(ctx, `SELECT business_day::text, count(*) FROM sales s WHERE s.business_day = ANY($1::date[])`+
		q.where.String()+` GROUP BY business_day ORDER BY business_day DESC`, q.args...)
	if err != nil {
		return nil, fmt.Errorf("look beyond %s: %w", f.Day, err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[FoundOn])
	if err != nil {
		return nil, fmt.Errorf("look beyond %s: %w", f.Day, err)
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
	rows, err := s.db.Pool().Query(ctx, `SELECT terminal_id FROM assignments WHERE store_id = ANY($1)`, stores)
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
