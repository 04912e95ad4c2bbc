package intake

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// ManualSale is one sale as a person types it from a ticket, when the customer is
// present and the sale is not in the list.
type ManualSale struct {
	TerminalID int64
	// SaleInput has the fields that Typed lists; the amount may be written
	// $1,250.00. The terminal and the time of the sale are in the other fields.
	models.SaleInput
	Date, Time string // 2026-11-20 and 13:45, by the clock of the terminal's store
	// Reviewed are the codes of the warnings that the person was shown and accepted.
	// It covers no other warning.
	Reviewed []string
}

// ManualOutcome is the outcome of a manual sale.
type ManualOutcome struct {
	Outcome
	// Similar is a sale of the same terminal, amount and quarter of an hour with
	// another order number: perhaps this one, mistyped. Zero: none.
	Similar int64
}

// The warnings that only a manual sale can have.
const (
	warnNotToday    = "sale.notToday"
	warnSimilar     = "sale.similar"
	warnOrderUnlike = "sale.orderUnlike"
	warnMuch        = "sale.muchMore"
)

const (
	// similarWithin is how close in time two sales of one amount cause a warning.
	similarWithin = 15 * time.Minute
	// A missing decimal point makes an amount a hundred times larger. An amount
	// above the largest sale of its terminal in usualDays causes a warning; for a
	// terminal with fewer than enoughSales, an amount above muchMore times that.
	muchMore    = 10
	enoughSales = 10
	usualDays   = 30
)

// CheckManual returns what RecordManual would, and records nothing.
func (s *Service) CheckManual(ctx context.Context, actor models.Actor, e ManualSale) (*ManualOutcome, error) {
	got, _, err := s.checkManual(ctx, actor, e)
	return got, err
}

// checkManual also returns the sale as it would be recorded: nil if a field cannot be read.
func (s *Service) checkManual(ctx context.Context, actor models.Actor, e ManualSale) (*ManualOutcome, []models.SaleInput, error) {
	terminals, err := s.ManualTerminals(ctx, actor)
	if err != nil {
		return nil, nil, err
	}
	in, problems := e.input(terminals, s.clock.Now(), s.window().Calendar)
	if len(problems) > 0 {
		return &ManualOutcome{Outcome: Outcome{Status: Refused, Problems: problems}}, nil, nil
	}
	foreseen, err := s.RecordSales(ctx, actor, Options{Source: models.SourceManual, DryRun: true}, []models.SaleInput{in})
	if err != nil {
		return nil, nil, err
	}
	got := &ManualOutcome{Outcome: foreseen[0]}
	if got.Status == Created {
		if err := s.warn(ctx, got, e.TerminalID, in); err != nil {
			return nil, nil, err
		}
		if slices.ContainsFunc(got.Warnings, func(code string) bool { return !slices.Contains(e.Reviewed, code) }) {
			got.Status = Skipped
		}
	}
	return got, []models.SaleInput{in}, nil
}

// RecordManual records one sale that a person typed. With a warning that the person
// has not reviewed nothing is recorded: the outcome is Skipped and lists all
// warnings.
//
// Errors: ErrForbidden. What is wrong with a field is in the outcome.
func (s *Service) RecordManual(ctx context.Context, actor models.Actor, e ManualSale) (*ManualOutcome, error) {
	got, in, err := s.checkManual(ctx, actor, e)
	if err != nil || in == nil || got.Status == Skipped || got.Status == Known && len(got.Completed) == 0 {
		return got, err
	}
	// The trail records a refusal too, and what a known sale has from this.
	recorded, err := s.RecordSales(ctx, actor, Options{Source: models.SourceManual}, in)
	if err != nil {
		return nil, err
	}
	if got.Status == Created {
		got.Outcome = recorded[0]
	}
	return got, nil
}

// input converts the manual sale into a SaleInput. When a field cannot be read it
// returns all problems at once.
func (e ManualSale) input(terminals []ManualTerminal, now time.Time, calendar models.Calendar) (models.SaleInput, []*models.Error) {
	in, problems := e.read(terminals)
	if len(problems) == 0 {
		return in, nil
	}
	_, others := parse(in, now, calendar)
	for _, o := range others {
		// A field that could not be read is missing here; its problem is listed
		// already.
		said := o.Field == "serialNumber" || o.Field == "soldAt" ||
			slices.ContainsFunc(problems, func(p *models.Error) bool { return p.Field == o.Field })
		if !said {
			problems = append(problems, o)
		}
	}
	return in, problems
}

func (e ManualSale) read(terminals []ManualTerminal) (models.SaleInput, []*models.Error) {
	p := &problems{}
	in := models.SaleInput{Currency: models.Currency}
	e.Typed(func(name string, _ int, text *string) { *in.Field(name) = *text })
	in.Amount = p.typedAmount(e.Amount)
	zone := time.UTC // without a terminal: the day and the hour are validated all the same
	if at := slices.IndexFunc(terminals, func(t ManualTerminal) bool { return t.ID == e.TerminalID }); at >= 0 {
		in.SerialNumber, zone = string(terminals[at].SerialNumber), terminals[at].Store.Zone()
	} else {
		p.add("terminal", "terminal.choose")
	}
	day, errDay := models.ParseDay(strings.TrimSpace(e.Date))
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

// typed matches an amount as a ticket prints it: $1,250.00. A comma must separate
// thousands: 1250,00 is ambiguous, so it is refused.
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

// warn adds what a person should review before the sale is recorded.
func (s *Service) warn(ctx context.Context, got *ManualOutcome, terminalID int64, in models.SaleInput) error {
	soldAt, err := time.Parse(time.RFC3339, in.SoldAt)
	if err != nil {
		return fmt.Errorf("read time of an entered sale: %w", err)
	}
	calendar := s.window().Calendar
	if !calendar.SameDay(soldAt, s.clock.Now()) {
		got.Warnings = append(got.Warnings, warnNotToday)
	}
	if !orderOfTerminal.MatchString(in.OrderID) && !slices.Contains(got.Warnings, warnOrderOdd) {
		got.Warnings = append(got.Warnings, warnOrderUnlike)
	}
	amount, err := models.ParseMoney(in.Amount)
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
	err = s.db.Pool().QueryRow(ctx, `SELECT id FROM sales WHERE terminal_id = $1 AND amount = $2 AND sold_at BETWEEN $3 AND $4
		ORDER BY abs(extract(epoch FROM sold_at - $5)) LIMIT 1`,
		terminalID, int64(amount), soldAt.Add(-similarWithin), soldAt.Add(similarWithin), soldAt).Scan(&got.Similar)
	switch {
	case database.NoRows(err) == models.ErrNotFound:
		return nil
	case err != nil:
		return fmt.Errorf("look for similar sales: %w", err)
	}
	got.Warnings = append(got.Warnings, warnSimilar)
	return nil
}

// orderOfTerminal is an order number as terminals write it, see orderWarnings.
var orderOfTerminal = regexp.MustCompile(`^\s*\d{12}-\d{10}\s*$`)

// muchMore reports whether the terminal has sold before, but no recent sale of it
// comes near the amount.
func (s *Service) muchMore(ctx context.Context, terminalID int64, amount models.Money) (bool, error) {
	var limit models.Money // 0: it has sold nothing
	err := s.db.Pool().QueryRow(ctx, `SELECT coalesce(max(amount), 0) * CASE WHEN count(*) < $3 THEN $4 ELSE 1 END::bigint
		FROM sales WHERE terminal_id = $1 AND sold_at > $2`,
		terminalID, s.clock.Now().AddDate(0, 0, -usualDays), enoughSales, muchMore).Scan(&limit)
	if err != nil {
		return false, fmt.Errorf("look for the largest sale of terminal %d: %w", terminalID, err)
	}
	return limit > 0 && amount > limit, nil
}

// ManualTerminal is a terminal for which a person may add a manual sale.
type ManualTerminal struct {
	ID           int64
	SerialNumber models.SerialNumber
	Label        string
	Store        models.Store
}

// ManualTerminals lists the terminals that are in the actor's stores now, by store
// and label.
//
// Errors: ErrForbidden.
func (s *Service) ManualTerminals(ctx context.Context, actor models.Actor) ([]ManualTerminal, error) {
	if !actor.May(models.AddManualSales) {
		return nil, models.ErrForbidden
	}
	stores, err := s.terminals.Scope(ctx, actor, 0)
	if err != nil {
		return nil, err
	}
	rows, err := s.db.Pool().Query(ctx, `
		SELECT `+manualTerminals.Values()+`
		FROM terminals t
		JOIN assignments a ON a.terminal_id = t.id AND a.valid_from <= $2 AND (a.valid_to IS NULL OR a.valid_to > $2)
		JOIN stores s ON s.id = a.store_id
		WHERE a.store_id = ANY($1) AND t.retired_at IS NULL
		ORDER BY s.code, t.label, t.serial_number`, stores, s.clock.Now())
	if err != nil {
		return nil, fmt.Errorf("list terminals of %d stores: %w", len(stores), err)
	}
	terminals, err := manualTerminals.Collect(rows, nil)
	if err != nil {
		return nil, fmt.Errorf("list terminals of %d stores: %w", len(stores), err)
	}
	return terminals, nil
}

var manualTerminals = database.Columns[ManualTerminal]{
	{Name: "id", SQL: "t.id", At: func(t *ManualTerminal) any { return &t.ID }},
	{Name: "serial_number", SQL: "t.serial_number", At: func(t *ManualTerminal) any { return &t.SerialNumber }},
	{Name: "label", SQL: "t.label", At: func(t *ManualTerminal) any { return &t.Label }},
	{Name: "store_id", SQL: "s.id", At: func(t *ManualTerminal) any { return &t.Store.ID }},
	{Name: "code", SQL: "s.code", At: func(t *ManualTerminal) any { return &t.Store.Code }},
	{Name: "name", SQL: "s.name", At: func(t *ManualTerminal) any { return &t.Store.Name }},
	{Name: "time_zone", SQL: "s.time_zone", At: func(t *ManualTerminal) any { return &t.Store.TimeZone }},
}
