package results_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"veinte/models"
	"veinte/models/modelstest/cardstest"
)

// failing is what tests of every kind have in common here.
type failing interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// storable fails unless PostgreSQL can store the post and a page can show it.
func storable(t failing, p models.Post) {
	t.Helper()
	for name, text := range map[string]string{
		"Body": p.Body, "SerialNumber": p.SerialNumber, "MerchantID": p.MerchantID, "OrderID": p.OrderID, "Folio": p.Folio,
		"ResponseCode": p.ResponseCode, "Standing": string(p.Standing), "AttemptKey": p.AttemptKey, "CardBrand": p.CardBrand,
		"AuthCode": p.AuthCode,
	} {
		if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Errorf("%s = %q cannot be stored", name, text)
		}
	}
	if len(p.Last4) > 4 || strings.Trim(p.Last4, "0123456789") != "" {
		t.Errorf("Last4 = %q, want at most four digits", p.Last4)
	}
	if p.Body != "" && !json.Valid([]byte(p.Body)) {
		t.Errorf("Body = %q, want JSON", p.Body)
	}
	if p.Amount != nil && *p.Amount < 0 {
		t.Errorf("Amount = %d", *p.Amount)
	}
	if cards := runs.FindAllString(p.Body, -1); p.Kind == models.ResultUnreadable && (p.Body != "" || len(cards) > 0) {
		t.Errorf("an unreadable post holds %q", p.Body)
	}
}

// runs are digits that could be a card's, alone or in groups.
var runs = regexp.MustCompile(`\d(?:[ -]?\d){12,}`)

// TestDropped: the fields that must not be stored are not, with whatever they hold.
func TestDropped(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"04_sale_result_approved", "06_cancel_result_approved", "08_reprint_result_sale_active", "10_user_cancelled_on_terminal",
	} {
		var fields map[string]any
		if err := json.Unmarshal(sample(t, name), &fields); err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{
			"bin", "cardExpDate", "customerName", "arqc", "hexSign", "aid", "applicationLabel", "spanRoute", "transactionCertificate",
			"hasPin", "cardType", "track2", "cvv", "newField",
		} {
			fields[field] = "SECRET-" + field
		}
		fields["cardNumber"] = "4152 0099 1234 8610"
		body, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		p := readPost(body)
		if strings.Contains(p.Body, "SECRET-") || strings.Contains(p.Body, "415200") {
			t.Errorf("%s: Body holds %s", name, p.Body)
		}
		if p.Last4 != "8610" || !strings.Contains(p.Body, `"cardNumber":"8610"`) {
			t.Errorf("%s: the last four digits are %q, want 8610, in the body too: %s", name, p.Last4, p.Body)
		}
	}
}

// TestKept: what people look for in a post is still there.
func TestKept(t *testing.T) {
	t.Parallel()
	p := readPost(sample(t, "06_cancel_result_approved"))
	for _, stored := range []string{
		`"orderId":"250627103602-1490000001"`, `"transDate":"2025-06-27 11:02:41.CST"`, `"message":"Transacción exitosa"`,
		`"hostRefNum":"062710360388"`, `"terminalId":"1490000001"`, `"transactionId":"B6B0C6F0-0000-4000-8000-000000000001"`,
		`"attemptId":"***"`,
	} {
		if !strings.Contains(p.Body, stored) {
			t.Errorf("Body does not hold %s: %s", stored, p.Body)
		}
	}
}

// TestNoCardIsKept puts card numbers and attempt ids into posts at random.
func TestNoCardIsKept(t *testing.T) {
	t.Parallel()
	var base map[string]any
	if err := json.Unmarshal(sample(t, "04_sale_result_approved"), &base); err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(base))
	rapid.Check(t, func(t *rapid.T) {
		fields := maps.Clone(base)
		card := drawCard(t)
		checked := cardstest.WithCheckDigit(rapid.StringMatching(`(4152009|5477312)[3-9]{8}`).Draw(t, "checked"))
		key := rapid.StringMatching(`7c0e2c58-7f0e-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`).Draw(t, "attempt id")
		trace := map[string]any{"attemptId": key}
		fields["traceability"] = trace
		for i := range rapid.IntRange(1, 4).Draw(t, "places") {
			secret := rapid.SampledFrom([]string{card, key}).Draw(t, "secret")
			text := rapid.SampledFrom(
				[]string{"", "x ", "PAN:", strings.Repeat("y", 290), strings.Repeat("z", 297) + " ", "é"},
			).Draw(t, "before") +
				secret + rapid.SampledFrom([]string{"", " x", ".", strings.Repeat("w", 400)}).Draw(t, "after")
			switch rapid.IntRange(0, 4).Draw(t, "place") {
			case 0:
				switch name := rapid.SampledFrom(names).Draw(t, "field"); name {
				case "traceability":
				case "orderId", "folioNumber", "storeId", "authCode":
					// Not every number as long as a card's is one of them.
					fields[name] = strings.ReplaceAll(text, card, checked)
				default:
					fields[name] = text
				}
			case 1:
				trace[fmt.Sprint("more", i)] = text
			case 2:
				trace[text] = 1
			case 3:
				trace[fmt.Sprint("list", i)] = []any{1, text, map[string]any{"deep": text, text: true}}
			case 4:
				fields[rapid.SampledFrom(names[:6]).Draw(t, "number")] = json.Number(strings.NewReplacer(" ", "", "-", "").Replace(card))
			}
		}
		body, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		p := readPost(body)
		storable(t, p)
		if strings.Contains(p.Body, key) || strings.Contains(p.Body, key[:18]) {
			t.Errorf("Body holds the attempt id %s: %s", key, p.Body)
		}
		for _, run := range runs.FindAllString(strings.ReplaceAll(p.Body, `250627103602-1490000001`, ""), -1) {
			t.Errorf("Body holds %q of the card %s: %s", run, card, p.Body)
		}
		for _, digits := range []string{strings.NewReplacer(" ", "", "-", "").Replace(card), checked} {
			for i := 0; i+9 <= len(digits); i++ {
				if strings.Contains(p.Body, digits[i:i+9]) {
					t.Errorf("Body holds %s of the card %s: %s", digits[i:i+9], digits, p.Body)
				}
			}
		}
	})
}

// drawCard draws a card number as somebody might write it.
func drawCard(t *rapid.T) string {
	digits := rapid.StringMatching(`(4152009|5477312|3714496)[0-9]{6,12}`).Draw(t, "card")
	gap := rapid.SampledFrom([]string{"", " ", "-"}).Draw(t, "gap")
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && i%4 == 0 {
			b.WriteString(gap)
		}
		b.WriteRune(d)
	}
	return b.String()
}
