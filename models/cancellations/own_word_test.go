package cancellations_test

import (
	"testing"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
)

// TestOnesOwnWordIsLookedAt: a cancellation that is confirmed by the word of the person who
// had requested it waits for another person. That it was not canceled moves no money.
func TestOnesOwnWordIsLookedAt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fact     string
		own      bool
		settles  cancellations.Resolution
		conflict models.Conflict
	}{
		{"canceled, by who requested it", true, cancellations.Resolution{Outcome: models.Confirmed, AuthCode: "4711"}, models.ConflictOwnWord},
		{"canceled, by another", false, cancellations.Resolution{Outcome: models.Confirmed, AuthCode: "4711"}, ""},
		{"not canceled, by who requested it", true, cancellations.Resolution{
			Outcome: models.NotCanceled, Note: "La terminal la muestra aprobada",
		}, ""},
	} {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			o := modelstest.NewOffice(t)
			asks := o.Manager
			if tt.own {
				asks = o.Supervisor
			}
			c, err := o.Cancellations.Request(t.Context(), asks, o.CancelRequest(o.Sale(5000)))
			if err != nil {
				t.Fatal(err)
			}
			o.API.Then(modelstest.TimedOut)
			o.Dispatch(c.ID)
			if err := o.Cancellations.Resolve(t.Context(), o.Supervisor, c.ID, tt.settles); err != nil {
				t.Fatal(err)
			}
			got := o.Cancellation(c.ID)
			modelstest.Wants(t, "conflict", got.Conflict, tt.conflict)
			modelstest.Wants(t, "state", got.State, tt.settles.Outcome)
			o.CheckInvariants(t)
		})
	}
}

// TestAWordAgainstTheTerminalIsLookedAt: who settles as canceled what the terminal had said
// to be charged, or had refused, is believed, and another person looks at it.
func TestAWordAgainstTheTerminalIsLookedAt(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]func(*testing.T, *modelstest.Office, *models.Cancellation){
		"it said that it is charged": func(t *testing.T, o *modelstest.Office, c *models.Cancellation) {
			o.API.Then(modelstest.TimedOut)
			o.Dispatch(c.ID)
			settle(t, o, c, models.StandingCharged, models.NotCanceled)
		},
		"it refused": func(t *testing.T, o *modelstest.Office, c *models.Cancellation) {
			o.Dispatch(c.ID)
			p := modelstest.CancelPost(&o.SaleDetail(c.SaleID).Sale, modelstest.CurrentKey(o, c))
			declined(&p)
			o.Post(p)
			modelstest.Wants(t, "state", o.Cancellation(c.ID).State, models.Rejected)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := modelstest.NewOffice(t)
			c, err := o.Cancellations.Request(t.Context(), o.Manager, o.CancelRequest(o.Sale(5000)))
			if err != nil {
				t.Fatal(err)
			}
			ends(t, o, c)
			word := cancellations.Resolution{Outcome: models.Confirmed, AuthCode: "4711"}
			if err := o.Cancellations.Resolve(t.Context(), o.Supervisor, c.ID, word); err != nil {
				t.Fatal(err)
			}
			modelstest.Wants(t, "state", o.Cancellation(c.ID).State, models.Confirmed)
			modelstest.Wants(t, "conflict", o.Cancellation(c.ID).Conflict, models.ConflictAgainstTerminal)
			if got := waitsFor(t, o, c); len(got) != 1 || got[0] != "conflict:againstTerminal" {
				t.Errorf("in the inbox: %v, want the one contradiction", got)
			}
			o.CheckInvariants(t)
		})
	}
}

// TestAnAuthorizationHasFourCharacters: what nobody could have read on a ticket proves
// nothing, and is refused before anything changes.
func TestAnAuthorizationHasFourCharacters(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	_, c := o.StateOf(models.Unknown)
	for _, tt := range [][2]string{{"x", "resolution.short"}, {"471", "resolution.short"}, {"4711", ""}} {
		code, want := tt[0], tt[1]
		err := o.Cancellations.Resolve(t.Context(), o.Supervisor, c.ID, cancellations.Resolution{Outcome: models.Confirmed, AuthCode: code})
		if (want == "") != (err == nil) || err != nil && !modelstest.IsError(err, models.Invalid("authCode", want)) {
			t.Errorf("Resolve(authorization %q) = %v, want %q", code, err, want)
		}
		state := models.Unknown
		if want == "" {
			state = models.Confirmed
		}
		modelstest.Wants(t, "state", o.Cancellation(c.ID).State, state)
	}
}
