package results_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veinte/models"
	"veinte/models/modelstest/mutated"
)

func sample(tb testing.TB, name string) []byte {
	tb.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		tb.Fatal(err)
	}
	return body
}

func money(centavos models.Money) *models.Money { return &centavos }

// TestSamples reads every documented body. Body has a test of its own.
func TestSamples(t *testing.T) {
	t.Parallel()
	sale := models.Post{
		Kind: models.ResultSale, SerialNumber: "1490000001", MerchantID: "900001", OrderID: "250627103602-1490000001",
		Folio: "netpay_4500.50", Amount: money(450050), ResponseCode: "00", Last4: "8610", CardBrand: "VISA", AuthCode: "222110",
	}
	canceled, reprinted := sale, sale
	canceled.Kind, canceled.AuthCode = models.ResultCancellation, "222223"
	canceled.AttemptKey = models.HashAttemptKey("7c0e2c58-7f0e-4c2a-9d0b-4b7e2f0d5a11")
	reprinted.Kind, reprinted.Standing, reprinted.Folio = models.ResultInquiry, models.StandingCharged, ""
	want := map[string]models.Post{
		"01_ack_ok":                     {Kind: models.ResultOther},
		"02_ack_terminal_not_found":     {Kind: models.ResultOther},
		"03_error_invalid_token":        {Kind: models.ResultOther},
		"04_sale_result_approved":       sale,
		"06_cancel_result_approved":     canceled,
		"08_reprint_result_sale_active": reprinted,
		"11_registration_test_post":     {Kind: models.ResultOther, Folio: "1"},
		"10_user_cancelled_on_terminal": {
			Kind: models.ResultAbandoned, SerialNumber: "1490000001", MerchantID: "900001", Folio: "netpay_555.55", Amount: money(0),
			ResponseCode: "02",
		},
	}
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) != len(want) {
		t.Fatalf("%d samples and %d expectations (%v), want one for each", len(files), len(want), err)
	}
	for name, post := range want {
		got := readPost(sample(t, name))
		if !json.Valid([]byte(got.Body)) {
			t.Errorf("Read(%s).Body = %q, want JSON", name, got.Body)
		}
		got.Body = ""
		if diff := cmp.Diff(post, got); diff != "" {
			t.Errorf("Read(%s) differs (-want +got):\n%s", name, diff)
		}
	}
}

// TestKind tells posts apart in the order of the integration guides.
func TestKind(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fact, body string
		want       models.ResultKind
		standing   models.SaleStanding
	}{
		{"a sale", `{"transType":"A"}`, models.ResultSale, ""},
		{"a cancellation", `{"transType":"V"}`, models.ResultCancellation, ""},
		{"a reprint comes before its type", `{"isRePrint":true,"transType":"V","reprintModule":"C"}`, models.ResultInquiry, "C"},
		{"a reprint of a sale", `{"transType":"A","reprintModule":"PRV","isRePrint":true}`, models.ResultInquiry, "PRV"},
		{"a reprint that says so in a text", `{"isRePrint":"true","transType":"V","reprintModule":"V"}`, models.ResultInquiry, "V"},
		{"a reprint that says nothing else", `{"isRePrint":true}`, models.ResultInquiry, ""},
		{"a reprint's module elsewhere means nothing", `{"transType":"A","reprintModule":"V","isRePrint":false}`, models.ResultSale, ""},
		{"a cancellation's module neither", `{"transType":"V","reprintModule":"C"}`, models.ResultCancellation, ""},
		{"left by the user", `{"transType":"","responseCode":"02"}`, models.ResultAbandoned, ""},
		{"no type and no response", `{"transType":""}`, models.ResultOther, ""},
		{"no type at all", `{"responseCode":"00"}`, models.ResultOther, ""},
		{"a type that nobody documents", `{"transType":"Z"}`, models.ResultOther, ""},
		{"a small letter is another type", `{"transType":"v"}`, models.ResultOther, ""},
		{"a type of another type", `{"transType":["V"]}`, models.ResultOther, ""},
		{"the message decides nothing", `{"transType":"A","message":"CANCELACION Transacción exitosa"}`, models.ResultSale, ""},
		{"the last of two counts", `{"transType":"A","transType":"V"}`, models.ResultCancellation, ""},
		{"another case is another name", `{"TransType":"V"}`, models.ResultOther, ""},
		{"six deep", `{"transType":"V","a":[[[[["]}"]]]]]}`, models.ResultCancellation, ""},
		{"a mark before it", "\ufeff" + `{"transType":"V"}`, models.ResultCancellation, ""},
		{"spaces around it", " \r\n\t{\"transType\" : \"V\"}\n ", models.ResultCancellation, ""},
	} {
		got := readPost([]byte(tt.body))
		if got.Kind != tt.want || got.Standing != tt.standing {
			t.Errorf("%s: Read(%s) is %s %q, want %s %q", tt.fact, tt.body, got.Kind, got.Standing, tt.want, tt.standing)
		}
	}
}

func TestAmount(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]*models.Money{
		`"4500.5"`: money(450050), `"4500.50"`: money(450050), `"1.0"`: money(100), `"0.00"`: money(0), `"0"`: money(0),
		`" 12.30 "`: money(1230),
		`"1250"`:    money(125000), `"0.01"`: money(1), `"4500.500000000"`: money(450050), `4500.5`: money(450050), `1250`: money(125000),
		`"4500.505"`: nil, `"-1.00"`: nil, `-1`: nil, `"1,250.00"`: nil, `"1e3"`: nil, `1e3`: nil, `""`: nil, `"."`: nil, `".5"`: nil,
		`"5."`: nil, `"$5"`: nil,
		`"99999999999999999999"`: nil, `null`: nil, `true`: nil, `{}`: nil, `["1"]`: nil, `"١٢"`: nil, `"NaN"`: nil, `"0x10"`: nil,
	} {
		got := readPost([]byte(`{"transType":"A","amount":` + text + `}`)).Amount
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("amount %s is read as %v, want %v", text, show(got), show(want))
		}
	}
}

func show(m *models.Money) any {
	if m == nil {
		return "none"
	}
	return *m
}

// TestUnreadable reads what is no post: never an error, never a guess.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	for fact, body := range map[string]string{
		"nothing": "", "spaces": "  ", "a word": "hello", "a form": "orderId=1&amount=2", "HTML": "<html></html>",
		"an array": `[{"transType":"V"}]`,
		"a number": "1", "a text": `"V"`, "null": "null", "cut": `{"transType":"V"`, "two": `{"transType":"V"}{"transType":"V"}`,
		"bytes that are no text": "{\"transType\":\"V\",\"message\":\"\xff\"}", "NUL": "{\"transType\":\"V\"\x00}",
		"a comment":  `{/*x*/"transType":"V"}`,
		"deep":       `{"transType":"V","traceability":` + strings.Repeat(`{"a":`, 30000) + "1" + strings.Repeat("}", 30000) + "}",
		"seven deep": `{"transType":"V","a":` + strings.Repeat("[", 6) + strings.Repeat("]", 6) + "}",
		"deep list":  `{"transType":"V","a":` + strings.Repeat("[", 60000) + strings.Repeat("]", 60000) + "}",
		"unclosed":   strings.Repeat("[", 60000), "single quotes": `{'transType':'V'}`,
	} {
		if got := readPost([]byte(body)); got.Kind != models.ResultUnreadable || got.Body != "" || got.OrderID != "" {
			t.Errorf("%s is read as %+v, want unreadable", fact, got)
		}
	}
}

// TestOddFields reads fields of other types and sizes than documented.
func TestOddFields(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ fact, body, want string }{
		{"a number where a text should be", `{"orderId":123,"terminalId":1490000001}`, "123|1490000001"},
		{"a number as it was written", `{"orderId":1.50e1}`, "1.50e1|"},
		{"an object", `{"orderId":{"a":1},"terminalId":true}`, "|"},
		{"null", `{"orderId":null}`, "|"},
		{"too long to be one", `{"orderId":"` + strings.Repeat("9", 251) + `"}`, "|"},
		{"long", `{"orderId":"` + strings.Repeat("9", 250) + `"}`, strings.Repeat("9", 250) + "|"},
		{"control characters", `{"orderId":"a\u0000b","terminalId":"1\n2"}`, "|"},
		{"characters that nobody sees", `{"orderId":"P\u200b-3","terminalId":"\u202e0000000941"}`, "|"},
		{"letters that are blank", `{"orderId":"P\u3164","terminalId":"1\u2800"}`, "|"},
		{"half a character", `{"orderId":"\ud800"}`, "\ufffd|"},
		{"spaces around", `{"orderId":"  1 ","terminalId":"\t2"}`, "1|2"},
	} {
		got := readPost([]byte(tt.body))
		if text := got.OrderID + "|" + got.SerialNumber; text != tt.want {
			t.Errorf("%s: Read(%.60s) = %.100q, want %.100q", tt.fact, tt.body, text, tt.want)
		}
		if strings.ContainsAny(got.Body, "\x00\n") {
			t.Errorf("%s: the body holds control characters: %q", tt.fact, got.Body)
		}
	}
}

// FuzzRead: whatever comes, the post can be stored and holds no card.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		f.Fatalf("no samples: %v", err)
	}
	seeds := [][]byte{[]byte(
		`{"isRePrint":true,"traceability":{"attemptId":"x","4152009912348610":[["4152 0099 1234 8610"]]},"cardNumber":4152009912348610}`,
	)}
	for _, name := range files {
		body, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		seeds = append(seeds, body)
	}
	mutated.Add(f, seeds, func(input []byte) { f.Add(input) })
	f.Fuzz(func(t *testing.T, body []byte) {
		p := readPost(body)
		storable(t, p)
		if again := readPost(body); again.Body != p.Body {
			t.Errorf("the same post twice has the bodies %q and %q", p.Body, again.Body)
		}
	})
}
