package models

// SaleInput is the facts of a sale as a program, a file or a person gives them:
// text, not judged yet. Every door fills in this one struct.
type SaleInput struct {
	SerialNumber string // ten digits, printed on the back of the terminal
	MerchantID   string // "": that of the terminal's assignment when the sale was made
	OrderID      string // the service's number of the sale, at most 80 characters
	Amount       string // decimal pesos, "1250.00"; never a float
	Currency     string // "MXN", or "" for it
	SoldAt       string // RFC 3339, with its offset
	Last4        string // four digits, or ""
	CardBrand    string // at most 20 characters
	AuthCode     string // at most 20 characters
	Folio        string // at most 80 characters
	Reference    string // the merchant's own, at most 80 characters
}

// saleFact is one of them: its name in the HTTP API, in files and in forms, and
// how it is told.
type saleFact struct {
	name  string
	given func(*SaleInput) *string
	// kept is where the sale keeps it, of those that are kept as they are given.
	kept     func(*Sale) *string
	required bool
	most     int  // characters
	free     bool // any text that holds no card number
	typed    bool // by a person, from the ticket
}

// saleFacts are all of them, in the order in which problems are named.
var saleFacts = []saleFact{
	{name: "serialNumber", given: func(in *SaleInput) *string { return &in.SerialNumber }, required: true, most: 10},
	{name: "merchantId", given: func(in *SaleInput) *string { return &in.MerchantID }, most: 40},
	{
		name: "orderId", given: func(in *SaleInput) *string { return &in.OrderID }, kept: func(s *Sale) *string { return &s.OrderID },
		required: true, most: 80, free: true, typed: true,
	},
	{name: "amount", given: func(in *SaleInput) *string { return &in.Amount }, required: true, most: 20, typed: true},
	{name: "currency", given: func(in *SaleInput) *string { return &in.Currency }, most: 3},
	{name: "soldAt", given: func(in *SaleInput) *string { return &in.SoldAt }, required: true, most: 40},
	{
		name: "last4", given: func(in *SaleInput) *string { return &in.Last4 }, kept: func(s *Sale) *string { return &s.Last4 },
		most: 4, typed: true,
	},
	{
		name: "cardBrand", given: func(in *SaleInput) *string { return &in.CardBrand }, kept: func(s *Sale) *string { return &s.CardBrand },
		most: 20, free: true, typed: true,
	},
	{
		name: "authCode", given: func(in *SaleInput) *string { return &in.AuthCode }, kept: func(s *Sale) *string { return &s.AuthCode },
		most: 20, free: true, typed: true,
	},
	{
		name: "folio", given: func(in *SaleInput) *string { return &in.Folio }, kept: func(s *Sale) *string { return &s.Folio },
		most: 80, free: true, typed: true,
	},
	{
		name: "reference", given: func(in *SaleInput) *string { return &in.Reference }, kept: func(s *Sale) *string { return &s.Reference },
		most: 80, free: true,
	},
}

// Field returns where the fact of a name belongs; nil for a name that there is not.
func (in *SaleInput) Field(name string) *string {
	for i := range saleFacts {
		if saleFacts[i].name == name {
			return saleFacts[i].given(in)
		}
	}
	return nil
}

// Typed gives each fact that a person types from a ticket to f, with its name in
// the form and how many characters it may have.
func (in *SaleInput) Typed(f func(name string, most int, text *string)) {
	for i := range saleFacts {
		if c := &saleFacts[i]; c.typed {
			f(c.name, c.most, c.given(in))
		}
	}
}

// optional are the facts that a sale may lack and keeps as they were given.
func (f *saleFact) optional() bool { return f.kept != nil && !f.required }
