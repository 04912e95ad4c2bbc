// Package cardstest makes numbers for tests of the doors through which sales come in:
// those that merchants give to orders, and those of cards, as people write them. It
// does not know the rule of models/cards.
package cardstest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Source makes the numbers of one seed.
type Source struct {
	random *rand.Rand
	now    time.Time
}

// New makes a source; now is the day around which orders are.
func New(seed uint64, now time.Time) *Source {
	return &Source{rand.New(rand.NewPCG(seed, seed)), now}
}

// Kinds are the forms of honest order numbers and references.
var Kinds = []string{"ean13", "stamp", "storeDateCount"}

// Order makes an honest number of a kind.
func (s *Source) Order(kind string) string {
	switch kind {
	case "ean13":
		return withEAN(s.digits(12))
	case "stamp": // YYMMDDhhmmss and digits after it
		return s.moment(300*24*time.Hour).Format("060102150405") + s.digits(1+s.random.IntN(7))
	default:
		day, short := s.moment(300*24*time.Hour), s.moment(25*24*time.Hour).Format("060102")
		store := fmt.Sprintf("%0*d", 3+s.random.IntN(2), s.random.IntN(1000))
		if s.random.IntN(2) == 0 {
			store = fmt.Sprint(1000 + s.random.IntN(9000))
		}
		count := s.digits(3 + s.random.IntN(4))
		return []string{
			store + "-" + day.Format("20060102") + "-" + count, store + day.Format("20060102") + count,
			store + "-" + day.Format("060102") + "-" + count, store + short + count,
			store + " " + day.Format("02012006") + " " + count, store + "/" + day.Format("020106") + "/" + count,
			"T" + store + "-" + day.Format("20060102") + "-" + count,
		}[s.random.IntN(7)]
	}
}

// moment is within so long before now.
func (s *Source) moment(within time.Duration) time.Time {
	return s.now.Add(-time.Duration(s.random.Int64N(int64(within)))).UTC()
}

func (s *Source) digits(n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte('0' + byte(s.random.IntN(10)))
	}
	return b.String()
}

// withEAN appends the check digit of an EAN-13.
func withEAN(twelve string) string {
	sum := 0
	for i := range twelve {
		sum += int(twelve[i]-'0') * []int{1, 3}[i%2]
	}
	return twelve + string(rune('0'+(10-sum%10)%10))
}

// issuers are beginnings of card numbers and their length, by the brands' own pages.
var issuers = []struct {
	begins string
	length int
}{
	{"4", 16},
	{"4152", 16},
	{"4", 19},
	{"51", 16},
	{"5579", 16},
	{"2223", 16},
	{"2720", 16},
	{"2501", 16},
	{"34", 15},
	{"37", 15},
	{"36", 14},
	{"305", 14},
	{"3095", 16},
	{"38", 14},
	{"6011", 16},
	{"644", 16},
	{"65", 16},
	{"3528", 16},
	{"3589", 16},
	{"62", 16},
	{"6212", 19},
	{"5018", 16},
	{"6759", 16},
	{"6304", 18},
	{"6799", 19},
	{"2869", 16},
	{"5064", 16},
	{"6363", 16},
	{"8171", 16},
}

// Card makes a card number. It is none of those that have the form of an order of
// these months: no rule can tell them apart.
func (s *Source) Card() string {
	for {
		if card := s.AnyCard(); !s.dated(card) {
			return card
		}
	}
}

// AnyCard makes a card number, whatever it looks like.
func (s *Source) AnyCard() string {
	of := issuers[s.random.IntN(len(issuers))]
	return WithCheckDigit(of.begins + s.digits(of.length-1-len(of.begins)))
}

// dated reports whether a date of this year, the last or the next is in the number.
func (s *Source) dated(card string) bool {
	for year := s.now.Year() - 2; year <= s.now.Year()+1; year++ {
		for month := time.January; month <= time.December; month++ {
			at := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
			if strings.Contains(card, at.Format("0601")) || strings.Contains(card, at.Format("012006")) {
				return true
			}
		}
	}
	return false
}

// WithCheckDigit appends the check digit of a card number.
func WithCheckDigit(s string) string {
	sum := 0
	for i := range s {
		d := int(s[i] - '0')
		if (len(s)-i)%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return s + string(rune('0'+(10-sum%10)%10))
}

// Written lists the ways in which a card number may be in a text. Some have line
// breaks, which fields of one line refuse for themselves.
func Written(card string) []string {
	four, spelled := Groups(card, " "), strings.Join(strings.Split(card, ""), " ")
	ways := []string{
		card, four, Groups(card, "-"), Groups(card, "."), Groups(card, "/"), Groups(card, "_"), Groups(card, " - "), Groups(card, "\u00a0"),
		Groups(card, "\u2013"), Groups(card, "\u200b"), Groups(card, "\u202f\u2011 "), spelled, "ticket " + four + " pagado", "T:" + card + "#9",
		four + " 11/29 123", Groups(card, "\n"), Groups(card, "\r\n"), "la tarjeta es\n" + Groups(card, " \n ") + "\ngracias",
	}
	for _, zero := range []rune{'٠', '۰', '०', '０', '𝟎', '𝟶'} {
		ways = append(ways, strings.Map(func(r rune) rune { return zero + r - '0' }, card))
	}
	if len(card) == 15 {
		ways = append(ways, card[:4]+" "+card[4:10]+" "+card[10:])
	}
	return append(ways, strings.Map(func(r rune) rune { return []rune("⓪①②③④⑤⑥⑦⑧⑨")[r-'0'] }, card))
}

// Groups writes a number in groups of four.
func Groups(card, between string) string {
	var groups []string
	for len(card) > 4 {
		groups, card = append(groups, card[:4]), card[4:]
	}
	return strings.Join(append(groups, card), between)
}
