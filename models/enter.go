package models

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// SaleEntry is one sale as a person types it from a ticket: the customer stands
// there and the sale is not in the list.
type SaleEntry struct {
	TerminalID int64
	// SaleInput holds what Typed gives; the amount may be written $1,250.00. The
	// terminal and the time of the sale are told by the others.
	SaleInput
	Date, Time string // 2026-11-20 and 13:45, by the clock of the terminal's store
	// Reviewed are the warnings that the person was shown and says to have looked
	// at: their codes. It covers no other.
	Reviewed []string
}

// Entered is what became of it.
type Entered struct {
	SaleOutcome
	// Similar is a sale of the same terminal, amount and quarter of an hour with
	// another order number: perhaps this one, mistyped. Zero: none.
	Similar int64
}

// The warnings that only a sale typed by hand can have.
const (
	warnNotToday    = "sale.notToday"
	warnSimilar     = "sale.similar"
	warnOrderUnlike = "sale.orderUnlike"
	warnMuch        = "sale.muchMore"
)

const (
	// similarWithin is how close in time two sales of one amount are looked at twice.
	similarWithin = 15 * time.Minute
	// A point that was left out makes a hundred times of an amount. What is more than
	// the largest sale of its terminal in usualDays is looked at twice; of a terminal
	// with fewer than enoughSales, what is more than muchMore times it.
	muchMore    = 10
	enoughSales = 10
	usualDays   = 30
)

// EnterSale keeps one sale that a person typed. With a warning that the person
// has not reviewed it is not kept: the outcome is SaleSkipped and names them all.
//
// Errors: ErrForbidden. What is wrong with a field is in the outcome.
func (s *Cancellations) EnterSale(ctx context.Context, actor Actor, e SaleEntry) (*Entered, error) {
	if !actor.May(EnterSales) {
		return nil, ErrForbidden
	}
	terminals, err := s.EntryTerminals(ctx, actor)
	if err != nil {
		return nil, err
	}
	in, problems := e.input(terminals, s.clock.Now(), s.Window().Calendar)
	if len(problems) > 0 {
		return &Entered{SaleOutcome: SaleOutcome{Status: SaleRefused, Problems: problems}}, nil
	}
	foreseen, err := s.RecordSales(ctx, actor, Intake{Source: SourceHand, DryRun: true}, []SaleInput{in})
	if err != nil {
		return nil, err
	}
	got := &Entered{SaleOutcome: foreseen[0]}
	if got.Status != SaleCreated {
		return got, s.refusedEntry(ctx, actor, in, got)
	}
	if err := s.orderOfAnother(ctx, actor, got, in); err != nil || got.Status != SaleCreated {
		return got, err
	}
	if err := s.doubt(ctx, got, e.TerminalID, in); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(got.Warnings, func(code string) bool { return !slices.Contains(e.Reviewed, code) }) {
		got.Status = SaleSkipped
		return got, nil
	}
	kept, err := s.RecordSales(ctx, actor, Intake{Source: SourceHand}, []SaleInput{in})
	if err != nil {
		return nil, err
	}
	got.SaleOutcome = kept[0]
	return got, nil
}

// orderOfAnother refuses an order number that is another terminal's: one that ends
// with its serial number, or that a sale of it has in the actor's stores. What one
// charge is asked for twice, under two terminals, is what must never be sent.
func (s *Cancellations) orderOfAnother(ctx context.Context, actor Actor, got *Entered, in SaleInput) error {
	stores, err := s.db.scope(ctx, actor, 0)
	if err != nil {
		return err
	}
	var id int64
	err = s.db.pool.QueryRow(ctx, `SELECT id FROM sales WHERE order_id = $1 AND serial_number <> $2 AND store_id = ANY($3) ORDER BY id LIMIT 1`,
		strings.TrimSpace(in.OrderID), in.SerialNumber, stores).Scan(&id)
	if err != nil && noRows(err) != ErrNotFound {
		return fmt.Errorf("look for the order at other terminals: %w", err)
	}
	_, serial, _ := strings.Cut(strings.TrimSpace(in.OrderID), "-")
	var named bool
	err = s.db.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM terminals WHERE serial_number = $1 AND serial_number <> $2)`, serial, in.SerialNumber).Scan(&named)
	if err != nil {
		return fmt.Errorf("look for the terminal of an order: %w", err)
	}
	if id != 0 || named && orderOfTerminal.MatchString(in.OrderID) {
		got.SaleOutcome = SaleOutcome{Status: SaleRefused, SaleID: id, Problems: []*Error{Invalid("orderId", "sale.orderOfAnother")}}
	}
	return nil
}

// refusedEntry writes a refusal into the trail; what was known already is none.
func (s *Cancellations) refusedEntry(ctx context.Context, actor Actor, in SaleInput, got *Entered) error {
	if got.Status == SaleKnown {
		return nil
	}
	_, err := s.RecordSales(ctx, actor, Intake{Source: SourceHand}, []SaleInput{in})
	return err
}

// input puts the entry into the words that every door uses, and tells all that is
// wrong with it at once when a field cannot be read.
func (e SaleEntry) input(terminals []EntryTerminal, now time.Time, calendar Calendar) (SaleInput, []*Error) {
	in, problems := e.read(terminals)
	if len(problems) == 0 {
		return in, nil
	}
	_, others := in.parse(now, calendar)
	for _, o := range others {
		// What could not be read is missing to the others, and is said already.
		said := o.Field == "serialNumber" || o.Field == "soldAt" ||
			slices.ContainsFunc(problems, func(p *Error) bool { return p.Field == o.Field })
		if !said {
			problems = append(problems, o)
		}
	}
	return in, problems
}

func (e SaleEntry) read(terminals []EntryTerminal) (SaleInput, []*Error) {
	p := &problems{}
	in := SaleInput{Currency: Currency}
	e.Typed(func(name string, _ int, text *string) { *in.Field(name) = *text })
	in.Amount = p.typedAmount(e.Amount)
	zone := time.UTC // of no terminal: its day and hour are judged all the same
	if at := slices.IndexFunc(terminals, func(t EntryTerminal) bool { return t.ID == e.TerminalID }); at >= 0 {
		in.SerialNumber, zone = string(terminals[at].SerialNumber), terminals[at].Store.Zone()
	} else {
		p.add("terminal", "terminal.choose")
	}
	day, errDay := ParseDay(strings.TrimSpace(e.Date))
	if errDay != nil {
		p.add("date", "date.invalid")
	}
	hour, errHour := time.Parse("15:04", strings.TrimSpace(e.Time))
	if errHour != nil {
		p.add("time", "time.invalid")
	}
	if errDay == nil && errHour == nil {
		y, m, d := day.Time(time.UTC).Date()
		in.SoldAt = time.Date(y, m, d, hour.Hour(), hour.Minute(), 0, 0, zone).Format(time.RFC3339)
	}
	return in, p.list
}

// typed is an amount as a ticket prints it: $1,250.00. A comma is one of
// thousands or none: 1250,00 could be either, so it is refused.
var typed = regexp.MustCompile(`^\$? ?(\d+|\d{1,3}(?:,\d{3})+)(\.\d+)?$`)

func (p *problems) typedAmount(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	parts := typed.FindStringSubmatch(s)
	if parts == nil {
		p.add("amount", "amount.invalid")
		return ""
	}
	return strings.ReplaceAll(parts[1], ",", "") + parts[2]
}

// doubt adds what a person should look at before the sale is kept.
func (s *Cancellations) doubt(ctx context.Context, got *Entered, terminalID int64, in SaleInput) error {
	soldAt, err := time.Parse(time.RFC3339, in.SoldAt)
	if err != nil {
		return fmt.Errorf("read time of an entered sale: %w", err)
	}
	calendar := s.Window().Calendar
	if !calendar.sameDay(soldAt, s.clock.Now()) {
		got.Warnings = append(got.Warnings, warnNotToday)
	}
	if !orderOfTerminal.MatchString(in.OrderID) {
		got.Warnings = append(got.Warnings, warnOrderUnlike)
	}
	amount, err := ParseMoney(in.Amount)
	if err != nil {
		return fmt.Errorf("read amount of an entered sale: %w", err)
	}
	much, err := s.muchMore(ctx, terminalID, amount)
	if err != nil {
		return err
	}
	if much {
		got.Warnings = append(got.Warnings, warnMuch)
	}
	err = s.db.pool.QueryRow(ctx, `SELECT id FROM sales WHERE terminal_id = $1 AND amount = $2 AND sold_at BETWEEN $3 AND $4
		ORDER BY abs(extract(epoch FROM sold_at - $5)) LIMIT 1`,
		terminalID, int64(amount), soldAt.Add(-similarWithin), soldAt.Add(similarWithin), soldAt).Scan(&got.Similar)
	switch {
	case noRows(err) == ErrNotFound:
		return nil
	case err != nil:
		return fmt.Errorf("look for similar sales: %w", err)
	}
	got.Warnings = append(got.Warnings, warnSimilar)
	return nil
}

// orderOfTerminal is an order number as terminals write it, see orderWarnings.
var orderOfTerminal = regexp.MustCompile(`^\s*\d{12}-\d{10}\s*$`)

// muchMore reports whether a terminal that has sold at all has sold nothing lately
// that comes near the amount.
func (s *Cancellations) muchMore(ctx context.Context, terminalID int64, amount Money) (bool, error) {
	var most Money
	var sales int
	err := s.db.pool.QueryRow(ctx, `SELECT coalesce(max(amount), 0), count(*) FROM sales WHERE terminal_id = $1 AND sold_at > $2`,
		terminalID, s.clock.Now().AddDate(0, 0, -usualDays)).Scan(&most, &sales)
	if err != nil {
		return false, fmt.Errorf("look for the largest sale of terminal %d: %w", terminalID, err)
	}
	if sales < enoughSales {
		most *= muchMore
	}
	return most > 0 && amount > most, nil
}

// EntryTerminal is a terminal of which a person may enter a sale.
type EntryTerminal struct {
	ID           int64
	SerialNumber SerialNumber
	Label        string
	Store        Store
}

// EntryTerminals lists the terminals that stand in the actor's stores now, by
// store and label.
//
// Errors: ErrForbidden.
func (s *Cancellations) EntryTerminals(ctx context.Context, actor Actor) ([]EntryTerminal, error) {
	if !actor.May(EnterSales) {
		return nil, ErrForbidden
	}
	stores, err := s.db.scope(ctx, actor, 0)
	if err != nil {
		return nil, err
	}
	rows, err := s.db.pool.Query(ctx, `
		SELECT t.id, t.serial_number, t.label, s.id, s.code, s.name, s.time_zone
		FROM terminals t
		JOIN assignments a ON a.terminal_id = t.id AND a.valid_from <= $2 AND (a.valid_to IS NULL OR a.valid_to > $2)
		JOIN stores s ON s.id = a.store_id
		WHERE a.store_id = ANY($1) AND t.retired_at IS NULL
		ORDER BY s.code, t.label, t.serial_number`, stores, s.clock.Now())
	if err != nil {
		return nil, fmt.Errorf("list terminals of %d stores: %w", len(stores), err)
	}
	terminals, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (t EntryTerminal, err error) {
		err = row.Scan(&t.ID, &t.SerialNumber, &t.Label, &t.Store.ID, &t.Store.Code, &t.Store.Name, &t.Store.TimeZone)
		return t, err
	})
	if err != nil {
		return nil, fmt.Errorf("list terminals of %d stores: %w", len(stores), err)
	}
	return terminals, nil
}
