package sales

import (
	"context"
	"time"

	"veinte/models"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// Spans are the states of the latest cancellation since its request, in order of
// time. States that end at once are left out, and so are cancellations that neither
// a user nor a program requested.
func (v *SaleDetailView) Spans() []ui.Span {
	c := v.Detail.Latest()
	if c == nil || c.Origin == models.FromTerminal {
		return nil
	}
	var all []ui.Span
	state, since := models.Requested, c.RequestedAt
	for i := range v.Detail.Entries {
		e := &v.Detail.Entries[i]
		if e.Action != models.ActionCancellationMoved || e.CancellationID == nil || *e.CancellationID != c.ID || e.At.Before(since) {
			continue
		}
		to, ok := words.Object(e.After)["state"].(string)
		if !ok {
			continue
		}
		if state.Open() { // what followed an end is nobody's waiting
			all = append(all, ui.Span{State: state, Long: ui.Between(since, e.At), Open: false})
		}
		state, since = models.State(to), e.At
	}
	if state.Open() {
		all = append(all, ui.Span{State: state, Long: ui.Between(since, v.Now), Open: true})
	}
	return all
}

// DrawnSpans are as wide as they took. One alone is as wide as all of them, so that the
// picture is there from the first moment, and moves nothing when there is more to it.
func (v *SaleDetailView) DrawnSpans(ctx context.Context) []ui.DrawnSpan {
	spans := v.Spans()
	var whole time.Duration
	for _, s := range spans {
		whole += s.Long
	}
	if len(spans) == 0 {
		return nil
	}
	var widths []float64
	total := 0.0
	for _, s := range spans {
		w := max(100*float64(s.Long)/float64(max(whole, 1)), ui.LeastSpan)
		widths, total = append(widths, w), total+w
	}
	all := make([]ui.DrawnSpan, 0, len(spans))
	x := 0.0
	for i, s := range spans {
		w := 100 * widths[i] / total
		took := ui.Lapse(s.Long)
		if s.Long < time.Second {
			took = locale.T(ctx, "span.little")
		}
		key := "span."
		if s.Open {
			key = "spanOpen."
		}
		all = append(all, ui.DrawnSpan{Span: s, X: ui.Percent(x), Width: ui.Percent(w), Words: locale.T(ctx, key+string(s.State), "Time", took)})
		x += w
	}
	return all
}
