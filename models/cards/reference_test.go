package cards_test

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"veinte/models/cards"
	"veinte/models/modelstest/cardstest"
)

var today = time.Date(2026, 11, 23, 15, 4, 5, 0, time.UTC)

// TestHonestNumbersAreReferences: what merchants number their orders with.
func TestHonestNumbersAreReferences(t *testing.T) {
	t.Parallel()
	for _, kind := range cardstest.Kinds {
		made, suspect := cardstest.New(15, today), 0
		for range 1500 {
			order := made.Order(kind)
			if cards.InReference(order, today) {
				t.Errorf("%s: InReference(%q) = true, want false", kind, order)
			}
			if cards.Holds(order) {
				suspect++ // a note may not have it
			}
		}
		if suspect == 0 {
			t.Errorf("%s: none of 1500 looks like a card: the test shows nothing", kind)
		}
	}
}

// TestCardsAreFound: in every degree, however they are written.
func TestCardsAreFound(t *testing.T) {
	t.Parallel()
	made := cardstest.New(16, today)
	for range 300 {
		card := made.Card()
		for _, text := range cardstest.Written(card) {
			if !cards.InReference(text, today) || !cards.Holds(text) || !cards.Likely(text) {
				t.Errorf("%q: InReference %t, Holds %t, Likely %t, want all", text,
					cards.InReference(text, today), cards.Holds(text), cards.Likely(text))
			}
			for name, masked := range map[string]string{
				"Mask": cards.Mask(text), "MaskDigits": cards.MaskDigits(text), "Hide": cards.Hide(text),
			} {
				if cards.Holds(masked) || strings.Contains(masked, card) {
					t.Errorf("%s(%q) = %q, which holds the number", name, text, masked)
				}
			}
		}
	}
}

// TestInReference has the boundaries of each part of the rule. The check digits are
// right unless the case is about them.
func TestInReference(t *testing.T) {
	t.Parallel()
	check := cardstest.WithCheckDigit
	for _, tt := range []struct {
		fact, text string
		want       bool
	}{
		{"a Mastercard of the series with 2", "2223003122003222", true},
		{"the first of them", check("222100000000000"), true},
		{"one before", check("222000000000000"), false},
		{"the last of them", check("272099999999999"), true},
		{"one after", check("272100000000000"), false},
		{"Carnet", check("286900000000000"), true},
		{"Mastercard of five", check("510000000000000"), true},
		{"and its last", check("559999999999999"), true},
		{"seventeen digits of it", check("5100000000000000"), false},
		{"fifteen digits of it", check("51000000000000"), false},
		{"American Express", "378282246310005", true},
		{"sixteen digits that begin so", check("378282246310000"), false},
		{"fourteen", check("3782822463100"), false},
		{"Diners Club", check("3000000000000"), true},
		{"beside it", check("3060000000000"), false},
		{"thirteen digits of it", check("300000000000"), false},
		{"JCB", check("352800000000000"), true},
		{"beside it", check("352700000000000"), false},
		{"JCB's last", check("358999999999999"), true},
		{"beside it", check("359000000000000"), false},
		{"Visa of thirteen", "4222222222222", true},
		{"which is an article too", "4000000000105", false},
		{"Visa of fourteen", check("4000000000000"), false},
		{"Visa of nineteen", check("400000000000000000"), true},
		{"twenty digits", check("4000000000000000000"), false},
		{"Maestro", check("50000000000000000"), true},
		{"a nine", check("900000000000000"), false},
		{"UnionPay", check("810000000000000"), true},
		{"beside it", check("820000000000000"), false},
		{"beside it", check("809900000000000"), false},
		{"the check digit is wrong", "4111111111111112", false},
		{"an order of today, to the second", check("261123150405000"), false},
		{"of 400 days ago", check("251020000000000"), false},
		{"of 402 days ago", check("251016000000000"), true},
		{"of tomorrow", check("261124235959000"), false},
		{"of next week", check("261130000000000"), true},
		{"the 31st of November", check("261131150405000"), true},
		{"25 o'clock", check("261123250405000"), true},
		{"61 seconds", check("261123150461000"), true},
		{"with dashes", "2611-2315-0405-000" + check("261123150405000")[15:], false},
		{"store, date, count", check("401520261123004"), false},
		{"the year after", check("401523112026004"), false},
		{"another year", check("401520201123004"), true},
		{"a short date of this month", check("401526112300004"), false},
		{"a short date of last year", check("401525112300004"), true},
		{"a short date after two digits", check("402611230000004"), true},
		{"a short date after seven", check("401500026112304"), true},
		{"in groups", grouped(check("401520261123004"), 4, 12), false},
		{"in groups, another year", grouped(check("401520201123004"), 4, 12), true},
		{"in groups, the day first", grouped(check("401523112026004"), 4, 12), false},
		{"in groups, short", grouped(check("401500251123004"), 6, 12), false},
		{"in groups, short, the day first", grouped(check("401500231125004"), 6, 12), false},
		{"in groups, short, another year", grouped(check("401500201123004"), 6, 12), true},
		{"a date after eight digits", "4015000" + ended("20261123", "4015000"), false},
		{"a date after nine", check("401500000" + "20261123" + "4"), true},
		{"a short date after three", check("401261123000004"), false},
		{"a short date after six", check("401500261123004"), false},
		{"three digits and more", "411 111 111 111 1111", true},
		{"six blanks", "4111      1111      1111      1111", true},
		{"seven blanks", "4111       1111       1111       1111", false},
		{"a date across groups", grouped(check("401520261123004"), 5, 12), true},
		{"an order number of a terminal", "261120134500-1490000001", false},
		{"over lines", "4111 1111\n1111 1111", true},
		{"after an empty line", "4111 1111 1111\n\n\n\n\n\n\n1111", false},
		{"two marks", "4111--1111--1111--1111", false},
		{"a dash between blanks", "4111 — 1111 — 1111 — 1111", true},
		{"a comma and a blank are a list", "4111, 1111, 1111, 1111", false},
		{"pairs", "41 11 11 11 11 11 11 11", true},
		{"pairs and one", "37 82 82 24 63 10 00 5", true},
		{"a pair among ones", "4 1 1 1 1 1 1 1 1 1 1 1 1 1 11", false},
		{"fours and two", "3000 0000 0000 04", true},
		{"fours, a two between", "4111 1111 11 111111", false},
		{"fifteen and one", "411111111111111 1", false},
		{"letters between", "4111a1111b1111c1111", false},
		{"keycaps", "4\ufe0f\u20e31\ufe0f\u20e3" + strings.Repeat("1", 14), true},
		{"raised", "⁴¹¹¹¹¹¹¹¹¹¹¹¹¹¹¹", true},
		{"lowered", "₄₁₁₁₁₁₁₁₁₁₁₁₁₁₁₁", true},
		{"raised two and three", "²²²³⁰⁰³¹²²⁰⁰³²²²", true},
		{"short", "411111111111", false},
		{"", "", false},
	} {
		if got := cards.InReference(tt.text, today); got != tt.want {
			t.Errorf("%s: InReference(%q) = %t, want %t", tt.fact, tt.text, got, tt.want)
		}
	}
}

// ended makes the check digit of a number right by the digit before its end.
func ended(end, begins string) string {
	for d := '0'; ; d++ {
		if number := begins + string(d) + end; cardstest.WithCheckDigit(number[:len(number)-1]) == number {
			return string(d) + end
		}
	}
}

// grouped puts dashes at positions of a number.
func grouped(number string, first, second int) string {
	return number[:first] + "-" + number[first:second] + "-" + number[second:]
}

// TestAnyDay: what was checked once is not judged by a later day.
func TestAnyDay(t *testing.T) {
	t.Parallel()
	for order, want := range map[string]bool{
		cardstest.WithCheckDigit("250203111213000"): false, cardstest.WithCheckDigit("401520310203004"): false,
		cardstest.WithCheckDigit("401520390203004"): false, cardstest.WithCheckDigit("401520400203004"): true,
		cardstest.WithCheckDigit("401520190203004"): true, cardstest.WithCheckDigit("401520200203004"): false,
		cardstest.WithCheckDigit("401525112300004"): false, cardstest.WithCheckDigit("401519112300004"): true, "4111111111111111": true,
	} {
		if got := cards.InReference(order, time.Time{}); got != want {
			t.Errorf("InReference(%q, no day) = %t, want %t", order, got, want)
		}
	}
}

// TestWhatTheRuleMisses measures how many card numbers pass for orders of these
// months. Without a date, none does.
func TestWhatTheRuleMisses(t *testing.T) {
	t.Parallel()
	made, missed := cardstest.New(17, today), 0
	const n = 50000
	for range n {
		missed += passes(made.AnyCard())
	}
	if missed == 0 || missed > n/1000 {
		t.Errorf("%d of %d card numbers pass for orders, want some, and at most one in 1000", missed, n)
	}
}

func passes(card string) int {
	if cards.InReference(card, today) {
		return 0
	}
	return 1
}

// TestAReferenceWithACardIsNoNoteEither: the first degree finds nothing that the
// second one does not.
func TestAReferenceWithACardIsNoNoteEither(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		if text := drawText(t); cards.InReference(text, today) && !cards.Holds(text) {
			t.Errorf("InReference(%q), but not Holds", text)
		}
	})
}

// TestScriptsHaveTenDigits: the digits of a script follow one another in Unicode's
// table, which the package counts on.
func TestScriptsHaveTenDigits(t *testing.T) {
	t.Parallel()
	for _, of := range unicode.Nd.R16 {
		if of.Stride != 1 || (of.Hi-of.Lo+1)%10 != 0 {
			t.Errorf("digits from %U to %U, by %d", of.Lo, of.Hi, of.Stride)
		}
	}
	for _, of := range unicode.Nd.R32 {
		if of.Stride != 1 || (of.Hi-of.Lo+1)%10 != 0 {
			t.Errorf("digits from %U to %U, by %d", of.Lo, of.Hi, of.Stride)
		}
	}
}
