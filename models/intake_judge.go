package models

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
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
	s := Sale{
		OrderID:   p.text("orderId", in.OrderID, 80, true),
		CardBrand: p.text("cardBrand", in.CardBrand, 20, false),
		AuthCode:  p.text("authCode", in.AuthCode, 20, false),
		Folio:     p.text("folio", in.Folio, 80, false),
		Reference: p.text("reference", in.Reference, 80, false),
		Last4:     p.last4(in.Last4),
		Currency:  p.currency(in.Currency),
		Amount:    p.amount(in.Amount),
		SoldAt:    p.soldAt(in.SoldAt, now),
		State:     SaleCancelable, ReceivedAt: now,
	}
	var err error
	if s.SerialNumber, err = ParseSerialNumber(strings.TrimSpace(in.SerialNumber)); err != nil {
		p.add("serialNumber", serialProblem(in.SerialNumber))
	}
	if strings.TrimSpace(in.MerchantID) != "" {
		if s.MerchantID, err = ParseMerchantID(in.MerchantID); err != nil {
			p.add("merchantId", "merchantId.invalid")
		} else if HasCardNumber(s.MerchantID) {
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
	case HasCardNumber(s):
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

// HasCardNumber reports whether a text holds what could be a whole card number:
// 13 to 19 digits that begin as those of payment cards do and whose check digit is
// right, in one piece or in groups of three and more with spaces, a hyphen, dot or
// slash between, as they are typed or come from a page that was copied. What
// stands before or after it does not hide it. An order number
// as terminals write it is none, whatever its digits.
func HasCardNumber(s string) bool {
	s = plainSeparators.Replace(s)
	var groups [][]byte // of digits, each with one separator before the next
	for i := 0; i < len(s); {
		if !isDigit(s[i]) {
			if i+1 == len(s) || !strings.ContainsRune(" -./", rune(s[i])) || !isDigit(s[i+1]) {
				groups = nil
			}
			i++
			continue
		}
		var group []byte
		for ; i < len(s) && isDigit(s[i]); i++ {
			group = append(group, s[i]-'0')
		}
		if groups = append(groups, group); endsInCard(groups) {
			return true
		}
	}
	return false
}

// plainSeparators makes one separator of what a reader sees as one: blanks and
// dashes that are not ASCII, several blanks, blanks around a dash.
var plainSeparators = func() *strings.Replacer {
	var pairs []string
	for _, dash := range []string{"-", "\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2212"} {
		pairs = append(pairs, " "+dash+" ", "-", dash, "-")
	}
	for _, blank := range []string{"    ", "   ", "  ", "\t", "\u00a0", "\u2002", "\u2003", "\u2007", "\u2009", "\u202f"} {
		pairs = append(pairs, blank, " ")
	}
	return strings.NewReplacer(append(pairs, "\u200b", "", "\u2060", "", "\ufeff", "")...)
}()

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// endsInCard reports whether the last groups are a card number.
func endsInCard(groups [][]byte) bool {
	var digits []byte
	for n := len(groups) - 1; n >= 0 && len(groups[n]) >= 3; n-- {
		digits = append(slices.Clone(groups[n]), digits...)
		if len(digits) > 19 {
			return false
		}
		if len(digits) >= 13 && issued(digits) && luhn(digits) {
			return true
		}
	}
	return false
}

// issued reports whether payment cards begin so: with 3 to 6, and one brand, whose
// numbers have sixteen digits, with 2221 to 2720 (ISO/IEC 7812-1, issuers' lists).
// Every tenth number has the right check digit; without this, order numbers that
// begin with a year or a serial number would be taken for cards.
func issued(digits []byte) bool {
	switch d := digits[0]; d {
	case 2:
		series := int(d)*1000 + int(digits[1])*100 + int(digits[2])*10 + int(digits[3])
		return len(digits) == 16 && series >= 2221 && series <= 2720
	default:
		return d >= 3 && d <= 6
	}
}

// luhn checks the last digit of a card number (ISO/IEC 7812-1, annex B).
func luhn(digits []byte) bool {
	sum := 0
	for i, d := range digits {
		n := int(d)
		if (len(digits)-i)%2 == 0 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0
}
