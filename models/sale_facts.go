package models

import (
	"slices"
	"time"

	"veinte/models/cards"
)

// SaleInput is the facts of a sale as a program, a file or a person gives them: text
// that is not validated yet. Every source fills in this struct.
type SaleInput struct {
	SerialNumber string // ten digits, printed on the back of the terminal
	MerchantID   string // "": the one of the terminal's assignment when the sale was made
	OrderID      string // the service's order number, at most MaxOrderID characters
	Amount       string // decimal pesos, "1250.00"; never a float
	Currency     string // "MXN", or "" for it
	SoldAt       string // RFC 3339, with its offset
	Last4        string // four digits, or ""
	CardBrand    string // at most 20 characters
	AuthCode     string // at most 20 characters
	Folio        string // at most 80 characters
	Reference    string // the merchant's own reference, at most 80 characters
}

// saleFact is one fact: its name in the HTTP API, in files and in forms, and its
// limits.
type saleFact struct {
	Name  string
	Given func(*SaleInput) *string
	// Kept returns the field of the sale that stores it, for facts that are stored
	// as given.
	Kept     func(*Sale) *string
	Required bool
	Most     int  // characters
	Free     bool // any text that holds no card number
	Number   bool // a number of the service's or the merchant's: what is one of a card's is cards.InReference
	typed    bool // entered by a person, from the ticket
}

// SaleFacts are all facts, in the order in which problems are listed.
var SaleFacts = []saleFact{
	{Name: "serialNumber", Given: func(in *SaleInput) *string { return &in.SerialNumber }, Required: true, Most: 10},
	{Name: "merchantId", Given: func(in *SaleInput) *string { return &in.MerchantID }, Most: MaxMerchantID, Number: true},
	{
		Name: "orderId", Given: func(in *SaleInput) *string { return &in.OrderID }, Kept: func(s *Sale) *string { return &s.OrderID },
		Required: true, Most: MaxOrderID, Free: true, Number: true, typed: true,
	},
	{Name: "amount", Given: func(in *SaleInput) *string { return &in.Amount }, Required: true, Most: 20, typed: true},
	{Name: "currency", Given: func(in *SaleInput) *string { return &in.Currency }, Most: 3},
	{Name: "soldAt", Given: func(in *SaleInput) *string { return &in.SoldAt }, Required: true, Most: 40},
	{
		Name: "last4", Given: func(in *SaleInput) *string { return &in.Last4 }, Kept: func(s *Sale) *string { return &s.Last4 },
		Most: 4, typed: true,
	},
	{
		Name: "cardBrand", Given: func(in *SaleInput) *string { return &in.CardBrand }, Kept: func(s *Sale) *string { return &s.CardBrand },
		Most: 20, Free: true, typed: true,
	},
	{
		Name: "authCode", Given: func(in *SaleInput) *string { return &in.AuthCode }, Kept: func(s *Sale) *string { return &s.AuthCode },
		Most: 20, Free: true, Number: true, typed: true,
	},
	{
		Name: "folio", Given: func(in *SaleInput) *string { return &in.Folio }, Kept: func(s *Sale) *string { return &s.Folio },
		Most: 80, Free: true, Number: true, typed: true,
	},
	{
		Name: "reference", Given: func(in *SaleInput) *string { return &in.Reference }, Kept: func(s *Sale) *string { return &s.Reference },
		Most: 80, Free: true, Number: true,
	},
}

// Fact returns the fact of a name, which must be one of theirs.
func Fact(name string) *saleFact {
	return &SaleFacts[slices.IndexFunc(SaleFacts, func(f saleFact) bool { return f.Name == name })]
}

// Field returns the field for a fact's name; nil for an unknown name.
func (in *SaleInput) Field(name string) *string {
	for i := range SaleFacts {
		if SaleFacts[i].Name == name {
			return SaleFacts[i].Given(in)
		}
	}
	return nil
}

// Typed calls f for each fact that a person types from a ticket, with its name in
// the form and its maximum number of characters.
func (in *SaleInput) Typed(f func(name string, most int, text *string)) {
	for i := range SaleFacts {
		if c := &SaleFacts[i]; c.typed {
			f(c.Name, c.Most, c.Given(in))
		}
	}
}

// HoldsCard reports whether a value of the fact contains a card number.
func (f *saleFact) HoldsCard(s string, now time.Time) bool {
	if f.Number {
		return cards.InReference(s, now)
	}
	return cards.Holds(s)
}

// Optional reports whether a sale may lack the fact, and stores it as given.
func (f *saleFact) Optional() bool { return f.Kept != nil && !f.Required }
