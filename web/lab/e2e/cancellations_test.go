package e2e

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

var clickField = regexp.MustCompile(`name="click" value="([^"]+)"`)

// cancelForm is the form of a sale's sheet.
func (p *person) cancelForm(t testing.TB, saleID string) url.Values {
	t.Helper()
	_, text := p.get(t, "/sales/"+saleID+"/cancellation/new")
	click, csrf := clickField.FindStringSubmatch(text), csrfField.FindStringSubmatch(text)
	if click == nil || csrf == nil {
		t.Fatalf("the sheet of sale %s has no form: %.500s", saleID, text)
	}
	return url.Values{"csrf": {csrf[1]}, "click": {click[1]}, "reason": {"wrongAmount"}, "receipt": {"on"}}
}

// cancel requests a sale's cancellation without a browser.
func (p *person) cancel(t testing.TB, saleID string) {
	t.Helper()
	status, text := p.post(t, "", "/sales/"+saleID+"/cancellation", p.cancelForm(t, saleID))
	if status != http.StatusSeeOther {
		t.Fatalf("cancel sale %s = %d, want 303: %.500s", saleID, status, text)
	}
}

var detailState = regexp.MustCompile(`data-testid="story" data-state="(\w+)"`)

// waitFor waits until a sale's detail page shows a state.
func (p *person) waitFor(t testing.TB, saleID, state string) {
	t.Helper()
	shown := ""
	for end := time.Now().Add(patience); time.Now().Before(end); {
		_, text := p.get(t, "/sales/"+saleID)
		if m := detailState.FindStringSubmatch(text); m != nil {
			shown = m[1]
		}
		if shown == state {
			return
		}
		select {
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
	t.Fatalf("sale %s is %q, want %q", saleID, shown, state)
}

// everyState makes sales in every state that a day brings, each on a terminal of its own.
// It maps a state to the sale's number, and "order" to the order number of the
// cancelable one.
func (s *server) everyState(t testing.TB) map[string]string {
	t.Helper()
	ana := s.as(t, manager)
	made := map[string]string{}
	for _, c := range []struct {
		state, fault string
		more         map[string]any
	}{
		{"cancelable", "", nil},
		{"accepted", "ackNoResult", nil},
		{"confirmed", "none", nil},
		{"rejected", "notFound", nil},
		{"unknown", "dropAfterReading", map[string]any{"acts": false}},
	} {
		order := s.box.sell(t, s.newTerminal(t, romaNorte).serial, "1250.00", map[string]any{"last4": "4242"})
		sale := s.saleID(t, order)
		made[c.state] = sale
		if c.state == "cancelable" {
			made["order"] = order
		}
		if c.fault == "" {
			continue
		}
		if c.fault != "none" {
			s.box.fault(t, order, c.fault, c.more)
		}
		ana.cancel(t, sale)
		ana.waitFor(t, sale, c.state)
	}
	made["notCanceled"] = s.resolved(t, "notCanceled")
	made["requested"], made["withdrawn"] = s.queued(t), s.queued(t)
	_, story := ana.get(t, "/sales/"+made["withdrawn"])
	m := regexp.MustCompile(`action="(/cancellations/\d+/withdrawal)"`).FindStringSubmatch(story)
	if m == nil {
		t.Fatalf("the story of sale %s, which waits, offers no withdrawal", made["withdrawn"])
	}
	if status, text := ana.post(t, "/sales/"+made["withdrawn"], m[1], url.Values{}); status != http.StatusSeeOther {
		t.Fatalf("take back %s = %d, want 303: %.500s", m[1], status, text)
	}
	ana.waitFor(t, made["withdrawn"], "cancelable")
	made["conflict"] = s.canceledThere(t)
	return made
}

// queued is a sale whose cancellation waits for another on its terminal.
func (s *server) queued(t testing.TB) string {
	t.Helper()
	place, ana := s.newTerminal(t, romaNorte), s.as(t, manager)
	s.accepted(t, place)
	second := s.saleID(t, s.box.sell(t, place.serial, "1250.00", nil))
	ana.cancel(t, second)
	ana.waitFor(t, second, "requested")
	return second
}

// accepted is a sale whose terminal does not report the result.
func (s *server) accepted(t testing.TB, place terminal) (saleID string) {
	t.Helper()
	order, ana := s.box.sell(t, place.serial, "90.00", nil), s.as(t, manager)
	s.box.withhold(t, order)
	saleID = s.saleID(t, order)
	ana.cancel(t, saleID)
	ana.waitFor(t, saleID, "accepted")
	return saleID
}

// canceledThere is a sale that was canceled on the device itself.
func (s *server) canceledThere(t testing.TB) string {
	t.Helper()
	order := s.box.sell(t, s.newTerminal(t, romaNorte).serial, "1250.00", nil)
	s.box.do(t, http.MethodPost, "/control/cancellations-on-terminal", map[string]any{"orderId": order}, nil)
	sale := s.saleID(t, order)
	s.as(t, manager).waitFor(t, sale, "confirmed")
	return sale
}

// resolved is a sale whose doubt a supervisor has resolved.
func (s *server) resolved(t testing.TB, outcome string) string {
	t.Helper()
	order := s.box.sell(t, s.newTerminal(t, romaNorte).serial, "480.00", nil)
	s.box.fault(t, order, "dropAfterReading", map[string]any{"acts": false})
	sale := s.saleID(t, order)
	s.as(t, manager).cancel(t, sale)
	sofia := s.as(t, supervisor)
	sofia.waitFor(t, sale, "unknown")
	_, story := sofia.get(t, "/sales/"+sale)
	m := regexp.MustCompile(`action="(/cancellations/\d+/resolution)"`).FindStringSubmatch(story)
	if m == nil {
		t.Fatalf("the story of sale %s in doubt offers a supervisor no resolution", sale)
	}
	status, text := sofia.post(t, "/sales/"+sale, m[1], url.Values{
		"outcome": {outcome}, "authCode": {"123456"}, "folio": {"venta_480.00"}, "note": {"La terminal muestra la venta como cobrada."},
	})
	if status != http.StatusSeeOther {
		t.Fatalf("resolve %s = %d, want 303: %s", m[1], status, firstError(text))
	}
	sofia.waitFor(t, sale, outcome)
	return sale
}

// firstError is a form's first error message.
func firstError(html string) string {
	if _, after, ok := strings.Cut(html, "data-error-summary"); ok {
		return after[:min(len(after), 600)]
	}
	return html[:min(len(html), 600)]
}
