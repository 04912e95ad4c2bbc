package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/cancellations"
)

// endedFor ends a doubt about a cancellation that the visitor asked for.
func (h *house) endedFor(v *visitor) *models.Sale {
	h.tb.Helper()
	h.Manager.UserID = v.id
	h.Terminal = h.NewTerminal(h.Store)
	sale, c := h.StateOf(models.Unknown)
	h.must(h.Cancellations.Resolve(h.tb.Context(), h.Supervisor, c.ID, cancellations.Resolution{Outcome: models.Confirmed, Folio: "C-1"}))
	h.Operations.ForgetNotices()
	return sale
}

// The pages of sales of who asked tell how the doubt ended, until they open the sale.
func TestPagesTellHowADoubtEnded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v, colleague := h.manager(), h.as(h.user("Otra Gerente", models.Manager, h.Store))
	sale := h.endedFor(v)
	told := func(v *visitor, path string) int {
		t.Helper()
		return len(v.get(path).want(200).byTestID("ended-doubt"))
	}
	own := fmt.Sprintf("/sales/%d", sale.ID)
	if told(colleague, "/sales") != 0 || told(colleague, own) != 0 {
		t.Error("a colleague who did not ask is told")
	}
	p := v.get("/sales").want(200)
	notice := textOf(p.one("ended-doubt"))
	for _, want := range []string{"$1,250.00", sale.OrderID, "Cancelada"} {
		if !strings.Contains(notice, want) {
			t.Errorf("the notice %q does not say %s", notice, want)
		}
	}
	if !strings.Contains(p.body, `href="`+own+`"`) {
		t.Errorf("the notice has no link to %s: %s", own, p.words())
	}
	if told(v, "/sales?fragment=list") != 1 || told(v, own+"?fragment=story") != 1 {
		t.Error("what is polled does not bring the notice along")
	}
	if told(v, "/help/manager") != 0 || told(v, sheetPath(h.Sale(100))) != 0 {
		t.Error("it pushes down what somebody reads or fills in")
	}
	if told(v, own) != 0 {
		t.Error("the sale's own page, which says it, repeats it in a notice")
	}
	if told(v, "/sales") != 0 {
		t.Error("it is told again after the sale was opened")
	}
}

// Several are told together; who has read them says so, and the next follow.
func TestWhoHasReadHowDoubtsEndedSaysSo(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v, other := h.manager(), h.as(h.user("Otra Gerente", models.Manager, h.Store))
	for range 6 {
		h.endedFor(v)
	}
	theirs := h.endedFor(other)
	p := v.get("/sales?q=x").want(200)
	if n := len(p.byTestID("ended-doubt")); n != 5 {
		t.Fatalf("%d of 6 are told at once, want 5", n)
	}
	form := url.Values{"next": {p.field("next")}, "id": h.idsOf(p)}
	// Whatever else is in the form: another person's, nothing, and what is no number.
	theirID := h.text(`SELECT e.id FROM ended_doubts e JOIN cancellations c ON c.id = e.cancellation_id WHERE c.sale_id = $1`, theirs.ID)
	form["id"] = append(form["id"], theirID, "", "x", "-1", "99999999999999999999")
	v.post("/sales/ended", form).wantTo("/sales?q=x")
	if n := len(v.get("/sales").want(200).byTestID("ended-doubt")); n != 1 {
		t.Errorf("after five were read %d are told, want the sixth", n)
	}
	if n := len(other.get("/sales").want(200).byTestID("ended-doubt")); n != 1 {
		t.Errorf("the other person is told %d, want 1", n)
	}
	v.post("/sales/ended", url.Values{"next": {"https://evil.example"}}).wantTo("/")
}

// idsOf are the hidden ids of the notice's form.
func (h *house) idsOf(p *answer) (ids []string) {
	form := p.one("ended-seen")
	for n := range form.Descendants() {
		if attr(n, "name") == "id" {
			ids = append(ids, attr(n, "value"))
		}
	}
	return ids
}
