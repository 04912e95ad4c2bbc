package sales_test

import (
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/sales"
)

// TestSalesAreFound searches for one sale in every way in which a person, a
// clipboard or a scanner writes what is on its ticket.
func TestSalesAreFound(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	serial := o.Terminal.SerialNumber
	post := func(order string, amount models.Money, last4, folio, auth string) {
		t.Helper()
		p := o.SalePost(serial, amount)
		p.OrderID, p.Last4, p.Folio, p.AuthCode = order, last4, folio, auth
		o.Post(p)
	}
	// The numbers that are not digits only end in a letter: 261120 and the terminal
	// after it would be a card number for one terminal in ten.
	whole := "261120190142-" + string(serial)
	post(whole, 125000, "4242", "Netpay_7", "A1B2C3")
	post("261120120000-"+string(serial), 125050, "1250", "000123", "778899")
	post("WEB261120X", 424200, "9999", "", "")
	canceled := o.FindSale("WEB261120X")
	asked := o.Request(canceled)
	o.Dispatch(asked.ID)
	ticket := modelstest.CancelPost(canceled, modelstest.CurrentKey(o, asked))
	ticket.Folio, ticket.AuthCode = "SLIP-9", "SLIPAUTH"
	o.Post(ticket)
	modelstest.Exec(t, o.Owner, `UPDATE stores SET time_zone = 'America/Tijuana' WHERE id = $1`, o.Store.ID)
	modelstest.Exec(t, o.Owner, `UPDATE sales SET reference = 'Mesa 12' WHERE order_id = $1`, whole)
	modelstest.Exec(t, o.Owner, `UPDATE sales SET card_brand = 'MC Débito' WHERE order_id = $1`, canceled.OrderID)
	modelstest.Exec(t, o.Owner, `UPDATE sales SET reference = '4111 1111 1111 1111' WHERE order_id = $1`, canceled.OrderID) // forbidden

	tests := []struct{ fact, text, want string }{
		{"the whole order number", whole, "0142"},
		{"without the terminal at its end", "261120190142", "0142"},
		{"without its hyphen", strings.ReplaceAll(whole, "-", ""), "0142"},
		{"the beginning of it", "261120", "0000 0142 WEB"},
		{"a part in the middle, which is its time", "190142", "0142"},
		{"the end of it, which is the terminal's", string(serial)[4:], ""},
		{"nor more of that", string(serial)[2:], ""},
		{"nor of what no terminal wrote", "X" + string(serial)[5:], ""},
		{"four digits of its time", "0142", "0142"},
		{"five of them", "90142", "0142"},
		{"but not of its day and time", "11901", ""},
		{"nor six of both", "120190", ""},
		{"nor of its terminal", string(serial)[6:], ""},
		{"three digits are not enough of its time", "142", ""},
		{"the time of the sale", "12:00", "0142 0000 WEB"}, // an order number ahead of the clock is not believed
		{"on the clock of its store", "10:00", "0142 0000 WEB"},
		{"with what is not said", "010:00", ""},
		{"the ten minutes of it", "12:0", "0142 0000 WEB"},
		{"the ten minutes after it", "12:1", ""},
		{"of the sale of another store", "11:00", ""},
		{"no time at all", "25:61", ""},
		{"and a beginning they are", "2611", "0000 0142"},
		{"a scanner's Enter", whole + "\r", "0142"},
		{"its newline and tab", "\t" + whole + "\r\n\t", "0142"},
		{"what nobody sees before it", "\ufeff" + whole, "0142"},
		{"lower case", "web261120", "WEB"},
		{"what stands for a pattern elsewhere is itself", "WEB_61120", ""},
		{"and so is the other such sign", "2611%42", ""},
		{"and the one before them", `WEB26112\0`, ""},
		{"a number that we hold without the terminal", "WEB261120X-" + string(serial), "WEB"},
		{"but not of another terminal", "WEB261120X-9999999999", ""},

		{"an amount", "1250", "0000 0142"}, // and the last four digits of another sale
		{"an amount of money, without its centavos", "$1250", "0000 0142"},
		{"with a space", "$ 1,250.00", "0142"},
		{"with separators", "1,250.00", "0142"},
		{"with one decimal", "1250.5", "0000"},
		{"with its currency", "$1,250.50 MXN", "0000"},
		{"with nothing behind the point", "1,250.", "0000 0142"},
		{"the centavos that were typed", "1250.00", "0142"},
		{"a peso less", "1,249", ""},
		{"the sign of money makes it no card", "$4242", "WEB"},
		{"with separators that are none", "12,50", ""},
		{"no amount at all", "$0", ""},
		{"finer than a centavo", "1250.001", ""},
		{"too large to be money", "99999999999999999999", ""},

		{"the last four digits, or an amount", "4242", "WEB 0142"},
		{"as a ticket writes a card", "**** 4242", "0142"},
		{"in one", "************4242", "0142"},
		{"as our list does", "·· 4242", "0142"},
		{"with its brand", "VISA ·· 4242", "0142"},
		{"with dots", "•••• 4242", "0142"},
		{"with letters for digits", "XXXX-XXXX-XXXX-4242", "0142"},
		{"with small ones", "xxxx-xxxx-xxxx-4242", "0142"},
		{"with the first six", "424242******4242", "0142"},
		{"three digits are no card", "** 242", ""},

		{"an amount and the last four", "1,250.00 4242", "0142"},
		{"the other way round, with more blanks", " 4242   $1250 ", "0142"},
		{"with a part of the order number", "4242 1250 190142", "0142"},
		{"of two sales each one thing", "1,250.50 4242", ""},
		{"with a word that nothing is called", "1,250.00 zapatos", ""},
		{"more words than a ticket has", "$1,250.00 4242 $1,250.00 4242 $1,250.00 4242 $1,250.00", ""},
		{"a brand", "visa", "0142 0000"},
		{"its beginning", "vis", "0142 0000"},
		{"as a terminal spells it", "mastercard", "WEB"},
		{"in two words", "Master Card 9999", "WEB"},
		{"another brand", "carnet", ""},
		{"a brand and the last four", "visa 4242", "0142"},
		{"of another card", "visa 4243", ""},
		{"of another brand", "carnet 4242", ""},
		{"with what our list puts between", "Visa · ·4242", "0142"},
		{"on a card for debit", "VISA DÉBITO 4242", "0142"},
		{"a brand and an amount", "visa 1,250.50", "0000"},
		{"a brand and an amount of four digits, or the last four", "visa 1250", "0142 0000"},
		{"a brand and a time", "visa 10:00 pm", ""},
		{"the time in the other half of the day", "12:00 am", ""},
		{"in its own", "12:00 p. m.", "0142 0000 WEB"},
		{"glued", "12:00pm", "0142 0000 WEB"},
		{"the hour", "12 pm", "0142 0000 WEB"},
		{"last four and time", "4242 12:00", "0142 WEB"},
		{"a minute later, as clocks cut off or round", "12:01", ""},
		{"centavos after a comma", "1250,50", "0000"},
		{"with thousands as elsewhere", "1.250,50", "0000"},
		{"and a currency", "$1250,5", "0000"},
		{"thousands with a point", "$1.250", "0142 0000"},
		{"the whole terminal", string(serial), "0142 0000 WEB"},
		{"as its sticker has it", "S/N " + string(serial), "0142 0000 WEB"},
		{"its end, where that is said", "S/N: " + string(serial)[6:], "0142 0000 WEB"},
		{"of another terminal", "S/N 9999", ""},
		{"a terminal and an amount", "n/s " + string(serial) + " $4242", "WEB"},
		{"a folio", "Netpay_7", "0142"},
		{"a folio in capitals", "NETPAY_7", "0142"},
		{"a folio of digits", "000123", "0000"},
		{"a part of a folio is none", "Netpay", ""},
		{"an authorization", "a1b2c3", "0142"},
		{"the reference of the merchant", "mesa 12", "0142"},
		{"the folio on the ticket of its cancellation", "SLIP-9", "WEB"},
		{"the authorization on it", "slipauth", "WEB"},

		{"a whole card number finds nothing", "4111 1111 1111 1111", ""},
		{"nor beside words", "tarjeta 4111111111111111", ""},
		{"nothing", "  ", "WEB 0000 0142"},
		{"only what nobody sees", "\u200b", ""},
	}
	for _, hyphen := range "'/?´_‐‑–" {
		tests = append(tests, struct{ fact, text, want string }{
			"the hyphen of a scanner that believes in another keyboard", strings.Replace(whole, "-", string(hyphen), 1), "0142",
		})
	}
	for _, tt := range tests {
		page, err := o.Sales.DaySales(t.Context(), o.Manager, sales.Filter{Day: modelstest.SalesToday, Query: strings.TrimSpace(tt.text)})
		if err != nil {
			t.Errorf("%s: DaySales(%q) = %v", tt.fact, tt.text, err)
			continue
		}
		got := map[string]bool{}
		for _, s := range page.Sales {
			head, _, _ := strings.Cut(s.OrderID, "-")
			if len(head) == 12 {
				head = head[8:]
			}
			got[strings.TrimSuffix(head, "261120X")] = true
		}
		for _, want := range strings.Fields(tt.want) {
			if !got[want] {
				t.Errorf("%s: %q does not find %s", tt.fact, tt.text, want)
			}
			delete(got, want)
		}
		for order := range got {
			t.Errorf("%s: %q finds %s, want only %q", tt.fact, tt.text, order, tt.want)
		}
	}
}

// TestATimeIsFoundToTheNearestMinute: a ticket may print the minute of a sale or the one
// that is nearer to it.
func TestATimeIsFoundToTheNearestMinute(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for _, at := range []string{"00:00:00", "15:41:29", "15:41:30", "15:41:59.9", "15:42:00", "23:59:59"} {
		modelstest.Exec(t, o.Owner, `INSERT INTO sales (store_id, terminal_id, serial_number, merchant_id, order_id, amount, currency,
			sold_at, received_at, business_day, cutoff_at, last4, card_brand, auth_code, folio)
			SELECT $1, $2, $3, 'M', $4, 100, 'MXN', at, at, '2026-11-20', '2026-11-20T20:00:00-06:00', '', '', '', ''
			FROM (SELECT ('2026-11-20 ' || $4::text)::timestamp AT TIME ZONE 'America/Mexico_City') s(at)`,
			o.Store.ID, o.Terminal.ID, string(o.Terminal.SerialNumber), at)
	}
	for text, want := range map[string]string{
		"15:40": "", "15:41": "15:41:59.9 15:41:30 15:41:29", "15:42": "15:42:00 15:41:59.9 15:41:30", "3:42 pm": "15:42:00 15:41:59.9 15:41:30",
		"15:43": "", "3:42 am": "", "0:00": "00:00:00", "23:59": "23:59:59", "15:42:00": "15:42:00 15:41:59.9 15:41:30", "15:41:00": "15:41:29",
	} {
		page, err := o.Sales.DaySales(t.Context(), o.Manager, sales.Filter{Day: modelstest.SalesToday, Query: text})
		if err != nil {
			t.Fatalf("DaySales(%q) = %v", text, err)
		}
		var got []string
		for _, s := range page.Sales {
			got = append(got, s.OrderID)
		}
		modelstest.Equal(t, "the sales of "+text, strings.Join(got, " "), want)
	}
}

// TestWhatIsNotHereIsFoundElsewhere: a search without a match lists the other days
// on which the sale is, to those who may see it.
func TestWhatIsNotHereIsFoundElsewhere(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	branch := o.Branch(t)
	sold := func(at string, store *models.Store, order string) {
		t.Helper()
		modelstest.Exec(t, o.Owner, `INSERT INTO sales (store_id, terminal_id, serial_number, merchant_id, order_id, amount, currency,
			sold_at, received_at,
			business_day, cutoff_at, last4, card_brand, auth_code, folio)
			VALUES ($1, $2, $3, 'M', $4, 98700, 'MXN',
			$5::date + time '18:00', $5::date + time '18:00', $5::date, $5::date + time '22:00', '', '', '', '')`,
			store.ID, o.Terminal.ID, string(o.Terminal.SerialNumber), order, at)
	}
	for _, at := range []string{"2026-10-02", "2026-11-12", "2026-11-13", "2026-11-19", "2026-11-20"} {
		sold(at, o.Store, "S"+at)
	}
	sold("2026-11-20", branch.Store, "ELSEWHERE")
	look := func(actor models.Actor, text string, most int) sales.Elsewhere {
		t.Helper()
		found, err := o.Sales.FoundElsewhere(t.Context(), actor, sales.Filter{
			Day: modelstest.SalesToday, StoreID: o.Store.ID, TerminalID: 1,
			State: models.SaleConfirmed, Query: text,
		}, most)
		if err != nil {
			t.Fatalf("FoundElsewhere() = %v", err)
		}
		return found
	}
	const all = 1000
	week := sales.Elsewhere{From: "2026-11-13", To: "2026-11-21"}
	with := func(e sales.Elsewhere, on ...sales.FoundOn) sales.Elsewhere { e.On = on; return e }
	modelstest.Equal(t, "the day and the week before it", look(o.Manager, "987", all), with(week,
		sales.FoundOn{Day: modelstest.SalesToday, Sales: 1}, sales.FoundOn{Day: "2026-11-19", Sales: 1},
		sales.FoundOn{Day: "2026-11-13", Sales: 1}))
	modelstest.Equal(t, "all stores of who sees them", look(o.Supervisor, "987", all).On[:1],
		[]sales.FoundOn{{Day: modelstest.SalesToday, Sales: 2}})
	modelstest.Equal(t, "nothing", look(o.Manager, "1", all), week)
	// A day is searched whole or not at all, and it is said which were.
	modelstest.Equal(t, "as far as two sales go", look(o.Manager, "987", 2), with(sales.Elsewhere{From: "2026-11-20", To: "2026-11-21"},
		sales.FoundOn{Day: modelstest.SalesToday, Sales: 1}))
	modelstest.Equal(t, "as far as no sale goes", look(o.Manager, "987", 1), sales.Elsewhere{From: "2026-11-21", To: "2026-11-21"})

	sold("2026-10-02", o.Store, "261002120000-"+string(o.Terminal.SerialNumber))
	modelstest.Equal(t, "the day that an order number names", look(o.Manager, "261002120000", all),
		sales.Elsewhere{From: "2026-11-13", To: "2026-11-21", Order: "2026-10-02", On: []sales.FoundOn{{Day: "2026-10-02", Sales: 1}}})
	modelstest.Equal(t, "also where no sale goes", look(o.Manager, "261002120000", 1).On, []sales.FoundOn{{Day: "2026-10-02", Sales: 1}})
	if _, err := o.Sales.FoundElsewhere(t.Context(), o.Manager, sales.Filter{Day: "0001-01-02", Query: "1"}, all); err != nil {
		t.Errorf("FoundElsewhere() on the first days there are = %v", err)
	}
}
