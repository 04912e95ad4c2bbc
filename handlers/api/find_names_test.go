package api_test

import (
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/apikeys"
)

// TestManySalesShowOnlyTheirNames: a key that may cancel and not read
// learns how to tell the sales apart, and nothing else of them.
func TestManySalesShowOnlyTheirNames(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	second := d.NewTerminal(d.Store)
	d.any().post("/api/v1/sales", d.sale("SAME")).want(201)
	d.postsAsWell(second, "SAME", 125000)
	a := d.program([]apikeys.Scope{apikeys.ScopeCancellationsWrite}, d.Store).post("/api/v1/sales/SAME/cancellation", wish)
	got := a.problem(409, "ambiguous")
	names := map[string]string{}
	for _, s := range got.Sales {
		names[s.SerialNumber] = s.MerchantID
	}
	for _, terminal := range []*models.Terminal{d.Terminal, second} {
		if names[string(terminal.SerialNumber)] != "M"+string(terminal.SerialNumber) {
			t.Errorf("the problem names %v, want both sales", names)
		}
	}
	for _, shown := range []string{"1250.00", "last4", "authCode", d.Store.Name, "state"} {
		if strings.Contains(string(a.body), `"`+shown) {
			t.Errorf("the problem shows %q: %s", shown, a.body)
		}
	}
}
