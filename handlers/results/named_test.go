package results_test

import (
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest/cardstest"
)

// What a result names and nobody can read must not pass for what it does not
// name: the one agrees with nothing, the other is optional.
func TestNamedButIllegible(t *testing.T) {
	t.Parallel()
	none := map[string]bool{`null`: true, `""`: true, `"  "`: true}
	for _, kind := range []string{`"transType":"V"`, `"transType":"","responseCode":"02"`, `"isRePrint":true`} {
		for _, value := range []string{
			`null`, `""`, `"  "`, `{}`, `["1"]`, `true`, `false`, `"a\u0000"`, `"` + strings.Repeat("x", 260) + `"`,
		} {
			p := readPost([]byte(`{` + kind + `,"terminalId":` + value + `,"orderId":` + value + `,"amount":` + value + `}`))
			if got := p.SerialNumber == "" && p.OrderID == "" && p.Amount == nil; got != none[value] {
				t.Errorf("%s with %s reads as terminal %q, order %q, amount %v", kind, value, p.SerialNumber, p.OrderID, show(p.Amount))
			}
		}
		for _, amount := range []string{`"-120.50"`, `"120.505"`, `"1e3"`, `1e3`, `"1,250.00"`, `"99999999999999999999"`} {
			p := readPost([]byte(`{` + kind + `,"amount":` + amount + `}`))
			if p.Amount == nil || *p.Amount != 0 {
				t.Errorf("%s: amount %s is read as %v, want 0, which no sale costs", kind, amount, show(p.Amount))
			}
		}
	}
	// A sale's order must be readable, or it would be a sale of that name.
	if p := readPost([]byte(`{"transType":"A","orderId":{},"amount":"x"}`)); p.OrderID != "" || p.Amount != nil {
		t.Errorf("a sale without an order number is read as %+v", p)
	}
}

// Whatever stands in the place of an attempt id is one that we never gave,
// unless it is one that we did.
func TestForgedAttempt(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{
		`"7c0e2c58-7f0e-4c2a-9d0b-4b7e2f0d5a11"`: true, `"` + strings.Repeat("a", 201) + `"`: true, `12`: true, `1.5e3`: true,
		`true`: true, `{"a":1}`: true, `["x"]`: true, `" "`: true, `"\u0000"`: true, `null`: false, `""`: false,
	} {
		p := readPost([]byte(`{"transType":"V","traceability":{"attemptId":` + id + `}}`))
		if got := p.AttemptKey != ""; got != want || p.AttemptKey == models.HashAttemptKey("") {
			t.Errorf("attempt id %.40s has the hash %q, want one: %t", id, p.AttemptKey, want)
		}
	}
}

// A card number or an attempt id is stored in no column, whichever field it was
// put into.
func TestSecretInAnyColumn(t *testing.T) {
	t.Parallel()
	card := cardstest.WithCheckDigit("415200991234861") // numbers without a check digit may be those of an order
	const id = "7c0e2c58-7f0e-4c2a-9d0b-4b7e2f0d5a11"
	for _, secret := range []string{card, cardstest.Groups(card, "-"), id} {
		for _, field := range []string{
			"terminalId", "storeId", "folioNumber", "responseCode", "cardTypeName", "authCode", "reprintModule",
		} {
			p := readPost([]byte(`{"transType":"V","isRePrint":true,"` + field + `":"` + secret + `"}`))
			for _, column := range []string{
				p.SerialNumber, p.MerchantID, p.Folio, p.ResponseCode, p.CardBrand, p.AuthCode, string(p.Standing), p.Body,
			} {
				if strings.Contains(column, secret) {
					t.Errorf("%s in %s is stored: %q", secret, field, column)
				}
			}
		}
	}
}
