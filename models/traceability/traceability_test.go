package traceability_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"veinte/models"
	"veinte/models/traceability"
)

// code is the code of a refusal; "" for none.
func code(t *testing.T, err error) string {
	t.Helper()
	var refused *models.Error
	if err != nil && (!errors.As(err, &refused) || refused.Field != "traceability") {
		t.Fatalf("%v is no refusal of the field traceability", err)
	}
	if refused == nil {
		return ""
	}
	return refused.Code
}

func TestParse(t *testing.T) {
	t.Parallel()
	x := strings.Repeat
	names := func(n int) string {
		var parts []string
		for i := range n {
			parts = append(parts, fmt.Sprintf(`"n%d":0`, i))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	for _, tt := range []struct{ fact, text, want, code string }{
		{"nothing", " \n", "", ""},
		{"nothing in braces", " { } ", "", ""},
		{"the sample of the guides", `{ "idProducto": "123456", "idTienda": 987 }`, `{"idProducto":"123456","idTienda":987}`, ""},
		{"numbers stay as they are written", `{"a":1.50,"b":-0,"c":1e3}`, `{"a":1.50,"b":-0,"c":1e3}`, ""},
		{"all kinds", `{"a":[true,false,null,"ñ 日本 😀"]}`, `{"a":[true,false,null,"ñ 日本 😀"]}`, ""},
		{"four levels", `{"a":[{"b":[1]}]}`, `{"a":[{"b":[1]}]}`, ""},
		{"five levels", `{"a":[{"b":[[]]}]}`, "", "traceability.tooDeep"},
		{"60 names", names(60), names(60), ""},
		{"61 names", names(61), "", "traceability.tooLong"},
		{"2,000 bytes", `{"a":"` + x("x", 1992) + `"}`, `{"a":"` + x("x", 1992) + `"}`, ""},
		{"2,001 bytes", `{"a":"` + x("x", 1993) + `"}`, "", "traceability.tooLong"},
		{"a name of 80 characters", `{"` + x("ñ", 80) + `":1}`, `{"` + x("ñ", 80) + `":1}`, ""},
		{"a name of 81", `{"` + x("ñ", 81) + `":1}`, "", "traceability.name"},
		{"no name", `{"":1}`, "", "traceability.name"},
		{"a value's name in a name", `{"{orderId}":1}`, "", "traceability.name"},
		{"an array", `[1]`, "", "traceability.notObject"},
		{"a text", `"a"`, "", "traceability.notObject"},
		{"no JSON", `{a:1}`, "", "traceability.notObject"},
		{"two objects", `{}{}`, "", "traceability.notObject"},
		{"no UTF-8", "{\"a\":\"\xff\"}", "", "traceability.notObject"},
		{"our name", `{"attemptId":"x"}`, "", "traceability.reserved"},
		{"our name in other letters", `{"AttemptID":"x"}`, "", "traceability.reserved"},
		{"our name in escapes", `{"\u0061ttemptId":"x"}`, "", "traceability.reserved"},
		{"our name deeper", `{"a":[{"attemptId":1}]}`, "", "traceability.reserved"},
		{"our name as a value", `{"a":"attemptId"}`, `{"a":"attemptId"}`, ""},
		{"a name twice", `{"a":1,"a":2}`, "", "traceability.twice"},
		{"a name twice, in escapes", `{"a":1,"\u0061":2}`, "", "traceability.twice"},
		{"a name in two objects", `{"a":{"b":1},"c":{"b":1}}`, `{"a":{"b":1},"c":{"b":1}}`, ""},
		{"a card number", `{"a":"4012 8888 8888 1881"}`, "", "field.cardNumber"},
		{"a card number as a number", `{"a":[4012888888881881]}`, "", "field.cardNumber"},
		{"a card number as a name", `{"4012888888881881":1}`, "", "field.cardNumber"},
		{"a card number in escapes", `{"a":"\u0034012888888881881"}`, "", "field.cardNumber"},
		{"an EAN-13", `{"a":"7501055300075"}`, `{"a":"7501055300075"}`, ""},
		{"an invisible character", `{"a":"x\u200by"}`, "", "field.invalidText"},
		{"half a character", `{"a":"\ud800"}`, "", "field.invalidText"},
		{"NUL", `{"a":"\u0000"}`, "", "field.invalidText"},
	} {
		got, err := traceability.Parse(tt.text)
		if got != tt.want || code(t, err) != tt.code {
			t.Errorf("%s: Parse(%.60q) = %.60q, %v; want %.60q, %q", tt.fact, tt.text, got, err, tt.want, tt.code)
		}
	}
}

func TestTemplates(t *testing.T) {
	t.Parallel()
	if _, err := traceability.ParseTemplate(`{"a":"` + strings.Repeat("{orderId}", 5) + `"}`); err != nil {
		t.Errorf("five order numbers: %v", err)
	}
	if _, err := traceability.ParseTemplate(`{"a":"` + strings.Repeat("{orderId}", 6) + `"}`); code(t, err) != "traceability.tooMany" {
		t.Errorf("six order numbers: %v, want traceability.tooMany", err)
	}
	values := map[string]string{"orderId": `A"B\{storeCode}` + "\n", "storeCode": "CDMX-01", "amount": "1250.00"}
	got := traceability.Fill(`{"t":"{orderId}/{amount}","s":["{storeCode}","{folio}","{other}"],"n":1}`, values)
	var filled struct {
		T string
		S []string
		N int
	}
	if err := json.Unmarshal([]byte(got), &filled); err != nil {
		t.Fatalf("Fill() = %s: %v", got, err)
	}
	if filled.T != `A"B\{storeCode}`+"\n/1250.00" || strings.Join(filled.S, "|") != "CDMX-01||{other}" || filled.N != 1 {
		t.Errorf("Fill() = %+v", filled)
	}
}

// object generates an object of few names, so that two often have one in common.
var object = rapid.Custom(func(t *rapid.T) map[string]any {
	return rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c", "ñ", `q"`}), rapid.OneOf(
		rapid.Just[any]("x"), rapid.Just[any](map[string]any{"a": "inside"}), rapid.Just[any]([]any{true, nil}),
	), 0, 4).Draw(t, "object")
})

// TestTheIDStandsBesideTheMerchantsMembers: whatever is merged, what the service gets
// is the template's members, over them the program's, and our id; nothing else.
func TestTheIDStandsBesideTheMerchantsMembers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts, want := [2]string{}, map[string]any{}
		for i := range texts {
			o := object.Draw(t, "object")
			maps.Copy(want, o)
			text, err := json.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			if texts[i], err = traceability.Parse(string(text)); err != nil {
				t.Fatalf("Parse(%s) = %v", text, err)
			}
		}
		merged, err := traceability.Merge(texts[0], texts[1])
		if err != nil {
			t.Fatalf("Merge(%q) = %v", texts, err)
		}
		body, err := traceability.With(merged, "id-of-the-attempt")
		if err != nil {
			t.Fatalf("With(%s) = %v", merged, err)
		}
		want[traceability.Key] = "id-of-the-attempt"
		var got map[string]any
		if err := json.Unmarshal(body, &got); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q together are %s (%v), want %v", texts, body, err, want)
		}
	})
}
