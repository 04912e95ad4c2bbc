package models

import (
	"strings"
	"time"
	"unicode/utf8"

	"veinte/models/cards"
)

// oldestSale is how long ago a sale may have been made that is told now. It can
// no longer be canceled; a merchant who begins may still want last year's.
const oldestSale = 400 * 24 * time.Hour

// judge parses every input. Those that cannot be sales are refused, each field
// by its name.
func (c *intakeCall) judge(inputs []SaleInput, calendar Calendar) {
	for i, in := range inputs {
		sale, problems := in.parse(c.now, calendar)
		if len(problems) > 0 {
			c.outcomes[i].Status, c.outcomes[i].Problems = SaleRefused, problems
			continue
		}
		sale.Source, sale.RecordedBy = c.Source, c.actor.Name
		if c.BatchID != 0 {
			sale.BatchID = &c.BatchID
		}
		c.sales = append(c.sales, &toldSale{
			Sale: sale, call: c, index: i, merchantTold: sale.MerchantID, warnings: orderWarnings(&sale, calendar),
		})
	}
}

// parse reads every field and tells all that is wrong at once.
func (in SaleInput) parse(now time.Time, calendar Calendar) (Sale, []*Error) {
	p := &problems{}
	s := Sale{State: SaleCancelable, ReceivedAt: now}
	for i := range saleFacts {
		if f := &saleFacts[i]; f.free {
			*f.kept(&s) = p.text(f.name, *f.given(&in), f.most, f.required)
		}
	}
	s.Last4, s.Currency = p.last4(in.Last4), p.currency(in.Currency)
	s.Amount, s.SoldAt = p.amount(in.Amount), p.soldAt(in.SoldAt, now)
	var err error
	if s.SerialNumber, err = ParseSerialNumber(strings.TrimSpace(in.SerialNumber)); err != nil {
		p.add("serialNumber", serialProblem(in.SerialNumber))
	}
	if strings.TrimSpace(in.MerchantID) != "" {
		if s.MerchantID, err = ParseMerchantID(in.MerchantID); err != nil {
			p.add("merchantId", "merchantId.invalid")
		} else if cards.Holds(s.MerchantID) {
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

// problems gathers what is wrong with a sale.
type problems struct{ list []*Error }

func (p *problems) add(field, code string) { p.list = append(p.list, Invalid(field, code)) }

func (p *problems) text(field, s string, most int, required bool) string {
	s = strings.TrimSpace(s)
	switch {
	case s == "" && required:
		p.add(field, "field.required")
	case !utf8.ValidString(s) || strings.ContainsFunc(s, invisible):
		p.add(field, "field.invalidText")
	case utf8.RuneCountInString(s) > most:
		p.add(field, "field.tooLong")
	case cards.Holds(s):
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
	if s = strings.TrimSpace(s); s != "" && s != Currency {
		p.add("currency", "currency.invalid")
	}
	return Currency
}

func (p *problems) amount(s string) Money {
	s = strings.TrimSpace(s)
	if s == "" {
		p.add("amount", "field.required")
		return 0
	}
	m, err := ParseMoney(s)
	switch {
	case err != nil:
		p.add("amount", "amount.invalid")
	case m <= 0:
		p.add("amount", "amount.zero")
	case m > mostMoney:
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
	at = at.UTC().Truncate(time.Microsecond) // as PostgreSQL keeps it
	switch {
	case at.After(now.Add(saleTimeAhead)):
		p.add("soldAt", "soldAt.future")
	case at.Before(now.Add(-oldestSale)):
		p.add("soldAt", "soldAt.tooOld")
	}
	return at
}

// orderWarnings compares the order number, which terminals write as
// YYMMDDhhmmss-<serial> in Mexico City's time, with what was told. It is a reason
// to look twice and never one to refuse: nobody publishes the form.
func orderWarnings(s *Sale, calendar Calendar) []string {
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
