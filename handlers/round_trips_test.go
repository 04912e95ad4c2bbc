package handlers_test

import (
	"fmt"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/modelstest/roundtrips"
	"veinte/models/wiring"
)

// roundTrips is how often a page may ask the database when everything is warm. These are
// bounds to be lowered: a page that needs fewer is done better, and its row follows.
var roundTrips = []struct {
	page, who, path string
	most            int64
}{
	{"today's list", "manager", "/sales", 1},
	{"today's list, polled", "manager", "/sales?fragment=list", 1},
	{"a sale's story", "manager", "/sales/{doubt}", 1},
	{"the sheet", "manager", "/sales/{free}/cancellation/new", 1},
	{"Por revisar", "supervisor", "/review", 2},
	{"the trail's list", "supervisor", "/audit", 7},
	{"an entry", "supervisor", "/audit/{entry}", 10},
	{"Hoy", "supervisor", "/today", 2},
	{"Hoy, polled", "supervisor", "/today?fragment=today", 2},
	{"Hoy", "administrator", "/today", 2},
	{"terminals", "administrator", "/terminals", 1},
	{"a terminal", "administrator", "/terminals/{terminal}", 1},
	{"its move", "administrator", "/terminals/{terminal}/moves/new", 1},
	{"a person", "administrator", "/users/{person}", 7},
}

// TestRoundTrips counts them on the wire. A page is asked for a few times, and its best
// is what counts: what else happens beside it is not its own.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	counter, err := roundtrips.New(o.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = counter.Close() })
	through := modelstest.Open(t, counter.URL)
	h := newHouseOf(t, o.Branch(t, func(c *wiring.Config) {
		c.DB, c.Addresses, c.Address = through, ownAddresses, "https://veinte.test"
	})).withNeighbours()
	doubt, _ := h.StateOf(models.Unknown)
	h.StateOf(models.Confirmed)
	free, entry := h.Sale(5000), h.entryOf(doubt.ID)
	h.strayResult("9999999999")
	h.sealAll()
	of := strings.NewReplacer("{doubt}", fmt.Sprint(doubt.ID), "{free}", fmt.Sprint(free.ID), "{entry}", fmt.Sprint(entry),
		"{terminal}", fmt.Sprint(h.Terminal.ID), "{person}", fmt.Sprint(h.Manager.UserID))
	visitors := map[string]*visitor{"manager": h.manager(), "supervisor": h.supervisor(), "administrator": h.administrator()}
	for _, tt := range roundTrips {
		path := of.Replace(tt.path)
		least := int64(-1)
		for n := 0; n < 6 || n < 40 && least > tt.most; n++ { // each connection prepares what it is asked
			before := counter.Trips()
			visitors[tt.who].get(path).want(200)
			if got := counter.Trips() - before; n > 1 && (least < 0 || got < least) {
				least = got
			}
		}
		t.Logf("%s of the %s: %d", tt.page, tt.who, least)
		if least < 1 || least > tt.most {
			t.Errorf("%s of the %s asks the database %d times, want at least once and at most %d times", tt.page, tt.who, least, tt.most)
		}
	}
}
