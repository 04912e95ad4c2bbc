package handlers_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"veinte/handlers"
	"veinte/models"
	"veinte/models/modelstest"
)

// forReading are the acts of users who only read the trail: to hide a notice of
// their own, to stop their own export, to save a search, to have the trail verified, to
// have others sign it, to have its checkpoints mailed. None changes what the trail records.
var forReading = []string{
	"/audit/checkpoints/mail", "/audit/exports/:id/stop", "/audit/signatures", "/audit/verification",
	"/audit/views", "/audit/views/:id", "/audit/views/:id/removal",
	"/sales/ended", "/sales/views", "/sales/views/:id", "/sales/views/:id/removal",
}

// TestAnAuditorReads begins at the trail and may choose a language; of what
// changes anything there is nothing but the way out.
func TestAnAuditorReads(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.as(h.user("Aurora", models.Auditor))
	v.follow(v.get("/").wantTo("/audit")).want(200).says("Auditoría (solo lectura)")
	v.post("/language", url.Values{"language": {"en"}, "next": {"/audit"}}).wantTo("/audit")
	v.get("/audit").want(200).says("Auditor (reads only)")
	for _, line := range handlers.Lines() {
		if line.Method == "GET" || !models.Auditor.May(line.Can) || slices.Contains(forReading, line.Path) {
			continue
		}
		t.Errorf("an auditor may %s %s", line.Method, line.Path)
	}
}

// TestAnAuditorIsShutOutAtMidnight while they are signed in.
func TestAnAuditorIsShutOutAtMidnight(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.as(h.user("Aurora", models.Auditor))
	h.exec(`UPDATE users SET access_until = '2026-11-20' WHERE id = $1`, v.id)
	h.Clock.Set(modelstest.At(t, "2026-11-20T23:59:59-06:00"))
	v.get("/audit").want(200)
	h.Clock.Set(modelstest.At(t, "2026-11-21T00:00:00-06:00"))
	v.get("/audit").wantTo("/login?ended=page&next=%2Faudit")
	v.get("/events").wantTo("/login?ended=page&next=%2Fevents")
	v.get("/events", "Accept", "text/event-stream").want(401) // a page asks so, and reads no other page in its place
}

// TestTheFormOfAnEnd keeps what was typed and says what is wrong with it.
func TestTheFormOfAnEnd(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.administrator()
	form := func(until string) url.Values {
		return url.Values{
			"name": {"Aurora"}, "email": {"aurora@veinte.test"}, "role": {"auditor"}, "allStores": {"on"}, "accessUntil": {until},
		}
	}
	v.get("/users/new").want(200).says("hora de la Ciudad de México")
	for until, words := range map[string]string{
		"": "para auditoría es obligatorio", "2026-11-19": "Ese día ya pasó", "2030-01-01": "dentro de un año", "nunca": "fecha válida",
	} {
		p := v.post("/users", form(until)).want(422)
		p.says(words)
		if got := p.field("accessUntil"); got != until {
			t.Errorf("the form now holds %q, want %q", got, until)
		}
	}
	v.post("/users", form("2026-12-31")).want(200)
	page := fmt.Sprintf("/users/%d", h.count(`SELECT id FROM users WHERE name = 'Aurora'`))
	v.get("/users").want(200).says("hasta el 31 dic 2026")
	if got := v.get(page + "/edit").want(200).field("accessUntil"); got != "2026-12-31" {
		t.Errorf("the form of the new auditor holds %q", got)
	}
	h.Clock.Set(modelstest.At(t, "2027-01-01T00:00:00-06:00"))
	v.jar["veinte_session"] = h.session(v.id)
	if p := v.get("/users").want(200); !strings.Contains(p.words(), "Acceso terminado") {
		t.Errorf("the list does not say that the access has ended: %s", p.words())
	}
	extended := form("2027-03-31")
	extended.Set("version", "1")
	v.post(page, extended).wantTo(page)
	v.get(h.entryPage("user.changed")).want(200).saysAll("31 mar 2027", "31 dic 2026")
}
