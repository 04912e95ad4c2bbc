package results_test

import (
	"testing"

	"veinte/handlers/results"
)

// A card number is stored nowhere, whichever field it was put into.
func TestCardNumberInAnotherField(t *testing.T) {
	t.Parallel()
	p := results.Read([]byte(`{"transType":"A","responseCode":"00","orderId":"4111111111111111","folioNumber":"f 4111111111111111",
		"authCode":"4111111111111111","storeId":"4111111111111111"}`))
	for field, got := range map[string]string{
		"order": p.OrderID, "folio": p.Folio, "authorization": p.AuthCode, "merchant": p.MerchantID,
	} {
		want := map[string]string{"order": "", "folio": "f ****", "authorization": "****", "merchant": "****"}[field]
		if got != want {
			t.Errorf("%s = %q, want %q", field, got, want)
		}
	}
	for fact, order := range map[string]string{
		"of sixteen digits that are no card number": "4111111111111112",
		"as terminals write it":                     "250627103602-1490000001",
	} {
		if got := results.Read([]byte(`{"transType":"A","orderId":"` + order + `"}`)).OrderID; got != order {
			t.Errorf("an order number %s is read as %q, want %q", fact, got, order)
		}
	}
}
