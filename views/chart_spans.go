package views

import (
	"context"
	"time"

	"veinte/models"
	"veinte/views/locale"
)

// span is how long a case was in a state.
type span struct {
	state models.State
	long  time.Duration
	open  bool // it is in it still
}

// spans are what the latest case has gone through from the request on, in the order
// of time: nothing of what is over at once, and nothing of a case that no person and
// no program asked for.
func (v *StoryView) spans() []span {
	c := v.Story.Latest()
	if c == nil || c.Origin == models.FromTerminal {
		return nil
	}
	var all []span
	state, since := models.Requested, c.RequestedAt
	for i := range v.Story.Entries {
		e := &v.Story.Entries[i]
		if e.Action != models.ActionCaseMoved || e.CancellationID == nil || *e.CancellationID != c.ID || e.At.Before(since) {
			continue
		}
		to, ok := object(e.After)["state"].(string)
		if !ok {
			continue
		}
		if state.Open() { // what followed an end is nobody's waiting
			all = append(all, span{state, e.At.Sub(since), false})
		}
		state, since = models.State(to), e.At
	}
	if state.Open() {
		all = append(all, span{state, v.Now.Sub(since), true})
	}
	return all
}

// drawnSpan is one with its place in the picture.
type drawnSpan struct {
	span
	x, width string
	words    string
}

// leastSpan is how wide one is at least, in hundredths: what took a second beside
// minutes is seen.
const leastSpan = 1.5

// drawnSpans are as wide as they took; nothing where there is nothing to compare.
func (v *StoryView) drawnSpans(ctx context.Context) []drawnSpan {
	spans := v.spans()
	var whole time.Duration
	for _, s := range spans {
		whole += s.long
	}
	if len(spans) < 2 || whole < time.Second {
		return nil
	}
	var widths []float64
	total := 0.0
	for _, s := range spans {
		w := max(100*float64(s.long)/float64(whole), leastSpan)
		widths, total = append(widths, w), total+w
	}
	all := make([]drawnSpan, 0, len(spans))
	x := 0.0
	for i, s := range spans {
		w := 100 * widths[i] / total
		took := lapse(s.long)
		if s.long < time.Second {
			took = locale.T(ctx, "span.little")
		}
		key := "span."
		if s.open {
			key = "spanOpen."
		}
		all = append(all, drawnSpan{s, percent(x), percent(w), locale.T(ctx, key+string(s.state), "Time", took)})
		x += w
	}
	return all
}

// spansInWords is the picture in a sentence.
func spansInWords(spans []drawnSpan) string {
	words := ""
	for i, s := range spans {
		if i > 0 {
			words += "; "
		}
		words += s.words
	}
	return words + "."
}

// fill is the pattern of a doubt; the others are filled by the styles.
func (s drawnSpan) fill() string {
	if s.state == models.Unknown {
		return partDoubt.fill("spans")
	}
	return "currentColor"
}
