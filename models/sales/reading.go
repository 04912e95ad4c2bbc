package sales

import (
	"regexp"
	"strings"
	"time"
	"unicode"

	"veinte/models"
	"veinte/models/cards"
)

// Reading is what a text of the search box means. A sale matches when it has every
// part, or the whole text as one: an order number, a folio or a reference. Without
// parts nothing is found.
type Reading struct {
	Parts []Part
	whole Part // of several words; empty for one
}

// Part is what one or a few words can mean. People rarely state which, so any of
// them will do; empty fields are not searched.
type Part struct {
	Text string // as typed; "" for the digits behind a brand, which belong to it
	// The beginning of an order number, or any part of it from partOfOrder characters
	// on; and a whole folio, authorization or reference. In capitals.
	Order, Name string
	// A whole order number with the terminal at its end, for a sale that is recorded
	// with the number without it.
	head, serial string
	Second       string // four to six digits of the time in an order number as terminals write it
	Last4        string
	Brand        string // of the card: a key of models.BrandSpellings
	// The amounts that a number may be the beginning of: 164 is any from 164.00 to 164.99.
	// 0 for none: no sale has that amount.
	Amount, Most models.Money
	Times        []Span // on the clock of the cut-off or of the sale's store
	Terminal     string // the serial number, or the digits at its end where it is said that they are
}

// partOfOrder is how long a text must be to be searched inside order numbers: an
// amount or four digits would match many.
const partOfOrder = 6

// serialDigits is how long the serial number of a terminal is.
const serialDigits = 10

// maxPesos is how many digits of an amount are before its centavos.
const maxPesos = 9

// maxParts is how many parts a text may have: card, amount and time are two words each.
const maxParts = 6

// A pattern at the beginning of what is left of a text, up to the end of a word.
const (
	begins = `^(?i:`
	ends   = `)[,;]?(?:\s+|$)`
)

var (
	// A card as tickets and our own list print it: masking characters, then four digits.
	maskedCard = regexp.MustCompile(begins + `(\pL*)\d*[*·•…#][*·•….xX#\s-]*(\d{4})` + ends)
	lettered   = regexp.MustCompile(begins + `\d*[.xX]{2,}[*·•….xX#\s-]*(\d{4})` + ends)
	// A brand with what its card ends in. Glued to it they may also be an order number.
	brandEnds = regexp.MustCompile(begins + `(american\s+express|master\s+card|\pL+)([\s:·•…*-]*)(\d{4})` + ends)
	twoWords  = regexp.MustCompile(begins + `(american\s+express|master\s+card)` + ends)
	sticker   = regexp.MustCompile(begins + `(?:s\s?/\s?n|n\s?/\s?s|sn|ns|serie|serial|terminal)[\s.:#º°-]*(\d{3,10})` + ends)
	clock     = regexp.MustCompile(begins + `(\d{1,2}):(\d{0,2})(?::(\d\d))?(?:\s*(?:hrs?|h|horas)\.?)?` + ends)
	halfDay   = regexp.MustCompile(begins + `(\d{1,2})(?:[:.](\d\d))?(?::(\d\d))?\s*([ap])\.?\s?m\.?` + ends)
	// Money: with a currency it is nothing else. Both marks separate thousands or centavos.
	money  = regexp.MustCompile(begins + `(?:mxn?)?\s*\$\s*([\d.,]*\d[.,]?)(?:\s*(?:mxn|m\.?n\.?|pesos?))?` + ends)
	pesos  = regexp.MustCompile(begins + `([\d.,]*\d[.,]?)\s*(?:\$|mxn|m\.?n\.?|pesos?)` + ends)
	number = regexp.MustCompile(`^(?:(\d{1,3}(?:,\d{3})+)(?:\.(\d{0,2}))?|(\d{1,3}(?:\.\d{3})+)(?:,(\d{0,2}))?|(\d+)(?:[.,](\d{0,2}))?)$`)
	// An order number with the ten digits of its terminal. Scanners that are set to
	// another keyboard layout replace the hyphen by another character; people leave it out.
	withSerial = regexp.MustCompile(`^(?:([0-9A-Z]+)[-'/?´_‐‑–]|([0-9]{12}))([0-9]{10})$`)
	// Kinds of cards are not recorded apart from the brand, so they narrow nothing.
	kindOfCard = regexp.MustCompile(`^(?i:cr[eé]dito|d[eé]bito|credit|debit|tarjeta|card)$`)
)

// Read returns what a text may mean. Surrounding space, such as the Enter or tab of a
// scanner, and upper or lower case are ignored.
func Read(text string) Reading {
	if !models.Storable(text) || wholeCard(text) {
		return Reading{} // what cannot be stored, or a whole card number
	}
	text = strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || models.Invisible(r) })
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return Reading{}
	}
	var parts []Part
	for left := text; left != ""; {
		next, n := readNext(left)
		parts, left = append(parts, next...), left[n:]
	}
	if len(parts) > maxParts || len(parts) == 0 {
		return Reading{Parts: []Part{{Text: text, Order: strings.ToUpper(text), Name: strings.ToUpper(text)}}}
	}
	r := Reading{Parts: parts}
	if upper := strings.ToUpper(text); len(parts) > 1 || parts[0].Name != upper {
		r.whole = Part{Order: upper, Name: upper}
	}
	return r
}

// readNext reads the parts at the beginning of a text, and how long they are.
func readNext(text string) (parts []Part, length int) {
	if m := sticker.FindStringSubmatch(text); m != nil {
		return []Part{{Text: typed(m), Terminal: m[1]}}, len(m[0])
	}
	if m := maskedCard.FindStringSubmatch(text); m != nil {
		return []Part{{Text: typed(m), Brand: models.CardBrandOf(m[1]), Last4: m[2]}}, len(m[0])
	}
	if m := lettered.FindStringSubmatch(text); m != nil {
		return []Part{{Text: typed(m), Last4: m[1]}}, len(m[0])
	}
	if m := brandEnds.FindStringSubmatch(text); m != nil {
		if brand := models.CardBrandOf(m[1]); brand != "" {
			ends := Part{Last4: m[3]}
			if strings.Trim(m[2], " :-") == "" { // not as a ticket writes a card
				ends.amount(m[3])
			}
			return []Part{{Text: m[1], Brand: brand}, ends}, len(m[0])
		}
	}
	if m := twoWords.FindStringSubmatch(text); m != nil {
		return []Part{{Text: typed(m), Brand: models.CardBrandOf(m[1])}}, len(m[0])
	}
	if p, n := readTime(text); n > 0 {
		return []Part{p}, n
	}
	if p, n := readMoney(text); n > 0 {
		return []Part{p}, n
	}
	word, _, _ := strings.Cut(text, " ")
	length = min(len(word)+1, len(text))
	if kindOfCard.MatchString(word) && length < len(text) {
		return nil, length
	}
	return []Part{readWord(strings.TrimRight(word, ",;"), word)}, length
}

func typed(m []string) string { return strings.TrimRight(m[0], " ,;") }

// readMoney reads an amount with a currency.
func readMoney(text string) (p Part, length int) {
	m := money.FindStringSubmatch(text)
	if m == nil {
		m = pesos.FindStringSubmatch(text)
	}
	if m == nil {
		return p, 0
	}
	p.Text = typed(m)
	p.amount(m[1])
	return p, len(m[0])
}

// amount reads a number as the beginning of an amount.
func (p *Part) amount(text string) {
	m := number.FindStringSubmatch(strings.TrimRight(text, ","))
	if m == nil {
		return
	}
	whole := strings.NewReplacer(",", "", ".", "").Replace(m[1] + m[3] + m[5])
	centavos := m[2] + m[4] + m[6]
	if len(whole) > maxPesos {
		return // an order number
	}
	amount, err := models.ParseMoney(whole + "." + (centavos + "00")[:2])
	if err != nil {
		return
	}
	p.Amount, p.Most = amount, amount+[]models.Money{99, 9, 0}[len(centavos)]
}

// readWord reads a word that says no more than itself.
func readWord(word, whole string) Part {
	if word == "" {
		word = whole
	}
	p := Part{Text: word, Order: strings.ToUpper(word), Name: strings.ToUpper(word)}
	if wholeCard(word) {
		return Part{Text: word}
	}
	p.amount(word)
	if m := withSerial.FindStringSubmatch(p.Order); m != nil {
		p.head, p.serial = m[1]+m[2], m[3]
		p.Order = p.head + "-" + p.serial
	}
	switch n := len(word); {
	case strings.Trim(word, "0123456789") != "":
		if strings.IndexFunc(word, unicode.IsDigit) < 0 {
			p.Brand = models.CardBrandBegun(word)
		}
	case n == 4:
		p.Last4, p.Second = word, word
	case n == 5 || n == partOfOrder:
		p.Second = word
	case n == serialDigits:
		p.Terminal = word
	}
	return p
}

// wholeCard is the last check of what is searched. Who read the filter knew the day.
func wholeCard(text string) bool { return cards.InReference(text, time.Time{}) }
