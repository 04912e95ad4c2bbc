package sales

import (
	"strconv"
	"strings"

	"veinte/models"
	"veinte/models/sales"
	"veinte/views/ui"
)

// order is what a ticket says, quieter than the rest. One that tells the second of its
// sale and the terminal, which has a column of its own, is shown as 261120·191329.
func (r *rowWriter) order(b []byte, s *sales.Row) []byte {
	b = append(b, `<td>`...)
	day, second, _ := orderParts(&s.Sale)
	if second == "" {
		return appendText(b, s.OrderID)
	}
	b = append(append(b, day...), `·<i>`...)
	return append(append(b, second...), `</i>`...)
}

// orderParts are the day, the second and the terminal of an order number as terminals
// write it. The second, six digits, tells it from others. Any other number is all day.
func orderParts(s *models.Sale) (day, second, terminal string) {
	told, ends := strings.CutSuffix(s.OrderID, "-"+string(s.SerialNumber))
	if !ends || len(told) != len("261120191329") || strings.Trim(told, "0123456789") != "" {
		return s.OrderID, "", ""
	}
	return told[:6], told[6:], s.OrderID[len(told):]
}

// appendCard writes Visa and 4242 behind two dots, which the style adds; either part
// may be missing.
func appendCard(b []byte, brand, last4 string) []byte {
	b = appendText(b, brand)
	if last4 == "" {
		return b
	}
	b = appendText(append(b, ` <b>`...), last4)
	return append(b, `</b>`...)
}

// state is what is out of the ordinary about a sale; of most there is nothing to say.
func (r *rowWriter) state(b []byte, s *sales.Row, looks models.SaleState) []byte {
	b = append(b, `<td>`...)
	begins := len(b)
	if looks == models.SaleRejected && (s.Detail == models.DetailTerminalNotFound || s.Detail == models.DetailInvalidToken) {
		b = append(b, r.unreached...)
	} else {
		b = append(b, r.pills[looks]...)
	}
	if r.waits(s) {
		b = r.wait(b, s)
	} else if s.State.Open() {
		b = append(b, `<small>`...)
		switch {
		case s.Requester == "":
			b = append(b, r.byNone...)
		case s.State == models.SaleUnknown:
			b = append(appendText(b, ui.FirstName(r.ctx, s.Requester)), ' ')
			b = append(b, r.asked...)
		default:
			b = append(appendText(b, ui.FirstName(r.ctx, s.Requester)), ' ')
			b = append(b, r.by...)
		}
		b = append(b, ' ')
		b = ui.AppendClock(b, s.RequestedAt.In(r.zone))
		b = append(b, `</small>`...)
	}
	if s.Source == models.SourceManual {
		b = append(b, r.hand...)
	}
	switch {
	case s.DayNotProven():
		b = append(b, r.notProven...)
	case s.OfAnotherDay():
		b = append(b, r.otherDay...)
	}
	if len(b) == begins {
		b = append(b, r.said[looks]...)
	}
	return b
}

// action leads to the sheet while the sale can be canceled, and to what is to be done
// about a doubt.
func (r *rowWriter) action(b []byte, s *sales.Row) []byte {
	b = append(b, `<td>`...)
	switch {
	case paused(r.v.Page, &s.Sale):
		b = append(append(append(b, `<span class="paused">`...), r.paused...), `</span>`...)
	case MayCancel(r.v.Actor, &s.Sale, r.v.Window, r.v.Now):
		says := r.cancel
		if s.State != models.SaleCancelable {
			says = r.again
		}
		b = append(b, `<a href=/sales/`...)
		b = strconv.AppendInt(b, s.ID, 10)
		b = append(append(append(b, `/cancellation/new>`...), says...), `</a>`...)
	case s.State == models.SaleUnknown:
		b = append(b, `<a href=/sales/`...)
		b = strconv.AppendInt(b, s.ID, 10)
		b = append(append(append(b, '>'), r.whatToDo...), `</a>`...)
	}
	return b
}

// pick is the box that chooses the sale, to be canceled at once with others. It
// belongs to the form below the list, which does not change with it.
func (r *rowWriter) pick(b []byte, s *sales.Row) []byte {
	b = append(b, `<td>`...)
	if MayCancel(r.v.Actor, &s.Sale, r.v.Window, r.v.Now) && r.v.Notices.Pause == nil {
		b = append(b, `<label><input type=checkbox name=sale form=several value=`...)
		b = strconv.AppendInt(b, s.ID, 10)
		b = append(b, ` aria-label=`...) // its column says what for
		b = append(ui.AppendMoney(b, s.Amount), `></label>`...)
	}
	return b
}
