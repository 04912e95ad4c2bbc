package results_test

import (
	"strings"
	"testing"

	"veinte/handlers/results"
)

// What is forwarded is what came, byte for byte, but for our attempt ids.
func TestForwardable(t *testing.T) {
	t.Parallel()
	const ours, theirs = "01234567-89ab-cdef-0123-456789abcdef", "ffffffff-89ab-cdef-0123-456789abcdef"
	for _, tt := range []struct{ fact, body, want string }{
		{
			"a sale as it came", "{ \"bin\" : 411111,\r\n\"amount\":\"1.0\", \"x\":\"\\u00e9\" } ",
			"{ \"bin\" : 411111,\r\n\"amount\":\"1.0\", \"x\":\"\\u00e9\" } ",
		},
		{
			"an id of the merchant's own", `{"traceability":{"venta":"` + theirs + `"},"transactionId":"` + theirs + `"}`,
			`{"traceability":{"venta":"` + theirs + `"},"transactionId":"` + theirs + `"}`,
		},
		{"our attempt id", `{"traceability":{"attemptId":"` + ours + `"},"n":1}`, `{"traceability":{},"n":1}`},
		{
			"the merchant's own object comes back without it, as it was written",
			`{"traceability":{"idProducto" : "123456","n":1.50,"attemptId":"` + ours + `"},"n":1}`,
			`{"traceability":{"idProducto" : "123456","n":1.50},"n":1}`,
		},
		{
			"also behind ours, with white space", "{\"traceability\": { \"attemptId\" : \"" + ours + "\" , \"idTienda\": 987 } }",
			"{\"traceability\": { \"idTienda\": 987 } }",
		},
		{
			"a member of that name elsewhere stays", `{"traceability":{"a":1,"attemptId":"` + ours + `"},"attemptId":"` + ours + `"}`,
			`{"traceability":{"a":1,"attemptId":"***"},"attemptId":"***"}`,
		},
		{
			"one that stands deeper stays", `{"traceability":{"a":{"attemptId":"` + theirs + `"}}}`,
			`{"traceability":{"a":{"attemptId":"***"}}}`,
		},
		{
			"our id wherever it stands", `{"traceability":{"attemptId":"` + ours + `"},"message":"ref ` + ours + `!"}`,
			`{"traceability":{},"message":"ref ***!"}`,
		},
		{
			"our id as a name", `{"traceability":{"attemptId":"` + ours + `"},"` + ours + `":1}`,
			`{"traceability":{},"***":1}`,
		},
		{
			"our id in a text that holds JSON", `{"traceability":"{\"attemptId\":\"` + ours + `\"}"}`,
			`{"traceability":"{\"attemptId\":\"***\"}"}`,
		},
		{"an attempt id that is none of ours", `{"traceability":{"attemptId":"x1"}}`, `{"traceability":{}}`},
		{"an id that is written in escapes", `{"traceability":{"attemptId":"\u00301234567-89ab-cdef-0123-456789abcdef"}}`, ""},
		{
			"an id that is written in escapes elsewhere",
			`{"traceability":{"attemptId":"` + ours + `"},"m":"\u00301234567-89ab-cdef-0123-456789abcdef"}`, "",
		},
		{"what is no JSON", "hello\x00\xff", "hello\x00\xff"},
		{"an id in what is cut off", `{"traceability":{"attemptId":"` + ours + `"`, `{"traceability":{"attemptId":"***"`},
		{"an id in what cannot be read", `transactionId=` + theirs, `transactionId=***`},
		{"nothing", "", ""},
	} {
		if got := string(results.Forwardable([]byte(tt.body))); got != tt.want {
			t.Errorf("%s: Forwardable(%q) = %q, want %q", tt.fact, tt.body, got, tt.want)
		}
	}
}

func FuzzForwardable(f *testing.F) {
	const ours = "01234567-89ab-cdef-0123-456789abcdef"
	for _, seed := range []string{`{"traceability":{"attemptId":"` + ours + `"}}`, `{"traceability":{"attemptId":"\u0030"}}`, ours, "{}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got := results.Forwardable(body)
		if p := readPost(got); len(got) > 0 && p.AttemptKey != "" && p.AttemptKey == readPost(body).AttemptKey &&
			!strings.Contains(string(body), `***`) {
			t.Errorf("Forwardable(%q) = %q, which still carries the attempt", body, got)
		}
	})
}
