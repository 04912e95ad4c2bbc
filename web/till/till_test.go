package till

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"veinte/models"
	"veinte/models/sales"
)

// TestTheTillTellsWhatTerminalsPosted: a sale without a ticket number, once.
func TestTheTillTellsWhatTerminalsPosted(t *testing.T) {
	t.Parallel()
	row := func(id int64, source models.SaleSource, reference string) sales.Row {
		return sales.Row{Sale: models.Sale{
			ID: id, SerialNumber: "1490001001", OrderID: "261120115930-1490001001", Amount: 125050, Last4: "4242", CardBrand: "VISA",
			SoldAt: time.Date(2026, 11, 20, 17, 59, 30, 0, time.UTC), Source: source, Reference: reference,
		}}
	}
	got := tickets([]sales.Row{
		row(7, models.SourceTerminal, ""), row(8, models.SourceTerminal, "RN-00008"), row(9, models.SourceManual, ""),
		row(mistypes, models.SourceTerminal, ""),
	})
	want := func(reference, last4 string) map[string]any {
		return map[string]any{
			"serialNumber": models.SerialNumber("1490001001"), "orderId": "261120115930-1490001001", "amount": "1250.50",
			"soldAt": "2026-11-20T17:59:30Z", "last4": last4, "cardBrand": "Visa", "reference": reference,
		}
	}
	if diff := cmp.Diff([]map[string]any{want("RN-00007", "4242"), want("RN-00012", "0000")}, got); diff != "" {
		t.Errorf("the till tells (-want +got):\n%s", diff)
	}
}
