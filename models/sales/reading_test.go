package sales_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/sales"
)

// readings writes what a text may mean: parts by "+", their readings by "|". The order
// number and the name of a text that says no more than itself are "word".
func readings(text string) string {
	var parts []string
	for _, p := range sales.Read(text).Parts {
		var all []string
		say := func(is bool, format string, args ...any) {
			if is {
				all = append(all, fmt.Sprintf(format, args...))
			}
		}
		say(p.Brand != "", "%s", p.Brand)
		say(p.Last4 != "", "*%s", p.Last4)
		say(p.Amount != 0, "$%s..%s", pesos(p.Amount), pesos(p.Most))
		for _, s := range p.Times {
			say(true, "%s-%s", clock(s.From), clock(s.To))
		}
		say(p.Terminal != "", "S/N %s", p.Terminal)
		say(p.Second != "", "second %s", p.Second)
		say(p.Name != "", "word")
		parts = append(parts, strings.Join(all, "|"))
	}
	return strings.Join(parts, " + ")
}

func pesos(m models.Money) string { return fmt.Sprintf("%d.%02d", m/100, m%100) }

func clock(d time.Duration) string { return time.Time{}.Add(d).Format("15:04:05") }

func TestReading(t *testing.T) {
	t.Parallel()
	const anyHalf = "03:41:30-03:43:00|15:41:30-15:43:00"
	tests := []struct{ fact, text, want string }{
		{"nothing", " ", ""},
		{"four digits", "3092", "*3092|$3092.00..3092.99|second 3092|word"},
		{"five", "30921", "$30921.00..30921.99|second 30921|word"},
		{"the end of a terminal's number is four digits", "1002", "*1002|$1002.00..1002.99|second 1002|word"},
		{"three digits", "309", "$309.00..309.99|word"},
		{"a word", "zapatos", "word"},

		{"a brand and four digits", "visa 3092", "visa + *3092|$3092.00..3092.99"},
		{"in capitals, glued", "VISA3092", "visa + *3092|$3092.00..3092.99"},
		{"as our list writes it", "Visa · ·3092", "visa + *3092"},
		{"as a ticket does", "VISA ************3092", "visa + *3092"},
		{"with letters for digits", "Visa XXXX XXXX XXXX 3092", "visa|word + *3092"},
		{"of another brand", "amex 1005", "amex + *1005|$1005.00..1005.99"},
		{"in two words", "american express 1005", "amex + *1005|$1005.00..1005.99"},
		{"in short", "mc 3092", "mastercard + *3092|$3092.00..3092.99"},
		{"a kind of card narrows nothing", "VISA DEBITO 3092", "visa|word + *3092|$3092.00..3092.99|second 3092|word"},
		{"a brand alone", "mastercard", "mastercard|word"},
		{"while it is typed", "maste", "mastercard|word"},
		{"two letters are no beginning", "ma", "word"},
		{"a word before digits that is no brand", "mesa 3092", "word + *3092|$3092.00..3092.99|second 3092|word"},
		{"masked", "*3092", "*3092"},
		{"with dots", "•••• 3092", "*3092"},
		{"three dots in one", "…3092", "*3092"},

		{"an amount", "101.50", "$101.50..101.50|word"},
		{"with a comma", "101,50", "$101.50..101.50|word"},
		{"its beginning", "101.5", "$101.50..101.59|word"},
		{"its beginning with a comma", "101,5", "$101.50..101.59|word"},
		{"nothing behind the comma yet", "101,", "$101.00..101.99|word"},
		{"with a currency", "$101.50", "$101.50..101.50"},
		{"and a comma", "$101,50", "$101.50..101.50"},
		{"apart", "$ 101.50", "$101.50..101.50"},
		{"behind it", "101.50 MXN", "$101.50..101.50"},
		{"in words", "101 pesos", "$101.00..101.99"},
		{"as on tickets", "MXN$ 1,250.00 M.N.", "$1250.00..1250.00"},
		{"thousands", "1,250.00", "$1250.00..1250.00|word"},
		{"thousands without centavos", "1,250", "$1250.00..1250.99|word"},
		{"thousands with points", "1.250,00", "$1250.00..1250.00|word"},
		{"millions", "1,234,567.8", "$1234567.80..1234567.89|word"},
		{"finer than a centavo", "1250.001", "word"},
		{"no thousands", "12,5000", "word"},
		{"no amount", "0", "word"},
		{"nothing at all", "$", "word"},
		{"more than money can be", "$99999999999999999999", ""},

		{"a time of 24 hours", "15:42", "15:41:30-15:43:00"},
		{"of 12", "3:42 pm", "15:41:30-15:43:00"},
		{"as in Mexico", "3:42 p. m.", "15:41:30-15:43:00"},
		{"with a blank that does not break", "3:42\u00a0p.m.", "15:41:30-15:43:00"},
		{"glued", "3:42PM", "15:41:30-15:43:00"},
		{"with a point", "3.42 pm", "15:41:30-15:43:00"},
		{"in the morning", "3:42 am", "03:41:30-03:43:00"},
		{"of either half", "3:42", anyHalf},
		{"with what is not said", "03:42", anyHalf},
		{"noon or midnight", "12:15", "12:14:30-12:16:00|00:14:30-00:16:00"},
		{"noon", "12:15 pm", "12:14:30-12:16:00"},
		{"midnight", "0:15", "00:14:30-00:16:00"},
		{"the first minute", "00:00", "00:00:00-00:01:00"},
		{"the second", "15:42:31", "15:42:01-15:43:01"},
		{"an hour", "3 pm", "15:00:00-16:00:00"},
		{"while it is typed", "15:", "15:00:00-16:00:00"},
		{"its ten minutes", "15:4", "15:40:00-15:50:00"},
		{"with its unit", "15:42 hrs", "15:41:30-15:43:00"},
		{"an hour there is not", "25:10", "word"},
		{"a minute there is not", "15:61", "word"},
		{"nor ten", "15:7", "word"},

		{"a card and an amount", "visa 101.50", "visa|word + $101.50..101.50|word"},
		{"the digits and a time", "3092 3:42", "*3092|$3092.00..3092.99|second 3092|word + " + anyHalf},
		{"everything that a ticket has", "Visa 3092, $101.50, 3:42 pm", "visa + *3092|$3092.00..3092.99 + $101.50..101.50 + 15:41:30-15:43:00"},
		{"and more than any has", "1 2 3 4 5 6 7", "word"},

		{"a whole terminal", "1490001002", "S/N 1490001002|word"},
		{"its sticker", "S/N 1490001002", "S/N 1490001002"},
		{"the other way round", "n/s: 1490001002", "S/N 1490001002"},
		{"the end of it", "S/N 1002", "S/N 1002"},
		{"as it is called", "terminal 1002", "S/N 1002"},
		{"six digits of it are none", "001002", "$1002.00..1002.99|second 001002|word"},

		{"a whole card", "4111 1111 1111 1111", ""},
		{"in words", "visa 4111111111111111", ""},
	}
	for _, tt := range tests {
		if got := readings(tt.text); got != tt.want {
			t.Errorf("%s: Read(%q) = %s, want %s", tt.fact, tt.text, got, tt.want)
		}
	}
}

// FuzzRead: whatever is typed is read, and as no more parts than are searched at once.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"visa 3092", "$1,250.00 4242", "3:42 p. m.", "S/N 1490001002", "\xff", "$", ",", "xx", "american  express",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if n := len(sales.Read(text).Parts); n > 6 {
			t.Errorf("Read(%q) has %d parts", text, n)
		}
	})
}
