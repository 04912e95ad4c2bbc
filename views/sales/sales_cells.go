package sales

import (
	"strconv"
	"strings"

	"veinte/models"
	"veinte/models/sales"
	"veinte/views/ui"
)

func (r *rowWriter) order(b []byte, s *sales.Row) []byte {
	b = append(b, `<td role="cell" class="c-order"><a href="/sales/`...)
	b = strconv.AppendInt(b, s.ID, 10)
	b = append(b, '"')
	if r.v.found() {
		b = append(b, ` data-found`...)
		if !r.v.Part {
			b = append(b, ` autofocus`...) // so that Enter goes on
		}
	}
	b = append(b, '>')
	b = appendText(b, s.OrderID)
	b = append(b, `</a>`...)
	if s.Source == models.SourceManual {
		b = append(b, r.hand...)
	}
	switch {
	case s.DayNotProven():
		b = append(b, r.notProven...)
	case s.OfAnotherDay():
		b = append(b, r.otherDay...)
	}
	return append(b, `</td>`...)
}

func (r *rowWriter) card(b []byte, s *sales.Row) []byte {
	b = append(b, `<td role="cell" class="c-card">`...)
	b = appendCard(b, s.CardBrand, s.Last4)
	return append(b, `</td>`...)
}

// appendCard writes VISA ·· 4242; either part may be missing.
func appendCard(b []byte, brand, last4 string) []byte {
	b = appendText(b, brand)
	if last4 == "" {
		return b
	}
	if brand != "" {
		b = append(b, ' ')
	}
	b = append(b, `<span class="dots" aria-hidden="true">··</span> `...)
	return appendText(b, last4)
}

func (r *rowWriter) state(b []byte, s *sales.Row, looks models.SaleState) []byte {
	b = append(b, `<td role="cell" class="c-state">`...)
	b = append(b, r.pills[looks]...)
	if s.State.Open() {
		b = append(b, `<small class="who">`...)
		switch {
		case s.Requester == "":
			b = append(b, r.byNone...)
		case s.State == models.SaleUnknown:
			b = append(appendText(b, firstName(s.Requester)), ' ')
			b = append(b, r.asked...)
		default:
			b = append(appendText(b, firstName(s.Requester)), ' ')
			b = append(b, r.by...)
		}
		b = append(b, ' ')
		b = ui.AppendClock(b, s.RequestedAt.In(r.zone))
		b = append(b, `</small>`...)
	}
	return append(b, `</td>`...)
}

// action leads to the sheet while the sale can be canceled, and to its detail page
// once it has a cancellation.
func (r *rowWriter) action(b []byte, s *sales.Row) []byte {
	b = append(b, `<td role="cell" class="c-action">`...)
	switch {
	case paused(r.v.Page, &s.Sale):
		b = append(append(append(b, `<span class="paused">`...), r.paused...), `</span>`...)
	case MayCancel(r.v.Actor, &s.Sale, r.v.Window, r.v.Now):
		b = append(b, `<a class="button danger-quiet" data-testid="cancel" data-closes="`...)
		b = r.v.Window.Closes(&s.Sale).UTC().AppendFormat(b, "2006-01-02T15:04:05.000Z")
		b = append(b, `" href="/sales/`...)
		b = strconv.AppendInt(b, s.ID, 10)
		b = append(b, `/cancellation/new">`...)
		b = append(b, r.cancel...)
		// The order number distinguishes links of the same text when they are read
		// aloud.
		b = append(b, `<span class="unseen"> `...)
		b = appendText(b, s.OrderID)
		b = append(b, `</span></a>`...)
	}
	return append(b, `</td>`...)
}

// pick is the box that chooses the sale, to be canceled at once with others. It
// belongs to the form below the list, which does not change with it.
func (r *rowWriter) pick(b []byte, s *sales.Row) []byte {
	b = append(b, `<td role="cell" class="c-pick">`...)
	if MayCancel(r.v.Actor, &s.Sale, r.v.Window, r.v.Now) && r.v.Notices.Pause == nil {
		b = append(b, `<label class="check"><input type="checkbox" name="sale" form="several" data-keep value="`...)
		b = strconv.AppendInt(b, s.ID, 10)
		b = append(b, `"><span class="unseen">`...)
		b = append(b, r.choose...)
		b = append(b, ' ')
		b = appendText(b, s.OrderID)
		b = append(b, `</span></label>`...)
	}
	return append(b, `</td>`...)
}

// firstName is how colleagues call each other in a narrow column.
func firstName(name string) string {
	first, _, _ := strings.Cut(name, " ")
	return first
}
