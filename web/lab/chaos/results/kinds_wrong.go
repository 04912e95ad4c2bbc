package results

import (
	"math/rand/v2"
	"strings"
)

// strangers are posts that belong to nothing, or say something else than what
// they seem to belong to. None may confirm or reject anything.
var strangers = []kind{
	{name: "of nothing that is known", today: func(r *round) {
		s := r.sell("")
		r.requested(s, "accepted")
		p := r.held(s)
		for _, stranger := range [][]any{
			{"orderId", "orden-nadie", "folioNumber", "nadie"},
			{"orderId", "", "folioNumber", "nadie"},
			{"orderId", "", "folioNumber", ""},
			{"orderId", s.OrderID, "terminalId", "1499999999"},
			{"orderId", s.OrderID, "terminalId", r.Serial(r.terminal + 1)},
			{"orderId", "orden-nadie", "terminalId", "1499999999"},
		} {
			for _, code := range []string{"00", refusalCode} {
				q := r.office.altered(p, append(stranger, "traceability", map[string]any{}, "responseCode", code)...)
				r.deliver(q, 2)
				r.became(q, "unmatched 2")
			}
		}
		r.is(s, "accepted", toAccepted)
		r.shown("unmatched", "orden-nadie")
		r.deliver(p, 1)
		r.is(s, "confirmed", toAccepted+" confirmed")
	}},
	{name: "a forged attempt id", today: func(r *round) {
		s := r.sell("")
		r.requested(s, "accepted")
		p := r.held(s)
		random := r.random()
		for _, id := range forgeries(random) {
			for _, said := range [][]any{
				{"responseCode", "00"},
				{"responseCode", refusalCode},
				{"transType", "", "orderId", "", "responseCode", "02", "amount", "0.00"},
			} {
				r.deliver(r.office.altered(p, append(said, "traceability", trace(id))...), 2)
			}
			r.is(s, "accepted", toAccepted)
		}
		r.deliver(p, 1)
		r.is(s, "confirmed", toAccepted+" confirmed")
	}},
	{name: "a forged attempt id, of a sale without a case", today: func(r *round) {
		s := r.sell("")
		p := r.byHand(s)
		r.deliver(r.office.altered(p, "traceability", trace(forgedID(r.random()))), 2)
		r.is(s, "", "")
		r.deliver(p, 1)
		r.is(s, "confirmed/withoutCase", "confirmed")
	}},
	{name: "the amount of another sale", today: func(r *round) {
		s := r.sell("wrongAmount")
		r.requested(s, "accepted")
		p := r.held(s)
		r.deliver(p, 2)
		r.became(p, "conflict 2")
		r.is(s, "accepted/amountDiffers", toAccepted)
		q := r.office.altered(p, "traceability", map[string]any{})
		r.deliver(q, 1)
		r.became(q, "conflict 1")
		r.is(s, "accepted/amountDiffers", toAccepted)
	}},
	{name: "an amount that is none", today: func(r *round) {
		s := r.sell("")
		r.requested(s, "accepted")
		p := r.held(s)
		for _, amount := range []any{
			"0.00", "-" + s.Amount, s.Amount + "1", "9" + strings.Repeat("0", 40), "1e3", "mil", true, []any{s.Amount}, map[string]any{"a": s.Amount},
		} {
			r.deliver(r.office.altered(p, "amount", amount), 1)
			r.is(s, "accepted/amountDiffers", toAccepted)
		}
		r.deliver(p, 1)
		r.is(s, "confirmed/amountDiffers", toAccepted+" confirmed")
	}},
	{name: "another terminal's serial number", today: func(r *round) {
		s := r.sell("wrongTerminal")
		r.requested(s, "accepted")
		p := r.held(s)
		r.deliver(p, 2)
		r.became(p, "conflict 2")
		r.is(s, "accepted/terminalDiffers", toAccepted)
	}},
	{name: "a terminal or an order that is none", today: func(r *round) {
		s := r.sell("")
		r.requested(s, "accepted")
		p := r.held(s)
		for _, none := range []any{strings.Repeat("9", 41), strings.Repeat("9", 90), "1490000001\x00", map[string]any{"s": s.Serial}, []any{}, false} {
			r.deliver(r.office.altered(p, "terminalId", none), 1)
			r.is(s, "accepted/terminalDiffers", toAccepted)
		}
		for _, none := range []any{"orden-nadie", strings.Repeat("9", 90), s.OrderID + "\x00", map[string]any{"o": s.OrderID}, []any{}, false} {
			r.deliver(r.office.altered(p, "orderId", none), 1)
			r.is(s, "accepted/orderDiffers", toAccepted)
			r.deliver(r.office.altered(p, "orderId", none, "traceability", map[string]any{}), 1)
			r.is(s, "accepted/orderDiffers", toAccepted)
		}
		r.deliver(p, 1)
		r.is(s, "confirmed/orderDiffers", toAccepted+" confirmed")
	}},
	{name: "a folio that looks like a card number, as another's does", today: func(r *round) {
		s := r.unsold("")
		if !r.ended() {
			r.fail(r.Box.Control(r.ctx, "POST", "/control/sales", map[string]any{
				"serialNumber": r.Serial(r.terminal), "amount": s.Amount, "orderId": s.OrderID, "folio": "4111111111111111",
			}, nil))
		}
		s.Serial = r.Serial(r.terminal)
		r.seen(s)
		for _, amount := range []any{nil, s.Amount} {
			r.deliver(r.made(s, "orderId", "", "folioNumber", "5500000000000004", "amount", amount), 2)
		}
		r.is(s, "", "")
	}},
	{name: "a sale that speaks of a cancellation", today: func(r *round) {
		s := r.sell("ackNoResult")
		r.requested(s, "accepted")
		// The field counts in inquiries only, and the words in nothing.
		r.deliver(r.made(s, "transType", "A", "reprintModule", "V", "message", "Transaccion Cancelada"), 2)
		r.deliver(r.made(s, "transType", "A", "reprintModule", "V", "isRePrint", false, "traceability", trace(r.attempt(s, 1))), 1)
		r.is(s, "accepted", toAccepted)
	}},
}

// forgeries are attempt ids that we never gave.
func forgeries(random *rand.Rand) []any {
	id := forgedID(random)
	return []any{
		id, strings.ToUpper(id), strings.ReplaceAll(id, "-", ""), "1", strings.Repeat(id, 8), id + "\x00", " ",
		123456, 1.5, true,
		[]any{id},
		map[string]any{"attemptId": id},
	}
}
