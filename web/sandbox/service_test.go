package sandbox

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestOrderChecks(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	good := body("o-1")
	with := func(name, value string) map[string]string {
		h := maps.Clone(orderHeaders)
		h[name] = value
		return h
	}
	for _, tt := range []struct {
		name, method, path, body string
		header                   map[string]string
		status                   int
		want                     string
	}{
		{"good", "POST", cancelPath, good, orderHeaders, 200, ackOK},
		{"a good inquiry", "POST", reprintPath, good, orderHeaders, 200, ackOK},
		{"under a prefix", "POST", "/gateway/v" + cancelPath, good, orderHeaders, 200, ackOK},
		{"a charset is no other type", "POST", cancelPath, good, with("Content-Type", "application/json; charset=utf-8"), 200, ackOK},
		{"no token", "POST", cancelPath, good, with("Authorization", ""), 401, `{"error":"invalid_token","error_description":"Full`},
		{
			"a bad token comes back in the text", "POST", cancelPath, good, with("Authorization", "Bearer bad-1"), 401,
			`{"error":"invalid_token","error_description":"Invalid access token: bad-1"}`,
		},
		{"a token is asked for before the body is looked at", "POST", cancelPath, "", with("Authorization", "Bearer bad-1"), 401, `{"error"`},
		{"another content type", "POST", cancelPath, good, with("Content-Type", "text/plain"), 400, `{"code":"95"`},
		{"GET", "GET", cancelPath, "", orderHeaders, 405, `{"code":"95"`},
		{"a query", "POST", cancelPath + "?a=1", good, orderHeaders, 400, `{"code":"95"`},
		{"a sixth field", "POST", cancelPath, strings.Replace(good, "{", `{"amount":"1.00",`, 1), orderHeaders, 400, `{"code":"95"`},
		{"over 64 KB", "POST", cancelPath, strings.Replace(good, "a-1", strings.Repeat("x", maxBody), 1), orderHeaders, 413, `{"code":"95"`},
		{
			"an unknown terminal", "POST", cancelPath, strings.Replace(good, serial, "1490000099", 1), orderHeaders, 200,
			`{"code":"19","message":"No se encontró la terminal"}`,
		},
		{"another terminal's storeId", "POST", cancelPath, strings.Replace(good, store, "900002", 1), orderHeaders, 200, `{"code":"19"`},
		{"another path", "POST", "/integration-service/transactions/refund", good, orderHeaders, 404, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			status, got := b.do(tt.method, tt.path, tt.body, tt.header)
			if status != tt.status || !strings.HasPrefix(got, tt.want) {
				t.Errorf("%s %s = %d %s, want %d %s", tt.method, tt.path, status, got, tt.status, tt.want)
			}
		})
	}
}

func TestDateIsTheServicesClock(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	response, err := b.send("POST", cancelPath, body("o-1"), orderHeaders)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	date, err := http.ParseTime(response.Header.Get("Date"))
	want, _ := time.Parse(time.RFC3339, noon)
	if err != nil || date.Sub(want).Abs() > time.Minute {
		t.Errorf("Date = %v (%v), want about %v", date, err, want)
	}
}

func TestLedgerKeepsWhatCame(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	sent := strings.Replace(body("o-1"), "a-1", "<b>ñ&", 1)
	b.do("POST", "/gateway"+cancelPath, sent, orderHeaders)
	b.do("POST", cancelPath, `{"x":1}`, orderHeaders)
	requests, answers := b.lines(kindRequest), b.lines(kindAnswer)
	if len(requests) != 2 || len(answers) != 2 {
		t.Fatalf("%d requests and %d answers in the ledger, want 2 and 2", len(requests), len(answers))
	}
	r := requests[0]
	if r.Body != sent || *r.BytesRead != len(sent) || r.Operation != "cancel" || r.Path != "/gateway"+cancelPath || r.OrderID != "o-1" ||
		len(r.Violations) != 0 {
		t.Errorf("request line = %s", encode(r))
	}
	if r.Headers["Authorization"] != "Bearer ***" || r.TokenFingerprint != fingerprint(static) {
		t.Errorf("Authorization = %q, fingerprint %q", r.Headers["Authorization"], r.TokenFingerprint)
	}
	if answers[0].Of != r.Seq || answers[0].Status != 200 || answers[0].Answer != ackOK {
		t.Errorf("answer line = %s", encode(answers[0]))
	}
	want := []string{`field "x" is not in the specification`, "orderId is missing", "serialNumber is missing", "storeId is missing"}
	if !slices.Equal(requests[1].Violations, want) {
		t.Errorf("violations = %q, want %q", requests[1].Violations, want)
	}
}

func TestLedgerHidesSecrets(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	b.do("POST", cancelPath, body("o-1"), orderHeaders)
	b.do("POST", cancelPath, body("o-1"), map[string]string{"Content-Type": "application/json", "Authorization": "Bearer bad-<1>"})
	token := b.token("grant_type=password&username=tienda&password=s3creto")
	text := b.control("GET", "/control/ledger", "", 200)
	for _, secret := range []string{static, "bad-<1>", token, "s3creto", "YXBwOm"} {
		if strings.Contains(text, secret) {
			t.Errorf("the ledger tells %q:\n%s", secret, text)
		}
	}
}
