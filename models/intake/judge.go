package intake

import (
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"veinte/models"
	"veinte/models/cards"
)

// oldestSale is the oldest a reported sale may be. It can no longer be canceled, but
// a merchant who starts to use the program may want last year's sales.
const oldestSale = 400 * 24 * time.Hour

// Judge parses every input. Invalid sales are refused, with the name of each field
// at fault.
func (c *Call) Judge(inputs []models.SaleInput, calendar models.Calendar) {
	for i, in := range inputs {
		sale, problems := parse(in, c.Now, calendar)
		var leftOut []*models.Error
		if c.Source == models.SourceImport {
			leftOut, problems = leaveOut(&sale, problems)
		}
		if len(problems) > 0 {
			c.Outcomes[i].Status, c.Outcomes[i].Problems = Refused, problems
			continue
		}
		sale.Source, sale.RecordedBy = c.Source, c.Actor.Name
		if c.BatchID != 0 {
			sale.BatchID = &c.BatchID
		}
		c.sales = append(c.sales, &Candidate{
			Sale: sale, call: c, index: i, statedMerchant: sale.MerchantID, leftOut: leftOut,
			warnings: append(orderWarnings(&sale, calendar), leftOutWarning(leftOut)...),
		})
	}
}

// leaveOut clears the optional facts that cannot be read: an optional column does not
// hold back a file. It returns their problems, and the others.
func leaveOut(s *models.Sale, problems []*models.Error) (left, rest []*models.Error) {
	for _, p := range problems {
		if f := models.Fact(p.Field); f.Optional() {
			*f.Kept(s) = ""
			left = append(left, p)
		} else {
			rest = append(rest, p)
		}
	}
	return left, rest
}

// The warnings of optional facts in a file.
const (
	warnLeftOut = "sale.leftOut"
	warnDiffers = "sale.factsDiffer"
	// WarnCompletes is that of a row which says what a known sale lacks.
	WarnCompletes = "sale.completes"
)

func leftOutWarning(left []*models.Error) []string {
	if len(left) == 0 {
		return nil
	}
	return []string{warnLeftOut}
}

// parse reads every field and returns all problems at once.
func parse(in models.SaleInput, now time.Time, calendar models.Calendar) (models.Sale, []*models.Error) {
	p := &problems{}
	s := models.Sale{State: models.SaleCancelable, ReceivedAt: now}
	for i := range models.SaleFacts {
		if f := &models.SaleFacts[i]; f.Free {
			*f.Kept(&s) = p.text(f.Name, *f.Given(&in), f.Most, f.Required, func(s string) bool { return f.HoldsCard(s, now) })
		}
	}
	s.Last4, s.Currency = p.last4(in.Last4), p.currency(in.Currency)
	s.Amount, s.SoldAt = p.amount(in.Amount), p.soldAt(in.SoldAt, now)
	var err error
	if s.SerialNumber, err = models.ParseSerialNumber(strings.TrimSpace(in.SerialNumber)); err != nil {
		p.add("serialNumber", serialProblem(in.SerialNumber))
	}
	if strings.TrimSpace(in.MerchantID) != "" {
		var wrong *models.Error
		if s.MerchantID, err = models.ParseMerchantID(in.MerchantID); errors.As(err, &wrong) {
			p.list = append(p.list, wrong)
		} else if cards.InReference(s.MerchantID, now) {
			p.add("merchantId", "field.cardNumber")
		}
	}
	if !s.SoldAt.IsZero() {
		s.BusinessDay, s.CutoffAt = calendar.Day(s.SoldAt), calendar.Cutoff(s.SoldAt)
	}
	return s, p.list
}

func serialProblem(s string) string {
	if strings.TrimSpace(s) == "" {
		return "field.required"
	}
	return "serial.invalid"
}

// problems collects what is wrong with a sale.
type problems struct{ list []*models.Error }

func (p *problems) add(field, code string) { p.list = append(p.list, models.Invalid(field, code)) }

func (p *problems) text(field, s string, most int, required bool, holdsCard func(string) bool) string {
	s = strings.TrimSpace(s)
	switch {
	case s == "" && required:
		p.add(field, "field.required")
	case !utf8.ValidString(s) || strings.ContainsFunc(s, models.Invisible):
		p.add(field, "field.invalidText")
	case utf8.RuneCountInString(s) > most:
		p.add(field, "field.tooLong")
	case holdsCard(s):
		p.add(field, "field.cardNumber")
	}
	return s
}

func (p *problems) last4(s string) string {
	s = strings.TrimSpace(s)
	if s != "" && (len(s) != 4 || strings.Trim(s, "0123456789") != "") {
		p.add("last4", "last4.invalid")
	}
	return s
}

func (p *problems) currency(s string) string {
	if s = strings.TrimSpace(s); s != "" && s != models.Currency {
		p.add("currency", "currency.invalid")
	}
	return models.Currency
}

func (p *problems) amount(s string) models.Money {
	s = strings.TrimSpace(s)
	if s == "" {
		p.add("amount", "field.required")
		return 0
	}
	m, err := models.ParseMoney(s)
	switch {
	case err != nil:
		p.add("amount", "amount.invalid")
	case m <= 0:
		p.add("amount", "amount.zero")
	case m > MaxMoney:
		p.add("amount", "amount.tooLarge")
	}
	return m
}

func (p *problems) soldAt(s string, now time.Time) time.Time {
	s = strings.TrimSpace(s)
	if s == "" {
		p.add("soldAt", "field.required")
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		p.add("soldAt", "soldAt.invalid")
		return time.Time{}
	}
	at = at.UTC().Truncate(time.Microsecond) // PostgreSQL's precision
	switch {
	case at.After(now.Add(saleTimeAhead)):
		p.add("soldAt", "soldAt.future")
	case at.Before(now.Add(-oldestSale)):
		p.add("soldAt", "soldAt.tooOld")
	}
	return at
}

// warnOrderOdd is for an order number of a shape that nobody has seen.
const warnOrderOdd = "sale.orderOdd"

// orderWarnings compares the order number, which terminals write as
// YYMMDDhhmmss-<serial> in Mexico City's time, with the reported sale. A difference
// causes a warning and never a refusal: the form is not documented.
func orderWarnings(s *models.Sale, calendar models.Calendar) []string {
	if models.OddIdentifier(s.OrderID) {
		return []string{warnOrderOdd}
	}
	stamp, serial, ok := strings.Cut(s.OrderID, "-")
	if !ok || len(stamp) != 12 || len(serial) != 10 {
		return nil
	}
	at, err := time.ParseInLocation("060102150405", stamp, calendar.Zone())
	if err != nil || strings.Trim(serial, "0123456789") != "" {
		return nil
	}
	var warnings []string
	if serial != string(s.SerialNumber) {
		warnings = append(warnings, "sale.orderSerialDiffers")
	}
	if at.Sub(s.SoldAt).Abs() > saleTimeAhead {
		warnings = append(warnings, "sale.orderTimeDiffers")
	}
	return warnings
}

// MaxMoney is more than any card payment, ten thousand million pesos. With larger
// amounts the sums of a day would overflow, and the post could never be read.
const MaxMoney models.Money = 1e12
