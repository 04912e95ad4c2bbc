package places

import (
	"context"
	"net/url"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/results"
	"veinte/models/terminals"
	exchangeview "veinte/views/exchange"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// movable is where the terminals are chosen of which nothing was refused; "" when
// all were, or none.
func (v *TerminalMovesView) movable() string {
	q := url.Values{}
	for i := range v.Terminals {
		if why, asked := v.Form.Why[v.Terminals[i].ID]; asked && why == nil {
			q.Add("terminal", ui.Itoa(v.Terminals[i].ID))
		}
	}
	if n := len(q["terminal"]); n == 0 || n == len(v.Terminals) {
		return ""
	}
	ui.SetID(q, "store", v.Form.StoreID)
	ui.Set(q, "from", v.Form.From)
	return ui.Address("/terminals/moves/new", q)
}

// healthWords says how many problems the map has.
func healthWords(ctx context.Context, problems int64) string {
	if problems == 0 {
		return locale.T(ctx, "health.fine")
	}
	return locale.T(ctx, "health.count", "Count", problems, "N", ui.Number(problems))
}

// terminalProblems are those of registered terminals, by which the list is
// filtered.
var terminalProblems = terminals.Problems[2:]

// problemSays explains a problem, with its particulars.
func problemSays(ctx context.Context, p ui.Page, t *terminals.TerminalProblem, days int) string {
	when := ui.Since(ctx, p, t.At)
	return locale.T(ctx, "problemSays."+string(t.Kind), "When", when, "Serial", t.Detail, "N", t.Detail,
		"Merchant", t.MerchantID, "Days", days)
}

// days is the number of days that the page goes by.
func (v *TerminalHealthView) days() int {
	if v.Filter.Days == 0 {
		return terminals.DefaultDays
	}
	return v.Filter.Days
}

// remedy is a link to what can be done about a problem.
type remedy struct {
	key string
	to  templ.SafeURL
}

// remedies lists what can be done, the likeliest first.
func remedies(t *terminals.TerminalProblem) []remedy {
	page := words.TerminalURL(t.TerminalID)
	outcomes := remedy{"remedy.results", templ.SafeURL(exchangeview.ResultsURL(results.Filter{SerialNumber: t.SerialNumber}))}
	merchant := remedy{"remedy.merchant", page + "/edit#merchant"}
	switch t.Kind {
	case terminals.ProblemUnknownSerial:
		return []remedy{{"remedy.register", register(t.SerialNumber, t.MerchantID)}, outcomes}
	case terminals.ProblemInvalidSerial:
		if t.SerialNumber == "" {
			outcomes.to = templ.SafeURL(exchangeview.ResultsURL(results.Filter{Status: models.ResultUnmatched}))
		}
		return []remedy{outcomes, {"remedy.register", register(t.SerialNumber, t.MerchantID)}}
	case terminals.ProblemNoStore:
		return []remedy{{"remedy.place", page + "/moves/new"}, {"remedy.retire", page + "#retire"}}
	case terminals.ProblemSharedMerchant:
		return []remedy{merchant, {"remedy.other", words.TerminalURL(t.OtherID)}}
	case terminals.ProblemOtherSerial:
		if t.OtherID != 0 {
			return []remedy{{"remedy.other", words.TerminalURL(t.OtherID)}, outcomes}
		}
		return []remedy{{"remedy.register", register(t.Detail, "")}, outcomes}
	case terminals.ProblemNotFound:
		return []remedy{merchant, outcomes}
	case terminals.ProblemSharedAddress, terminals.ProblemOlderAddress:
		return []remedy{{"remedy.address", page + "#address"}, outcomes}
	case terminals.ProblemNoSales:
		return []remedy{outcomes, {"remedy.retire", page + "#retire"}}
	}
	return []remedy{{"remedy.look", page}, {"remedy.retire", page + "#retire"}}
}

// register leads to the form of a new terminal with what is known of it.
func register(serial, merchant string) templ.SafeURL {
	q := url.Values{}
	ui.Set(q, "serialNumber", serial)
	ui.Set(q, "merchantId", merchant)
	return templ.SafeURL(ui.Address("/terminals/new", q))
}
