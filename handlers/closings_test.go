package handlers_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/terminals"
)

// closedDay is a house whose first day is closed, with a sale in each of two stores;
// the name of the second is a formula.
func closedDay(t *testing.T) (h *house, other *models.Store) {
	t.Helper()
	h = newHouse(t)
	other, err := h.Terminals.CreateStore(
		t.Context(), h.Admin, terminals.StoreInput{Code: "FORM", Name: `=HYPERLINK("x")`, TimeZone: "America/Cancun"},
	)
	h.must(err)
	h.Sale(125000)
	h.SaleAt(h.NewTerminal(other), 7700)
	h.Clock.Set(modelstest.At(t, "2026-11-20T20:00:00-06:00"))
	h.must(h.Closings.CloseDays(t.Context()))
	return h, other
}

func TestAClosingReportIsDownloaded(t *testing.T) {
	t.Parallel()
	h, other := closedDay(t)
	v := h.as(h.user("Sara", models.Supervisor))
	page := v.get("/closings/2026-11-20")
	body := v.get("/closings/2026-11-20/report.json")
	sum := sha256.Sum256([]byte(body.body))
	if hash := hex.EncodeToString(sum[:]); page.status != 200 || body.status != 200 || !strings.Contains(page.body, hash) {
		t.Errorf("page %d, JSON %d: the page does not show the hash %s of the bytes", page.status, body.status, hash)
	}
	csv := v.get("/closings/2026-11-20/report.csv")
	if csv.status != 200 || !strings.HasPrefix(csv.body, "\ufeff") || !strings.Contains(csv.body, `"'=HYPERLINK(""x"")"`) {
		t.Errorf("CSV %d: %s", csv.status, csv.body)
	}
	some := h.as(h.user("Tere", models.Supervisor, h.Store))
	for _, path := range []string{"/closings/2026-11-20", "/closings/2026-11-20/report.csv", "/closings"} {
		if a := some.get(path); a.status != 200 || strings.Contains(a.body, "HYPERLINK") || strings.Contains(a.body, "77.00") ||
			strings.Contains(a.body, "1,327.00") {
			t.Errorf("%s shows another store's: %d\n%s", path, a.status, a.body)
		}
	}
	if a := some.get("/closings/2026-11-20/report.json"); a.status != 403 {
		t.Errorf("the bytes of every store = %d, want them refused", a.status)
	}
	if a := some.get("/closings/2026-11-20?store=" + fmt.Sprint(other.ID)); a.status != 404 {
		t.Errorf("another store's terminals = %d, want 404", a.status)
	}
	for path, want := range map[string]int{
		"/closings/2026-11-19": 404, "/closings/hoy": 404, "/closings?before=ayer": 422, "/closings/2026-11-20?store=x": 404,
		"/closings/2026-11-21/report.json": 404,
	} {
		if a := v.get(path); a.status != want {
			t.Errorf("%s = %d, want %d", path, a.status, want)
		}
	}
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'closing.exported'`); n != 3 {
		t.Errorf("%d downloads in the trail, want 3", n)
	}
}

// TestARuleOfAlertsKeepsWhatWasTyped, names every field that was refused, and
// knows a stale version.
func TestARuleOfAlertsKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.administrator()
	form := func(pairs ...string) url.Values {
		f := url.Values{
			"version": {"1"}, "active": {"on"}, "count": {"3"}, "minutes": {"30"}, "allStores": {"on"}, "language": {"es-MX"},
			"quiet": {"5"},
		}
		for i := 0; i < len(pairs); i += 2 {
			f.Set(pairs[i], pairs[i+1])
		}
		return f
	}
	a := v.post("/settings/alerts/person", form("count", "muchas", "emails", "ana@b.mx\r\nBcc: x@y.mx"))
	for _, want := range []string{"muchas", "Bcc: x@y.mx", `id="e-count"`, `id="e-emails"`} {
		if a.status != 422 || !strings.Contains(a.body, want) {
			t.Errorf("refused form = %d, want it with %s", a.status, want)
		}
	}
	if a := v.post("/settings/alerts/person", form("emails", "ana@b.mx, eva@b.mx")); a.status != 303 {
		t.Errorf("good form = %d\n%s", a.status, a.body)
	}
	if got := h.text(`SELECT emails::text || version FROM alert_rules WHERE kind = 'person'`); got != "{ana@b.mx,eva@b.mx}2" {
		t.Errorf("rule = %s", got)
	}
	if a := v.post("/settings/alerts/person", form()); a.status != 409 {
		t.Errorf("form of an old version = %d, want 409", a.status)
	}
	if a := v.post("/settings/alerts/person", form("version", "x")); a.status != 400 {
		t.Errorf("form without a version = %d, want 400", a.status)
	}
	for path, want := range map[string]int{"/settings/alerts/nada": 404, "/settings/alerts": 200, "/alerts": 303} {
		if a := v.get(path); a.status != want {
			t.Errorf("%s = %d, want %d", path, a.status, want)
		}
	}
	for range 2 {
		if a := v.post("/settings/alerts/test", nil); a.status != 303 {
			t.Errorf("test mail = %d", a.status)
		}
	}
	if n := h.count(`SELECT count(*) FROM mails`); n != 1 {
		t.Errorf("%d letters after two presses, want 1", n)
	}
}
