package main

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"time"

	"veinte/models"
)

// trailPages are the kinds of pages, each with a function that makes a new query.
func trailPages(now time.Time) []struct {
	kind  string
	query func(r *rand.Rand) string
} {
	store := func(r *rand.Rand) int { return 1 + r.IntN(stores) }
	serial := func(r *rand.Rand) int { return 1490000000 + r.IntN(stores*4) }
	month := func(r *rand.Rand) (from, to string) {
		first := now.AddDate(0, -1-r.IntN(trailMonths-2), 1-now.Day())
		return first.Format(time.DateOnly), first.AddDate(0, 1, -1).Format(time.DateOnly)
	}
	one := func(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }
	return []struct {
		kind  string
		query func(r *rand.Rand) string
	}{
		{"no filter", func(*rand.Rand) string { return "" }},
		{"store", func(r *rand.Rand) string { return fmt.Sprint("store=", store(r)) }},
		{"terminal", func(r *rand.Rand) string { return fmt.Sprint("terminal=", serial(r)) }},
		{"person", func(r *rand.Rand) string { return fmt.Sprint("person=", 1+r.IntN(trailPeople)) }},
		{"role", func(r *rand.Rand) string {
			return "role=" + one(r, "manager", "supervisor", "administrator", "system", "terminal", "anonymous")
		}},
		{"action", func(r *rand.Rand) string { return "action=" + string(models.Actions[r.IntN(len(models.Actions))]) }},
		{"outcome", func(r *rand.Rand) string { return "outcome=" + one(r, "success", "failure", "denied", "unknown") }},
		{"reason", func(r *rand.Rand) string { return "reason=" + one(r, "duplicate", "wrongAmount", "other", "never") }},
		{"exact amount", func(r *rand.Rand) string { a := 10 + r.IntN(2500); return fmt.Sprintf("min=%d.00&max=%d.00", a, a) }},
		{"narrow amounts", func(r *rand.Rand) string { a := 10 + r.IntN(9000); return fmt.Sprintf("min=%d&max=%d", a, a+7) }},
		{"amount from", func(r *rand.Rand) string { return fmt.Sprintf("min=%d", 100+r.IntN(13000)) }},
		{"address", func(r *rand.Rand) string {
			p := r.IntN(trailPeople)
			return fmt.Sprintf("address=189.%d.%d.%d", p%250, r.IntN(4), 1+p%200)
		}},
		{"attempt", func(r *rand.Rand) string { return fmt.Sprint("attempt=", 1+r.IntN(3)) }},
		{"period of a day", func(r *rand.Rand) string {
			d := now.AddDate(0, 0, -r.IntN(360)).Format(time.DateOnly)
			return "from=" + d + "&to=" + d
		}},
		{"store × month", func(r *rand.Rand) string {
			f, t := month(r)
			return fmt.Sprintf("store=%d&from=%s&to=%s", store(r), f, t)
		}},
		{"store × action", func(r *rand.Rand) string {
			return fmt.Sprintf("store=%d&action=%s", store(r), one(r, "cancellation.requested", "cancellation.refused", "rules.changed"))
		}},
		{"person × outcome", func(r *rand.Rand) string {
			return fmt.Sprintf("person=%d&outcome=%s", 1+r.IntN(trailPeople), one(r, "failure", "denied"))
		}},
		{"action × outcome", func(r *rand.Rand) string {
			return "action=" + one(r, "session.started", "inquiry.sent") + "&outcome=" + one(r, "failure", "unknown")
		}},
		{"never together: role × action", func(r *rand.Rand) string {
			return "role=" + one(r, "administrator", "manager", "supervisor") + "&action=" + one(r, "sales.recorded", "cancellation.moved")
		}},
		{"never together: store × action", func(*rand.Rand) string { return "store=7&action=cancellation.refused" }},
		{"never together: outcome × words", func(r *rand.Rand) string { return "outcome=denied&q=" + one(r, "cobro", "cliente", "confirmed") }},
		{"rare word", func(*rand.Rand) string { return "q=zanahoria" }},
		{"word of nowhere", func(r *rand.Rand) string { return "q=" + one(r, "xilófono", "quetzalcóatl", "brontosaurio") }},
		{"common word", func(r *rand.Rand) string {
			return "q=" + one(r, "sucursal", "confirmed", "caja", "terminal", "cliente")
		}},
		{"person's name", func(r *rand.Rand) string {
			return "q=" + url.QueryEscape(one(r, "sofia nunez", "RAÚL", "elena gomez rios", "ximena vega"))
		}},
		{"beginning of a word", func(r *rand.Rand) string { return "q=" + one(r, "zanah", "canc", "sof", "torr", "confi") }},
		{"order number", func(r *rand.Rand) string {
			d := now.AddDate(0, 0, -r.IntN(360))
			return fmt.Sprintf("q=%s%06d", d.Format("060102"), r.IntN(1_000_000))
		}},
		{"readings left out: person", func(*rand.Rand) string { return fmt.Sprint("person=", trailReader) }},
		{"readings left out: role", func(*rand.Rand) string { return "role=auditor" }},
		{"readings left out: words", func(*rand.Rand) string { return "q=quevedo" }},
		{"readings among all", func(*rand.Rand) string { return "reads=in" }},
		{"person × month", func(r *rand.Rand) string {
			f, t := month(r)
			return fmt.Sprintf("person=%d&from=%s&to=%s", 1+r.IntN(trailPeople), f, t)
		}},
		{"amounts × outcome", func(r *rand.Rand) string {
			a := 10 + r.IntN(9000)
			return fmt.Sprintf("min=%d&max=%d&outcome=%s", a, a+r.IntN(1000), one(r, "success", "failure", "denied", "unknown"))
		}},
		{"amounts × action", func(r *rand.Rand) string {
			a := 10 + r.IntN(9000)
			return fmt.Sprintf("min=%d&max=%d&action=cancellation.requested", a, a+r.IntN(1000))
		}},
		{"four fields", func(r *rand.Rand) string {
			return fmt.Sprintf("store=%d&action=cancellation.moved&outcome=success&attempt=2&min=100&max=900", store(r))
		}},
		{"rare word × outcome that it never has", func(*rand.Rand) string { return "q=zanahoria&outcome=denied" }},
		{"common words", func(r *rand.Rand) string {
			return "q=" + one(r, "sucursal+confirmed", "caja+denied", "ana+torres+confirmed", "cliente+opinion", "luis+sucursal+roma")
		}},
		{"words × month", func(r *rand.Rand) string {
			f, t := month(r)
			return fmt.Sprintf("q=%s&from=%s&to=%s", one(r, "cobro", "sofia", "confirmed", "canc", "zanahoria"), f, t)
		}},
		{"words × store", func(r *rand.Rand) string {
			return fmt.Sprintf("q=%s&store=%d", one(r, "cobro", "opinion", "confirmed"), store(r))
		}},
	}
}
