package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"veinte/models"
)

func TestCancel(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.manager()
	for _, tt := range []struct {
		fact          string
		form          url.Values
		omit          bool
		reason, noted string
	}{
		{"with a receipt", url.Values{"receipt": {"on"}, "reason": {"chargedTwice"}}, false, "chargedTwice", ""},
		{"without", url.Values{"reason": {"wrongAmount"}}, true, "wrongAmount", ""},
		{"anything but on is off", url.Values{"receipt": {"off"}, "reason": {"wrongAmount"}}, true, "wrongAmount", ""},
		{
			"with a note",
			url.Values{"receipt": {"on"}, "reason": {"other"}, "note": {"  Se fue la luz\nen la caja 2 "}},
			false, "other",
			"Se fue la luz\nen la caja 2",
		},
		{
			"500 letters of any script",
			url.Values{"reason": {"other"}, "note": {strings.Repeat("ñ", 500)}},
			true, "other",
			strings.Repeat("ñ", 500),
		},
		{
			"a hostile note is a note",
			url.Values{"reason": {"other"}, "note": {`<script>alert(1)</script>'; DROP TABLE sales; --`}},
			true, "other", `<script>alert(1)</script>'; DROP TABLE sales; --`,
		},
		{"unknown fields", url.Values{"reason": {"chargedTwice"}, "amount": {"1.00"}, "state": {"confirmed"}}, true, "chargedTwice", ""},
		{
			"a field given twice counts as given first",
			url.Values{"reason": {"chargedTwice", "other"}, "receipt": {"on", "off"}},
			false,
			"chargedTwice", "",
		},
	} {
		sale := h.Sale(hereAmount)
		form := tt.form
		form.Set("click", v.get(sheetPath(sale)).field("click"))
		detail := v.follow(v.post(cancelPath(sale), form).wantTo(fmt.Sprintf("/sales/%d", sale.ID))).want(200)
		if attr(detail.one("story"), "data-state") != "requested" || len(detail.byTestID("flash")) != 1 {
			t.Errorf("%s: the detail does not show what was done: %s", tt.fact, detail.words())
		}
		got := h.text(`SELECT concat_ws('|', omit_receipt, reason, note, state, requester) FROM cancellations WHERE sale_id = $1`, sale.ID)
		if want := fmt.Sprintf("%s|%s|%s|requested|Marta Gerente", sqlBool(tt.omit), tt.reason, tt.noted); got != want {
			t.Errorf("%s: case is %q, want %q", tt.fact, got, want)
		}
		if n := h.count(
			`SELECT count(*) FROM audit_entries WHERE action = 'cancellation.requested' AND sale_id = $1 AND actor_id = $2`, sale.ID, v.id,
		); n != 1 {
			t.Errorf("%s: %d entries in the trail, want 1", tt.fact, n)
		}
		if again := v.get(fmt.Sprintf("/sales/%d", sale.ID)); len(again.byTestID("flash")) != 0 {
			t.Errorf("%s: the message is shown twice", tt.fact)
		}
	}
}

func sqlBool(b bool) string {
	if b {
		return "t"
	}
	return "f"
}

// TestCancelKeepsWhatWasEntered sends forms with something missing.
func TestCancelKeepsWhatWasEntered(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale := h.Sale(hereAmount)
	v := h.manager()
	for _, tt := range []struct {
		fact, reason, note, click, es, en string
	}{
		{"no reason", "", "una nota", "c", "Elige el motivo.", "Choose a reason."},
		{"a reason of no list", "nonsense", "una nota", "c", "Elige un motivo de la lista.", "Choose a reason from the list."},
		{"a hostile reason", "<script>", "una nota", "c", "Elige un motivo de la lista.", "Choose a reason from the list."},
		{"other without a note", "other", "", "c", "Explica el motivo en la nota.", "Explain the reason in the note."},
		{"other with a blank note", "other", "  \n ", "c", "Explica el motivo en la nota.", "Explain the reason in the note."},
		{"a long note", "other", strings.Repeat("ñ", 501), "c", "Es demasiado largo.", "This is too long."},
		{"no click", "other", "una nota", "", "La solicitud no se entendió", "was not understood"},
		{"a long click", "other", "una nota", strings.Repeat("x", 65), "La solicitud no se entendió", "was not understood"},
	} {
		for language, words := range map[string]string{"es-MX": tt.es, "en": tt.en} {
			v.language = language
			p := v.post(
				cancelPath(sale), url.Values{"reason": {tt.reason}, "note": {tt.note}, "click": {tt.click}, "receipt": {"on"}},
			).want(422)
			p.says(words)
			if got := strings.TrimPrefix(p.field("note"), "\n"); got != tt.note {
				t.Errorf("%s: the note is now %q, want %q", tt.fact, got, tt.note)
			}
			if got := p.field("receipt"); got != "on" {
				t.Errorf("%s: the receipt is now %q, want on", tt.fact, got)
			}
			if got := p.field("reason"); got != tt.reason && (tt.reason == "other" || got != "") {
				t.Errorf("%s: the reason is now %q", tt.fact, got)
			}
			if off := v.post(
				cancelPath(sale), url.Values{"reason": {tt.reason}, "note": {tt.note}, "click": {tt.click}},
			); off.field("receipt") != "" {
				t.Errorf("%s: the receipt came back on", tt.fact)
			}
		}
	}
	if n := h.count(`SELECT count(*) FROM cancellations`); n != 0 {
		t.Errorf("%d cancellations were opened, want none", n)
	}
}

// TestClickTwice presses the button more than once.
func TestClickTwice(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale, other := h.Sale(hereAmount), h.Sale(hereAmount)
	v := h.manager()
	form := url.Values{"reason": {"chargedTwice"}, "click": {"the-click"}, "receipt": {"on"}}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			twin := &visitor{h: h, language: "es-MX", jar: map[string]string{"veinte_session": v.jar["veinte_session"]}}
			if a := twin.post(cancelPath(sale), form); a.status != 303 || a.header.Get("Location") != fmt.Sprintf("/sales/%d", sale.ID) {
				t.Errorf("the same click = %d to %q, want 303 to the sale", a.status, a.header.Get("Location"))
			}
		})
	}
	wait.Wait()
	h.Dispatch(h.cancellationOf(sale))
	v.post(cancelPath(sale), form).wantTo(fmt.Sprintf("/sales/%d", sale.ID)) // also once it was sent
	if n := h.count(`SELECT count(*) FROM cancellations`); n != 1 {
		t.Errorf("%d cancellations, want 1", n)
	}
	v.post(cancelPath(other), form).want(422) // the click of another sale's sheet
	v.post(cancelPath(sale), url.Values{"reason": {"chargedTwice"}, "click": {"another"}}).want(409)
}

func (h *house) cancellationOf(sale *models.Sale) int64 {
	h.tb.Helper()
	return int64(h.count(`SELECT max(id) FROM cancellations WHERE sale_id = $1`, sale.ID))
}

func TestWithdraw(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.manager()
	sale, c := h.StateOf(models.Requested)
	path, back := fmt.Sprintf("/cancellations/%d/withdrawal", c.ID), fmt.Sprintf("/sales/%d", sale.ID)
	v.get(back).one("withdraw")
	for range 2 { // pressed twice
		p := v.follow(v.post(path, nil).wantTo(back))
		if got := attr(p.one("flash"), "class"); !strings.Contains(got, "flash-done") {
			t.Errorf("a withdrawal is answered by %q", got)
		}
		if got := attr(p.one("story"), "data-state"); got != "cancelable" {
			t.Errorf("after a withdrawal the sale is %q, want cancelable", got)
		}
	}
	_, sent := h.StateOf(models.Accepted)
	p := v.follow(v.post(fmt.Sprintf("/cancellations/%d/withdrawal", sent.ID), nil).want(303))
	p.says("Ya se envió")
	if got := attr(p.one("story"), "data-state"); got != "accepted" {
		t.Errorf("what was sent is now %q, want accepted", got)
	}
}
