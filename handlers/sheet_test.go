package handlers_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
)

func sheetPath(s *models.Sale) string  { return fmt.Sprintf("/sales/%d/cancellation/new", s.ID) }
func cancelPath(s *models.Sale) string { return fmt.Sprintf("/sales/%d/cancellation", s.ID) }

func TestSheet(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale := h.Sale(hereAmount)
	v := h.manager()
	page, part := v.get(sheetPath(sale)).want(200), v.get(sheetPath(sale), "HX-Request", "true").want(200)
	if !strings.Contains(page.body, "<html") || strings.Contains(part.body, "<html") {
		t.Error("the sheet is a page for a browser and a part for the script, not so here")
	}
	if got := page.header.Get("Vary"); !strings.Contains(got, "HX-Request") {
		t.Errorf("Vary = %q, want HX-Request: the two differ by it", got)
	}
	clicks := map[string]bool{}
	for _, p := range []*answer{page, part} {
		if got := attr(p.one("cancel-form"), "action"); got != cancelPath(sale) {
			t.Errorf("the form goes to %q, want %q", got, cancelPath(sale))
		}
		if got := p.field("receipt"); got != "on" {
			t.Errorf("the receipt is %q at first, want on", got)
		}
		if got := p.field("csrf"); opened(got) != opened(v.csrf()) {
			t.Errorf("the form's token is %q, want that of the session", got)
		}
		p.one("confirm")
		if got := p.field("reason"); got != "" {
			t.Errorf("the reason %q is chosen before anybody chose it", got)
		}
		p.says("$4,312.98")
		p.says(sale.OrderID)
		clicks[p.field("click")] = true
	}
	if len(clicks) != 2 || clicks[""] {
		t.Errorf("two sheets carry the clicks %v, want two different ones", clicks)
	}
	if got := h.visitor().get(sheetPath(sale), "HX-Request", "true").status; got != 401 {
		t.Errorf("the part without a session = %d, want 401", got)
	}
}

// TestSheetRefuses opens the sheet, and sends it, when the sale cannot be
// canceled: the same words both times, and nothing is opened.
func TestSheetRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fact   string
		status int // of the form
		es, en string
		sale   func(*house) *models.Sale
	}{
		{"the cut-off has passed", 409, "Pasó la hora límite", "The cut-off has passed", func(h *house) *models.Sale {
			s := h.Sale(hereAmount)
			h.Clock.Set(s.CutoffAt)
			return s
		}},
		{"it was sold yesterday", 409, "Pasó la hora límite", "The cut-off has passed", func(h *house) *models.Sale {
			s := h.Sale(hereAmount)
			h.Clock.Set(modelstest.At(h.tb, "2026-11-21T09:00:00-06:00"))
			return s
		}},
		{"it was sold after the cut-off", 409, "Pasó la hora límite", "The cut-off has passed", func(h *house) *models.Sale {
			h.Clock.Set(modelstest.At(h.tb, "2026-11-20T20:30:00-06:00"))
			return h.Sale(hereAmount)
		}},
		{"a cancellation is open", 409, "ya solicitó cancelarla a las 12:00", "already requested its cancellation", func(h *house) *models.Sale {
			s, _ := h.StateOf(models.Unknown)
			return s
		}},
		{"it is canceled", 409, "ya la canceló: la solicitó a las 12:00", "has canceled it: requested at 12:00", func(h *house) *models.Sale {
			s, _ := h.StateOf(models.Confirmed)
			return s
		}},
		{"a supervisor found it not canceled", 403, "solo un supervisor", "only a supervisor", func(h *house) *models.Sale {
			s, _ := h.StateOf(models.NotCanceled)
			return s
		}},
		{"the terminal is retired", 409, "fuera de uso", "retired", func(h *house) *models.Sale {
			s := h.Sale(hereAmount)
			h.exec(`UPDATE terminals SET retired_at = now()`)
			return s
		}},
	} {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			sale := tt.sale(h)
			v := h.manager()
			open := h.count(`SELECT count(*) FROM cancellations`)
			for language, words := range map[string]string{"es-MX": tt.es, "en": tt.en} {
				v.language = language
				sheet := v.get(sheetPath(sale)).want(200)
				sent := v.post(cancelPath(sale), url.Values{"reason": {"chargedTwice"}, "click": {"c-" + language}, "receipt": {"on"}})
				if sent.status != tt.status {
					t.Errorf("POST = %d, want %d", sent.status, tt.status)
				}
				for _, p := range []*answer{sheet, sent} {
					p.says(words)
					if n := len(p.byTestID("confirm")); n != 0 {
						t.Errorf("%s still offers to confirm", p.what)
					}
				}
			}
			if got := h.count(`SELECT count(*) FROM cancellations`); got != open {
				t.Errorf("%d cancellations, want %d: nothing was opened", got, open)
			}
			h.endMinute()
			if got := h.count(`SELECT sum(coalesce((after->>'more')::int, 1)) FROM audit_entries
				WHERE action = 'cancellation.refused' AND actor_id = $1`, v.id); got != 2 {
				t.Errorf("%d refusals in the trail, want 2", got)
			}
		})
	}
}

// TestCutoff asks for a cancellation around the cut-off.
func TestCutoff(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, tt := range []struct {
		at     string
		status int
	}{
		{"2026-11-20T19:59:54.999999-06:00", 303},
		{"2026-11-20T19:59:55-06:00", 409}, // the margin
		{"2026-11-20T19:59:59-06:00", 409},
		{"2026-11-20T20:00:00-06:00", 409},
		{"2026-11-20T23:59:59-06:00", 409},
		{"2026-11-21T00:00:00-06:00", 409},
		{"2026-11-21T12:00:00-06:00", 409},
	} {
		h.Clock.Set(modelstest.At(t, modelstest.Noon))
		sale := h.Sale(hereAmount)
		h.Clock.Set(modelstest.At(t, tt.at))
		v := h.manager2(tt.at)
		if a := v.post(cancelPath(sale), url.Values{"reason": {"chargedTwice"}, "click": {"c"}}); a.status != tt.status {
			t.Errorf("at %s = %d, want %d", tt.at, a.status, tt.status)
		}
		if offered := len(v.get(sheetPath(sale)).byTestID("confirm")) + len(v.get(
			fmt.Sprintf("/sales/%d", sale.ID),
		).byTestID("cancel")); offered != 0 {
			t.Errorf("at %s the sale can be canceled again or still: %d ways", tt.at, offered)
		}
	}
}

// TestSupervisorAsksAgain asks for a sale that was found not canceled.
func TestSupervisorAsksAgain(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale, _ := h.StateOf(models.NotCanceled)
	v := h.supervisor()
	v.get(sheetPath(sale)).want(200).one("confirm")
	v.post(cancelPath(sale), url.Values{"reason": {"chargedTwice"}, "click": {"c"}}).wantTo(fmt.Sprintf("/sales/%d", sale.ID))
}

// TestSheetGrowsOld sends a sheet after somebody else was faster.
func TestSheetGrowsOld(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale := h.Sale(hereAmount)
	v := h.manager()
	click := v.get(sheetPath(sale)).field("click")
	if _, err := h.Cancellations.Request(context.Background(), h.Supervisor, h.CancelRequest(sale)); err != nil {
		t.Fatal(err)
	}
	v.post(cancelPath(sale), url.Values{"reason": {"chargedTwice"}, "click": {click}}).want(409).says("ya solicitó cancelarla a las 12:00")
}
