package handlers_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/accounts/passwords"
	"veinte/models/entrance"
	"veinte/models/modelstest"
)

// The PINs of the tests.
const (
	anasPIN = "240613"
	evasPIN = "518204"
)

// counterOf is a store's counter in a browser, with two managers who have a PIN.
type counterOf struct {
	*visitor
	ana, eva *models.User
}

func newCounter(t *testing.T) *counterOf {
	t.Helper()
	h := newHouse(t)
	ana, eva := h.signUp("ana@veinte.test", models.Manager), h.signUp("eva@veinte.test", models.Manager)
	c := &counterOf{h.visitor(), ana, eva}
	c.signIn(c.ana.Email).wantTo("/")
	c.post("/account/counters", url.Values{"store": {fmt.Sprint(h.Store.ID)}, "name": {"Caja 1"}}).wantTo("/account")
	h.pin(c.ana.ID, anasPIN)
	h.pin(c.eva.ID, evasPIN)
	return c
}

// pin gives a person a PIN.
func (h *house) pin(userID int64, pin string) {
	h.tb.Helper()
	hash, err := passwords.Hash(h.tb.Context(), pin)
	if err != nil {
		h.tb.Fatal(err)
	}
	h.exec(`INSERT INTO counter_pins (user_id, hash, set_at) VALUES ($1, $2, now()) ON CONFLICT DO NOTHING`, userID, hash)
}

// switchTo comes in as one of the people, as the form of the chooser would.
func (c *counterOf) switchTo(u *models.User, pin string, more url.Values) *answer {
	c.h.tb.Helper()
	form := url.Values{"person": {fmt.Sprint(u.ID)}, "pin": {pin}}
	for name, values := range more {
		form[name] = values
	}
	return c.post("/counter", form)
}

// leave presses "Cambiar de persona".
func (c *counterOf) leave() {
	c.h.tb.Helper()
	c.post("/logout", nil).wantTo("/counter")
}

// home is the list of the counter's store.
func (c *counterOf) home() string { return fmt.Sprintf("/sales?store=%d", c.h.Store.ID) }

// TestPeopleTakeTurns at a counter with a PIN each, and what each does is theirs.
func TestPeopleTakeTurns(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	c.get("/sales").want(200).hasAll("Cambiar de persona", "/static/counter.")
	c.leave()
	p := c.get("/counter").want(200)
	p.hasAll(c.ana.Name, c.eva.Name, "Caja 1", `inputmode="numeric"`, `autocomplete="off"`)
	if strings.Contains(p.body, " checked") {
		t.Error("somebody is chosen before anybody has chosen")
	}
	for _, u := range []struct {
		of  *models.User
		pin string
	}{{c.eva, evasPIN}, {c.ana, anasPIN}} {
		before := c.jar["veinte_session"]
		c.switchTo(u.of, u.pin, nil).wantTo(c.home())
		if c.jar["veinte_session"] == before {
			t.Error("the session of before goes on")
		}
		c.get("/sales").want(200).hasAll(u.of.Name)
		c.leave()
	}
	c.get("/sales").wantTo("/counter?next=%2Fsales")
	c.get("/login").want(200).hasAll(`href="/counter"`)
}

// TestWrongPINs keep who was chosen, say how many are left, and lead to the full sign-in.
func TestWrongPINs(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	c.leave()
	for left := 4; left > 0; left-- {
		a := c.switchTo(c.ana, "111222", url.Values{"next": {"/sales/7"}, "of": {fmt.Sprint(c.ana.ID)}, "ended": {"page"}})
		a.want(http.StatusUnprocessableEntity)
		chosen := strings.Contains(a.body, fmt.Sprintf(`value="%d" checked`, c.ana.ID))
		if a.field("next") != "/sales/7" || !chosen || strings.Contains(a.body, "111222") {
			t.Error("a wrong PIN loses who was chosen or where they were, or shows what was typed")
		}
	}
	c.switchTo(c.ana, "111222", nil).want(http.StatusUnprocessableEntity).hasAll("counter-shut")
	c.switchTo(c.ana, anasPIN, nil).want(http.StatusUnprocessableEntity)
	c.switchTo(c.eva, evasPIN, nil).wantTo(c.home())
	c.leave()
	c.switchTo(c.eva, "12", nil).want(http.StatusUnprocessableEntity).hasAll("El PIN son seis dígitos.")
	c.signIn(c.ana.Email).wantTo("/")
	c.leave()
	c.switchTo(c.ana, anasPIN, nil).wantTo(c.home())
}

// TestARestLeadsBack: after two minutes whoever was there is chosen already, and goes on
// where they were with what they had typed; somebody else begins at the list.
func TestARestLeadsBack(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	c.leave()
	c.switchTo(c.ana, anasPIN, nil).wantTo(c.home())
	sheet := url.Values{
		"page": {"/sales/7/cancellation/new"}, "reason": {"other"}, "note": {"La clienta se arrepintió"},
	}
	c.h.Clock.Advance(entrance.CounterLife - time.Second)
	c.get("/counter/rest", "Veinte-Poll", "1").want(200).hasAll(`{"left":1}`)
	c.get("/counter/rest").want(200).hasAll(`{"left":120}`)
	c.h.Clock.Advance(entrance.CounterLife)
	c.get("/counter/rest", "HX-Request", "true").want(http.StatusUnauthorized)
	c.over = true // its session
	to := c.post("/counter/rest", sheet).header.Get("Location")
	if !strings.HasPrefix(to, "/counter?ended=form&next=%2Fsales%2F7%2Fcancellation%2Fnew%3Fnote%3DLa") {
		t.Fatalf("a form that was left leads to %q", to)
	}
	p := c.get(to).want(200)
	p.hasAll("no se canceló nada", fmt.Sprintf(`value="%d" checked`, c.ana.ID))
	if got := p.header.Get("Clear-Site-Data"); got != `"cache"` {
		t.Errorf("Clear-Site-Data = %q, want that Back shows nothing", got)
	}
	c.over = false
	form := url.Values{"of": {p.field("of")}, "next": {p.field("next")}}
	c.switchTo(c.eva, evasPIN, form).wantTo(c.home())
	c.leave()
	c.switchTo(c.ana, anasPIN, form).wantTo("/sales/7/cancellation/new?note=La+clienta+se+arrepinti%C3%B3&reason=other")
	// The same while the session still lives.
	if got := c.post("/counter/rest", sheet).header.Get("Location"); got != to {
		t.Errorf("a form that is left leads to %q, want %q", got, to)
	}
	c.switchTo(c.ana, anasPIN, url.Values{"of": {fmt.Sprint(c.ana.ID)}, "next": {"https://elsewhere.example/"}}).wantTo(c.home())
}

// TestWhatAPINIsNotEnoughFor: counters, passwords, factors and PINs take a full sign-in or a
// full proof.
func TestWhatAPINIsNotEnoughFor(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	c.leave()
	c.switchTo(c.ana, anasPIN, nil).wantTo(c.home())
	id := c.h.text(`SELECT id::text FROM counters`)
	c.post("/account/counters", url.Values{"store": {fmt.Sprint(c.h.Store.ID)}, "name": {"Caja 2"}}).want(http.StatusForbidden)
	c.post("/account/counters/"+id+"/ending", nil).wantTo("/account")
	if n := c.h.count(`SELECT count(*) FROM counters WHERE ended_at IS NULL`); n != 1 {
		t.Errorf("%d counters after somebody was there by a PIN, want the one that was", n)
	}
	if body := c.get("/account").want(200).body; strings.Contains(body, "/account/counters") {
		t.Error("the account offers to change counters")
	}
	new := url.Values{"pin": {"730925"}, "again": {"730925"}, "proof": {anasPIN}}
	c.post("/account/factors/pin", new).want(http.StatusUnprocessableEntity)
	c.post("/account/factors/app", url.Values{"proof": {anasPIN}}).want(http.StatusUnprocessableEntity)
	c.post("/account/password", url.Values{"current": {anasPIN}, "password": {"x"}, "again": {"x"}}).want(http.StatusUnprocessableEntity)
	new.Set("again", "730926")
	new.Set("proof", modelstest.Password)
	c.post("/account/factors/pin", new).want(http.StatusUnprocessableEntity).hasAll("Los dos PIN no son iguales.")
	new.Set("again", "730925")
	c.post("/account/factors/pin", new).wantTo("/account/factors")
	c.get("/sales").want(200)
}

// TestACounterThatHasEnded is a browser like any other.
func TestACounterThatHasEnded(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	id := c.h.text(`SELECT id::text FROM counters`)
	c.leave()
	c.switchTo(c.eva, evasPIN, nil).wantTo(c.home())
	boss := c.h.visitor()
	boss.signIn(c.ana.Email).wantTo("/")
	boss.get("/account").want(200).hasAll("Caja 1", c.ana.Name)
	boss.post("/account/counters/"+id+"/ending", nil).wantTo("/account")
	c.get("/sales").wantTo("/counter?ended=page&next=%2Fsales")
	c.over = true
	c.get("/counter?ended=page&next=%2Fsales").wantTo("/login?ended=page&next=%2Fsales")
	if c.jar["veinte_counter"] != "" {
		t.Error("the browser still has the secret of the counter")
	}
}

// TestNobodySeesCounters in a shop that has none.
func TestNobodySeesCounters(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ana := h.signUp("ana@veinte.test", models.Manager)
	v := h.visitor()
	if body := v.get("/login").want(200).body; strings.Contains(body, "/counter") {
		t.Error("the sign-in speaks of counters")
	}
	v.signIn(ana.Email).wantTo("/")
	for _, path := range []string{"/sales", "/account/factors"} {
		if body := v.get(path).want(200).body; strings.Contains(body, "Cambiar de persona") || strings.Contains(body, "own-pin") {
			t.Errorf("%s speaks of counters", path)
		}
	}
	v.get("/counter").wantTo("/")
	v.post("/logout", nil).wantTo("/login")
	v.get("/counter").wantTo("/login")
}

// TestTheSecretOfACounter goes by https and to this host alone.
func TestTheSecretOfACounter(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	secret := c.jar["veinte_counter"]
	if len(secret) < 40 || c.h.count(`SELECT count(*) FROM counters WHERE token_hash = sha256($1)`, []byte(secret)) != 1 {
		t.Errorf("the secret of a counter = %q, want a long one of which the hash is stored", secret)
	}
	stolen := c.h.visitor()
	stolen.jar["veinte_device"] = c.jar["veinte_device"] // the number of the device opens nothing
	stolen.post("/counter", url.Values{"person": {fmt.Sprint(c.ana.ID)}, "pin": {anasPIN}}).wantTo("/login")
}

// onDevice gives the browser's session a device that is known.
func (h *house) onDevice(v *visitor) {
	sum := sha256.Sum256([]byte(v.jar["veinte_session"]))
	h.exec(`UPDATE sessions SET device_id = $1 WHERE token_hash = $2`, h.knownDevice(v.id), sum[:])
}

// oldCounter is a counter that the browser's person made, by its id.
func (h *house) oldCounter(v *visitor, token string) string {
	sum := sha256.Sum256([]byte(token))
	return h.text(`INSERT INTO counters (token_hash, device_id, store_id, name, made_at, made_by)
		VALUES ($1, $2, $3, 'Caja 1', now(), $4) RETURNING id::text`, sum[:], h.knownDevice(v.id), h.Store.ID, v.id)
}

func makeCounter(h *house, v *visitor, _ *targets) *answer {
	h.onDevice(v)
	defer delete(v.jar, "veinte_counter")
	return v.post("/account/counters", url.Values{"store": {fmt.Sprint(h.Store.ID)}, "name": {"Caja 1"}})
}

func endCounter(h *house, v *visitor, _ *targets) *answer {
	return v.post("/account/counters/"+h.oldCounter(v, modelstest.NextSerial())+"/ending", nil)
}

func enterCounter(h *house, v *visitor, _ *targets) *answer {
	h.pin(v.id, anasPIN)
	defer h.exec(`DELETE FROM counter_pins`)
	token := modelstest.NextSerial()
	h.oldCounter(v, token)
	other := h.visitor()
	other.jar["veinte_counter"] = token
	return other.post("/counter", url.Values{"person": {fmt.Sprint(v.id)}, "pin": {anasPIN}})
}

func setPIN(h *house, v *visitor, _ *targets) *answer {
	h.ownPassword(v)
	defer h.exec(`DELETE FROM counter_pins`)
	return v.post("/account/factors/pin", url.Values{"pin": {anasPIN}, "again": {anasPIN}, "proof": {modelstest.Password}})
}

func removePIN(h *house, v *visitor, _ *targets) *answer {
	h.ownPassword(v)
	h.pin(v.id, anasPIN)
	return v.post("/account/factors/pin/removal", url.Values{"proof": {modelstest.Password}})
}
