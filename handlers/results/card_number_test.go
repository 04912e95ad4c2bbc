package results_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"veinte/handlers/results"
	"veinte/models"
	"veinte/models/cards"
	"veinte/models/modelstest/cardstest"
)

// testDay is the day of the posts of these tests.
var testDay = time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)

// at is a clock that stands still.
type at time.Time

func (a at) Now() time.Time { return time.Time(a) }

func readPost(body []byte) models.Post { return results.Read(body, testDay) }

// TestHonestNumbersArePosted: an order number of a merchant's own form is read and
// stored as it was posted, whatever it looks like.
func TestHonestNumbersArePosted(t *testing.T) {
	t.Parallel()
	made := cardstest.New(1, testDay)
	for _, kind := range cardstest.Kinds {
		for range 300 {
			order := made.Order(kind)
			p := readPost([]byte(`{"transType":"A","responseCode":"00","orderId":"` + order + `","folioNumber":"` + order + `"}`))
			var body map[string]string
			if err := json.Unmarshal([]byte(p.Body), &body); err != nil {
				t.Fatal(err)
			}
			if p.OrderID != order || p.Folio != order || body["orderId"] != order || body["folioNumber"] != order {
				t.Errorf("%s: order %q is read as %q, folio %q, stored %s", kind, order, p.OrderID, p.Folio, p.Body)
			}
		}
	}
}

// TestPostedCardsAreNotKept: wherever in a post, however written.
func TestPostedCardsAreNotKept(t *testing.T) {
	t.Parallel()
	made := cardstest.New(2, testDay)
	for range 100 {
		card := made.Card()
		for _, text := range cardstest.Written(card) {
			quoted, _ := json.Marshal(text)
			for _, field := range []string{"orderId", "folioNumber", "authCode", "storeId", "message", "terminalId", "tableId"} {
				p := readPost([]byte(`{"transType":"A","responseCode":"00","` + field + `":` + string(quoted) + `}`))
				kept := strings.Join([]string{p.OrderID, p.Folio, p.AuthCode, p.MerchantID, p.SerialNumber, p.Body}, " | ")
				if cards.Holds(kept) || strings.Contains(kept, card) {
					t.Errorf("%s %q is stored: %s", field, text, kept)
				}
			}
		}
	}
}

// A card number is stored nowhere, whichever field it was put into.
func TestCardNumberInAnotherField(t *testing.T) {
	t.Parallel()
	p := readPost([]byte(`{"transType":"A","responseCode":"00","orderId":"4111111111111111","folioNumber":"f 4111111111111111",
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
		if got := readPost([]byte(`{"transType":"A","orderId":"` + order + `"}`)).OrderID; got != order {
			t.Errorf("an order number %s is read as %q, want %q", fact, got, order)
		}
	}
}
