package sales

import (
	"cmp"
	"context"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/sales"
	"veinte/views/locale"
	"veinte/views/ui"
)

// expiresSoon is how long before a sale closes a request that waits also says what
// becomes of it then.
const expiresSoon = 5 * time.Minute

// waitText says what a request waits for and until when. The sale on the terminal's
// screen stands between the first two parts, so that it can be a link.
type waitText struct {
	Before, Sale, After string // Sale is "" when the request only waits for its turn
	SaleID              int64  // 0: no link
	Until               string // when it is sent at the latest
	Expires             string // what becomes of it otherwise; "" while that is far
}

// waitOf words what the request about a sale waits for.
func waitOf(ctx context.Context, p ui.Page, s *models.Sale, terminal string, w sales.Wait) waitText {
	var t waitText
	if w.State == "" && !w.Inquiry {
		t.Before = ui.CountOf(ctx, "wait.turn", w.Ahead, "Terminal", terminal)
	} else {
		t.Sale = locale.T(ctx, "wait.hidden")
		switch w.For.ID {
		case 0:
		case s.ID:
			t.Sale = locale.T(ctx, "wait.this")
		default:
			t.Sale, t.SaleID = locale.T(ctx, "wait.sale", "Amount", ui.Money(w.For.Amount)), w.For.ID
		}
		t.Before, t.After, _ = strings.Cut(locale.T(ctx, "wait."+waitCause(w), "Terminal", terminal, "Sale", "\x00"), "\x00")
		if w.Ahead > 0 {
			t.After += " " + ui.CountOf(ctx, "wait.also", w.Ahead)
		}
	}
	closes := p.Window.Closes(s)
	if w.Until.Before(closes) {
		t.Until = locale.T(ctx, "wait.until", "Time", ui.ClockSeconds(w.Until, p.Zone()))
	}
	if !w.Until.Before(closes) || closes.Sub(p.Now) <= expiresSoon {
		t.Expires = locale.T(ctx, "wait.expires", "Time", ui.ClockSeconds(closes, p.Zone()))
	}
	return t
}

func waitCause(w sales.Wait) string {
	switch {
	case w.Inquiry:
		return "inquiry"
	case w.State == models.Unknown:
		return "doubt"
	case w.State == models.NotCanceled:
		return "stated"
	}
	return "push"
}

// waits reports whether the list says what the sale's request waits for. A pause says
// more.
func (r *rowWriter) waits(s *sales.Row) bool {
	_, waits := r.v.List.Waits[s.ID]
	return waits && r.v.Notices.Pause == nil
}

// wait says in the list who asked for a request, and what it waits for.
func (r *rowWriter) wait(b []byte, s *sales.Row) []byte {
	t := waitOf(r.ctx, r.v.Page, &s.Sale, r.v.terminalLabel(s.TerminalID), r.v.List.Waits[s.ID])
	b = append(b, `<small class="wait" data-testid="wait">`...)
	b = append(appendText(b, ui.FirstName(r.ctx, s.Requester)), ", "...)
	b = append(ui.AppendClock(b, s.RequestedAt.In(r.zone)), ". "...)
	b = append(t.appendCause(b), ' ')
	return append(appendText(b, cmp.Or(t.Expires, t.Until)), `</small>`...)
}

// appendCause writes what it waits for, with the way there.
func (t *waitText) appendCause(b []byte) []byte {
	b = appendText(b, t.Before)
	if t.SaleID != 0 {
		b = append(b, `<a href="/sales/`...)
		b = strconv.AppendInt(b, t.SaleID, 10)
		b = append(b, `">`...)
		b = append(appendText(b, t.Sale), `</a>`...)
	} else {
		b = appendText(b, t.Sale)
	}
	return appendText(b, t.After)
}

// cause is appendCause for a page. Templates put spaces where lines break.
func (t *waitText) cause() templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := w.Write(append(t.appendCause(nil), ' '))
		return err
	})
}

// wait is what the sale's request waits for; nil when it waits for nothing, or a pause
// says more.
func (v *SaleDetailView) wait(ctx context.Context) *waitText {
	c := v.Detail.Latest()
	if c == nil || c.State != models.Requested || v.Wait == nil || v.Notices.Pause != nil {
		return nil
	}
	t := waitOf(ctx, v.Page, &v.Detail.Sale, v.terminal(), *v.Wait)
	return &t
}
