package results_test

import (
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/terminals"
)

// TestWhatATerminalExplainsIsReadWithoutItsRequest: the request that registers a terminal
// reads a few of the posts that waited for it, and the sweep all others.
func TestWhatATerminalExplainsIsReadWithoutItsRequest(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	const serial, posts, atOnce = models.SerialNumber("9900000001"), 25, 20
	for range posts {
		if r := o.Post(o.SalePost(serial, 125000)); r.Status != models.ResultUnmatched {
			t.Fatalf("a post of an unknown terminal is %s", r.Status)
		}
	}
	_, err := o.Terminals.CreateTerminal(t.Context(), o.Admin, terminals.Input{
		SerialNumber: string(serial), Label: "Caja 9", MerchantID: "M9", StoreID: o.Store.ID,
	})
	if err != nil {
		t.Fatalf("CreateTerminal() = %v", err)
	}
	const applied = `SELECT count(*) FROM results WHERE status = 'applied'`
	if got := modelstest.Count(t, o.Owner, applied); got != atOnce {
		t.Errorf("the request read %d of %d posts, want %d", got, posts, atOnce)
	}
	if err := o.Results.RereadExplained(t.Context()); err != nil {
		t.Fatalf("RereadExplained() = %v", err)
	}
	if got := modelstest.Count(t, o.Owner, applied); got != posts {
		t.Errorf("after the sweep %d of %d posts are read", got, posts)
	}
	o.CheckInvariants(t)
}
