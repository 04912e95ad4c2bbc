package models

import (
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
)

// SaleFact is what a door said of a sale that another door had told before: a fact
// that the sale lacked, or one in which it contradicts the sale.
type SaleFact struct {
	SaleID     int64
	Fact       string // its name in SaleFacts
	Source     SaleSource
	RecordedBy string
	Value      string // as it was told
	Filled     bool   // the sale lacked it and has it from here
	ToldAt     time.Time
}

// TableName is the table's name for gorm.
func (SaleFact) TableName() string { return "sale_facts" }

// SameFact reports whether two doors say the same of an optional fact. Upper and lower
// case, accents, blanks and the spelling of a brand are no difference, nor are the
// zeros at the beginning of a number, which spreadsheets drop.
func SameFact(name, a, b string) bool {
	if a, b = plain(a), plain(b); a == b {
		return true
	}
	switch name {
	case "cardBrand":
		return brandOf(a) == brandOf(b)
	case "authCode", "folio", "reference":
		return digitsOnly(a) && digitsOnly(b) && strings.TrimLeft(a, "0") == strings.TrimLeft(b, "0")
	}
	return false
}

var accents = strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "ü", "u", "ñ", "n", "à", "a", "è", "e", "ç", "c")

// plain is a text in lower case without accents, blanks and marks.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return r
	}, accents.Replace(strings.ToLower(s)))
}

func digitsOnly(s string) bool { return strings.Trim(s, "0123456789") == "" }

// brandSpellings are the brands' names as terminals, tills and providers write them,
// without blanks; credit or debit may stand beside them.
var brandSpellings = map[string]string{
	"visa": "visa", "vi": "visa", "vs": "visa", "visaelectron": "visa",
	"mastercard": "mastercard", "master": "mastercard", "mc": "mastercard", "mcard": "mastercard",
	"americanexpress": "amex", "amex": "amex", "ax": "amex", "amx": "amex", "amexco": "amex",
	"carnet": "carnet", "cn": "carnet", "prosacarnet": "carnet",
	"dinersclub": "diners", "diners": "diners", "dinersclubinternational": "diners",
	"unionpay": "unionpay", "cup": "unionpay", "chinaunionpay": "unionpay",
}

// brandOf is a brand whatever its spelling, of a plain text.
func brandOf(s string) string {
	for _, kind := range []string{"credito", "debito", "credit", "debit", "tarjeta"} {
		s = strings.ReplaceAll(s, kind, "")
	}
	if brand, ok := brandSpellings[s]; ok {
		return brand
	}
	return s
}

// CardBrandOf is the brand that a text names in any spelling; "" for none.
func CardBrandOf(text string) string { return brandSpellings[brandOf(plain(text))] }

// CardBrandBegun is the brand that a text names, or one whose name begins with it; ""
// for none. Two letters are the beginning of too much.
func CardBrandBegun(text string) string {
	begun := plain(text)
	if brand := CardBrandOf(text); brand != "" || len(begun) < 3 {
		return brand
	}
	for _, name := range slices.Sorted(maps.Keys(brandSpellings)) {
		if strings.HasPrefix(name, begun) {
			return brandSpellings[name]
		}
	}
	return ""
}

// BrandSpellings lists how a brand of CardBrandOf is written, in small letters without
// blanks and marks.
func BrandSpellings(brand string) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(brandSpellings)) {
		if brandSpellings[name] == brand {
			all = append(all, name)
		}
	}
	return all
}
