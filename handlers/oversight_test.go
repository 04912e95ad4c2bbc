package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"veinte/models"
)

// quickly has the house's manager cancel so many sales within a minute of them.
func (h *house) quickly(n int) {
	h.tb.Helper()
	for range n {
		h.Request(h.SaleAt(h.NewTerminal(h.Store), hereAmount))
	}
}

// markForm is what the page's form of a mark would send.
func markForm(a *answer, note string) url.Values {
	fields := url.Values{}
	for _, form := range a.forms() {
		if form[""] == "/oversight/marks" {
			for name, value := range form {
				fields.Set(name, value)
			}
		}
	}
	fields.Del("")
	fields.Del("csrf")
	fields.Set("note", note)
	return fields
}

func (p *page) holds(texts ...string) {
	p.tb.Helper()
	for _, s := range texts {
		if !strings.Contains(p.body, s) {
			p.tb.Errorf("%s lacks %q:\n%s", p.what, s, p.words())
		}
	}
}

// isNotified waits for the navigation to say how many findings nobody has reviewed:
// it is counted in the background.
func (v *visitor) isNotified(want string) {
	v.h.tb.Helper()
	got := ""
	for begin := time.Now(); time.Since(begin) < 30*time.Second; {
		if shown := v.get("/sales").byTestID("review-count"); len(shown) == 1 {
			if got = textOf(shown[0]); strings.HasPrefix(got, want) {
				return
			}
		}
	}
	v.h.tb.Errorf("the navigation says %q, want %s", got, want)
}

func TestASupervisorLooksAtAFinding(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.quickly(3)
	sara, ada := h.supervisor(), h.administrator()
	list := sara.get("/oversight/patterns")
	list.want(http.StatusOK)
	list.holds(`data-testid="finding" data-kind="quick"`, `data-new="3"`)
	at := "/oversight/finding?kind=quick&subject=" + fmt.Sprint("u", h.Manager.UserID)
	shown := sara.get(at)
	shown.want(http.StatusOK)
	if n := strings.Count(shown.body, `data-testid="finding-case"`); n != 3 {
		t.Errorf("the page shows %d cancellations, want 3", n)
	}
	// An administrator reads without marking.
	if got := ada.get(at); strings.Contains(got.body, "mark-form") || !strings.Contains(got.body, "reads-only") {
		t.Error("an administrator is shown a form")
	}
	// The sales of the house are all of one card: that is another finding.
	sara.isNotified("2")
	if n := len(ada.get("/sales").byTestID("review-count")); n != 0 {
		t.Error("the number stands where nobody marks")
	}

	fields := markForm(shown, " ")
	empty := sara.post("/oversight/marks", fields)
	empty.want(http.StatusUnprocessableEntity)
	empty.holds(`id="e-note"`, "finding-case")
	fields.Set("note", "Práctica de la caja nueva")
	for range 2 { // pressed twice
		marked := sara.post("/oversight/marks", fields)
		marked.want(http.StatusSeeOther)
		if to := marked.header.Get("Location"); !strings.HasPrefix(to, "/oversight/finding?") || !strings.Contains(to, "kind=quick") {
			t.Errorf("after the mark to %q, want back to the finding", to)
		}
	}
	if n := h.count(`SELECT count(*) FROM oversight_marks`); n != 1 {
		t.Errorf("%d marks, want 1", n)
	}
	reviewed := sara.get(at)
	reviewed.holds("Práctica de la caja nueva", "Sara Supervisora", `data-testid="looked"`)
	sara.isNotified("1")

	// The other tab still shows the finding as nobody has reviewed at it.
	other := h.as(h.user("Otra Supervisora", models.Supervisor))
	fields.Set("note", "también la vi")
	late := other.post("/oversight/marks", fields)
	late.want(http.StatusConflict)
	late.holds("Alguien lo revisó antes que tú", `value="también la vi"`, "Práctica de la caja nueva")
	h.quickly(1)
	again := sara.post("/oversight/marks", markForm(reviewed, "otra"))
	again.want(http.StatusConflict)
	again.holds("1 caso nuevo desde que se revisó")
}

// Everything that is read leaves an entry, also what is taken along.
func TestReadingOversightIsInTheTrail(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.quickly(3)
	sara := h.supervisor()
	for path, page := range map[string]string{
		"/oversight?by=terminal": "report", "/oversight.csv?by=terminal": "report.csv", "/oversight/patterns?kind=late": "patterns",
		"/oversight/patterns.csv": "patterns.csv", "/oversight/finding?kind=quick&subject=u" + fmt.Sprint(h.Manager.UserID): "finding",
	} {
		sara.get(path).want(http.StatusOK)
		if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'oversight.read' AND actor_id = $1 AND after ->> 'page' = $2
			AND after ->> 'from' = '2026-10-24'`, sara.id, page); n != 1 {
			t.Errorf("%s left %d entries, want 1", path, n)
		}
	}
}

func TestFilesOfOversightAreFiles(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	h.quickly(3)
	here := h.as(h.user("Sara", models.Supervisor, h.Store))
	for path, want := range map[string]string{
		"/oversight.csv?by=store":                               "\ufeffSucursal,Canceladas",
		"/oversight/patterns.csv?from=2026-11-20&to=2026-11-20": "\ufeffFoco rojo,Quién o qué",
	} {
		got := here.get(path)
		got.want(http.StatusOK)
		if !strings.HasPrefix(got.body, want) || got.header.Get("Content-Type") != "text/csv; charset=utf-8" ||
			!strings.HasPrefix(got.header.Get("Content-Disposition"), `attachment; filename="veinte-`) {
			t.Errorf("%s = %.80q, %q, %q", path, got.body, got.header.Get("Content-Type"), got.header.Get("Content-Disposition"))
		}
		got.hides(h.marks(h.there.ID)...)
	}
}

func TestWrongQuestionsOfOversight(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	sara := h.as(h.user("Sara", models.Supervisor, h.Store))
	for path, want := range map[string]int{
		"/oversight?from=2026-11-20&to=2026-11-01":                 http.StatusUnprocessableEntity,
		"/oversight?from=ayer":                                     http.StatusUnprocessableEntity,
		"/oversight?from=2020-01-01&to=2026-11-20":                 http.StatusUnprocessableEntity,
		"/oversight?by=mood":                                       http.StatusUnprocessableEntity,
		"/oversight.csv?from=2026-11-20&to=2026-11-01":             http.StatusUnprocessableEntity,
		"/oversight/patterns?kind=mood":                            http.StatusUnprocessableEntity,
		"/oversight/patterns?minutes=7":                            http.StatusUnprocessableEntity,
		"/oversight/patterns?times=x":                              http.StatusUnprocessableEntity,
		"/oversight/patterns?days=-1":                              http.StatusUnprocessableEntity,
		"/oversight/patterns.csv?days=-1":                          http.StatusUnprocessableEntity,
		"/oversight/finding?kind=quick&subject=u1&from=2026-13-01": http.StatusUnprocessableEntity,
		"/oversight/finding":                                       http.StatusNotFound,
		"/oversight/finding?kind=quick&subject=u99999":             http.StatusNotFound,
		"/oversight?store=" + fmt.Sprint(h.there.ID):               http.StatusNotFound,
		"/oversight?store=x":                                       http.StatusNotFound,
		"/oversight/patterns?store=" + fmt.Sprint(h.there.ID):      http.StatusNotFound,
		"/oversight?subject=" + strings.Repeat("x", 3000):          http.StatusOK,
	} {
		got := sara.get(path)
		got.want(want)
		got.hides(h.marks(h.there.ID)...)
	}
}

// TestAnOwnFindingIsForAnother: whoever requested what a finding is about is offered no mark,
// neither on its page nor in the inbox.
func TestAnOwnFindingIsForAnother(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.quickly(3)
	ana, sara := h.as(h.Manager.UserID), h.supervisor()
	h.exec(`UPDATE users SET role = 'supervisor' WHERE id = $1`, h.Manager.UserID)
	at := "/oversight/finding?kind=quick&subject=" + fmt.Sprint("u", h.Manager.UserID)
	sara.get(at).one("mark-form")
	ana.get(at).want(http.StatusOK).hides("mark-form")
	const words = "la atiende otra persona de Supervisión"
	ana.get(at).says(words)
	ana.isNotified("2")
	inbox := ana.get("/review?kind=finding").want(http.StatusOK)
	if items := inbox.byTestID("review-item"); len(items) == 0 || len(inbox.byTestID("own")) != len(items) {
		t.Errorf("of %d findings about one's own requests %d say whose they are", len(items), len(inbox.byTestID("own")))
	}
	inbox.says(words)
	sara.get("/review?kind=finding").want(http.StatusOK).hides("\"own\"")
}
