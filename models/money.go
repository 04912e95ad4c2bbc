package models

import (
	"fmt"
	"math"
	"strings"
)

// Sum is a number of sales and their amount.
type Sum struct {
	Count  int64 `json:"count"`
	Amount Money `json:"amountCentavos"`
}

func (s *Sum) Add(o Sum) { s.Count, s.Amount = s.Count+o.Count, s.Amount+o.Amount }

// Money is an amount in centavos of the sale's currency.
type Money int64

// Currency is the one currency of the product's users, in ISO 4217.
const Currency = "MXN"

// ParseMoney reads a decimal amount of any scale, such as "4500.5", "1.0" or "0.00",
// as terminals post it. A fraction finer than a centavo is accepted only when it is
// zero. Signs, exponents and separators are refused.
func ParseMoney(s string) (Money, error) {
	whole, fraction, _ := strings.Cut(s, ".")
	if whole == "" || strings.HasSuffix(s, ".") {
		return 0, Invalid("amount", "amount.invalid")
	}
	digits := strings.TrimRight(fraction, "0")
	if len(digits) > 2 {
		return 0, Invalid("amount", "amount.invalid")
	}
	digits = whole + (digits + "00")[:2]
	var m int64
	for i := range len(digits) {
		d := digits[i]
		if d < '0' || d > '9' || m > (math.MaxInt64-9)/10 {
			return 0, Invalid("amount", "amount.invalid")
		}
		m = m*10 + int64(d-'0')
	}
	return Money(m), nil
}

// Decimal writes an amount that is not negative as ParseMoney reads it: 1250.00.
func (m Money) Decimal() string { return fmt.Sprintf("%d.%02d", m/100, m%100) }
