package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/entrance"
	"veinte/models/modelstest"
)

// TestAPollKeepsNoSessionOpen: a list that is open asks for itself and its stream goes on,
// and its person is signed out after half an hour all the same; their own acts count.
func TestAPollKeepsNoSessionOpen(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ana := h.signUp("ana@veinte.test", models.Manager)
	v := h.visitor()
	v.signIn(ana.Email).wantTo("/")
	list := "/sales?fragment=list"
	for _, after := range []time.Duration{20 * time.Minute, 20 * time.Minute} {
		h.Clock.Advance(after)
		v.get(list).want(http.StatusOK) // what somebody types in the search
	}
	h.Clock.Advance(entrance.IdleLife - time.Minute)
	v.get(list, "Veinte-Poll", "1").want(http.StatusOK)
	v.get("/events", "Accept", "text/event-stream")
	h.Clock.Advance(time.Minute)
	v.get(list, "Veinte-Poll", "1", "HX-Request", "true").want(http.StatusUnauthorized)
	v.get("/sales").wantTo("/login?ended=page&next=%2Fsales")
}

// TestAnOwnDeviceStaysSignedIn for a shift, once its person has said that it is theirs.
func TestAnOwnDeviceStaysSignedIn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ana := h.signUp("ana@veinte.test", models.Manager)
	v := h.visitor()
	sign := func(form url.Values) {
		t.Helper()
		form.Set("email", ana.Email)
		form.Set("password", modelstest.Password)
		v.post("/login", form).wantTo("/")
	}
	sign(url.Values{"own": {"on"}})
	h.Clock.Advance(entrance.SessionLife - time.Minute)
	v.get("/sales").want(http.StatusOK)
	h.Clock.Advance(time.Minute)
	v.get("/sales").wantTo("/login?ended=page&next=%2Fsales")
	delete(v.jar, "veinte_session")
	sign(url.Values{}) // no box is ticked again
	h.Clock.Advance(entrance.SessionLife - time.Minute)
	v.get("/sales").want(http.StatusOK)
	// What is refused comes back with the box as it was.
	stranger := h.visitor()
	a := stranger.post("/login", url.Values{"email": {ana.Email}, "password": {"wrong"}, "own": {"on"}}).want(http.StatusUnprocessableEntity)
	if !strings.Contains(a.body, `name="own" value="on" checked`) {
		t.Error("a refused sign-in loses the tick")
	}
}

// TestAStreamEndsWithItsSession, whoever ended it.
func TestAStreamEndsWithItsSession(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	ana := w.user("Ana", models.Manager, w.Store)
	ended, other := w.session(ana), w.session(ana)
	_, over := w.listen(t, ended)
	_, goesOn := w.listen(t, other)
	soon(t, "a page that just opened", over)
	soon(t, "another", goesOn)
	if _, err := w.Entrance.Logout(t.Context(), w.Manager, ended); err != nil {
		t.Fatal(err)
	}
	late := time.After(20 * time.Second)
	for {
		select {
		case _, open := <-over:
			if open {
				continue
			}
			w.Sale(100)
			soon(t, "the other session's stream goes on", goesOn)
			return
		case <-late:
			t.Fatal("the stream of a session that has ended goes on")
		}
	}
}
