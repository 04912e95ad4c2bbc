package cancelapi

import (
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"testing"

	"veinte/models"
)

func newDiscardLog() *log.Logger { return log.New(io.Discard, "", 0) }

// TestOutgoingBody compares bytes: five fields, no more and no less.
func TestOutgoingBody(t *testing.T) {
	t.Parallel()
	for _, omit := range []bool{false, true} {
		s := serve(t, says(whole(200, ackOK)))
		order := anOrder(func(o *models.Order) { o.OmitReceipt = omit })
		newClient(t, s.url).Cancel(t.Context(), order)

		flag := map[bool]string{false: "false", true: "true"}[omit]
		want := `{"serialNumber":"1234567890","orderId":"260310120000-1234567890","storeId":"7654321",` +
			`"traceability":{"attemptId":"` + order.Key.Reveal() + `"},"disablePrintAnimation":` + flag + `}`
		if got := <-s.bodies; got != want {
			t.Errorf("body = %s, want %s", got, want)
		}
	}
}

// TestTraceability: the merchant's members come first, as they are written, and our id
// beside them; the bare form has nothing. An object that names ours is not sent.
func TestTraceability(t *testing.T) {
	t.Parallel()
	key := models.NewAttemptKey()
	ours := `"attemptId":"` + key.Reveal() + `"}`
	for _, tt := range []struct {
		object string
		bare   bool
		want   string // "": it is not sent
	}{
		{"", false, "{" + ours},
		{"{}", false, "{" + ours},
		{`{"idProducto":"123456","idTienda":987}`, false, `{"idProducto":"123456","idTienda":987,` + ours},
		{`{"n":12345678901234567890.50,"a":[1,{"b":null}]}`, false, `{"n":12345678901234567890.50,"a":[1,{"b":null}],` + ours},
		{"", true, "{}"},
		{`{"idTienda":987}`, true, "{}"},
		{`{"attemptId":"x"}`, false, ""},
		{`{"AttemptID":"x"}`, false, ""},
		{`[1]`, false, ""},
		{`{"a":1}{`, false, ""},
		{`{"a":1`, false, ""},
		{`{"a"}`, false, ""},
	} {
		s := serve(t, says(whole(200, ackOK)))
		order := anOrder(func(o *models.Order) { o.Key, o.Traceability, o.Bare = key, tt.object, tt.bare })
		got := newClient(t, s.url).Cancel(t.Context(), order)
		if tt.want == "" {
			wantReply(t, got, models.MeaningNotSent, models.DetailInvalidOrder)
			continue
		}
		wantReply(t, got, models.MeaningAccepted, models.DetailAccepted)
		if body := <-s.bodies; !strings.Contains(body, `"traceability":`+tt.want+`,"disablePrintAnimation"`) {
			t.Errorf("%s, bare %t: body %s, want traceability %s", tt.object, tt.bare, body, tt.want)
		}
	}
}

func TestInquiryNeverPrints(t *testing.T) {
	t.Parallel()
	paths := make(chan string, 1)
	s := serve(t, func(conn net.Conn, req *http.Request) {
		paths <- req.RequestURI
		_, _ = io.WriteString(conn, whole(200, ackOK))
	})
	got := newClient(t, s.url).Inquire(t.Context(), anOrder())
	wantReply(t, got, models.MeaningAccepted, models.DetailAccepted)

	var body map[string]any
	if err := json.Unmarshal([]byte(<-s.bodies), &body); err != nil {
		t.Fatal(err)
	}
	if body["disablePrintAnimation"] != true || len(body) != 5 {
		t.Errorf("body = %v, want five fields and no printing", body)
	}
	if got := <-paths; got != DefaultInquiryPath {
		t.Errorf("path = %s, want %s", got, DefaultInquiryPath)
	}
}

func TestNoInquiriesWithoutAPath(t *testing.T) {
	t.Parallel()
	client := newClient(t, "http://127.0.0.1:1", func(cfg *Config) { cfg.InquiryPath = "" })
	client.dialer.connect = noDial(t)
	got := client.Inquire(t.Context(), anOrder())
	wantReply(t, got, models.MeaningNotSent, models.DetailInvalidOrder)
}

func TestRequestLine(t *testing.T) {
	t.Parallel()
	tests := []struct{ fact, base, path, want string }{
		{"no prefix", "", "", DefaultCancelPath},
		{"a prefix stays", "/gateway", "", "/gateway" + DefaultCancelPath},
		{"slashes meet once", "/gateway/", "v2/cancel", "/gateway/v2/cancel"},
		{"escapes stay", "/a%2Fb", "", "/a%2Fb" + DefaultCancelPath},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			seen := make(chan *http.Request, 1)
			s := serve(t, func(conn net.Conn, req *http.Request) {
				seen <- req
				_, _ = io.WriteString(conn, whole(200, ackOK))
			})
			client := newClient(t, s.url+tt.base, func(cfg *Config) { cfg.CancelPath = tt.path })
			client.Cancel(t.Context(), anOrder())
			req := <-seen
			if req.Method != http.MethodPost || req.RequestURI != tt.want || req.Proto != "HTTP/1.1" {
				t.Errorf("%s %s %s, want POST %s HTTP/1.1", req.Method, req.RequestURI, req.Proto, tt.want)
			}
		})
	}
}

// TestHeaders lists every header: one too many (Idempotency-Key, Expect,
// Accept-Encoding) changes what net/http or a proxy does with a POST.
func TestHeaders(t *testing.T) {
	t.Parallel()
	seen := make(chan http.Header, 1)
	s := serve(t, func(conn net.Conn, req *http.Request) {
		seen <- req.Header
		_, _ = io.WriteString(conn, whole(200, ackOK))
	})
	newClient(t, s.url).Cancel(t.Context(), anOrder())
	want := map[string]string{
		"Content-Type":   "application/json",
		"Accept":         "application/json",
		"Authorization":  "Bearer " + testToken,
		"User-Agent":     "veinte",
		"Connection":     "close",
		"Content-Length": "",
	}
	for name, values := range <-seen {
		value, ok := want[name]
		if !ok || value != "" && value != values[0] || len(values) != 1 {
			t.Errorf("header %s: %q, want %q", name, values, value)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("headers missing: %v", want)
	}
}

// What the document does not limit is sent as it is: 250 characters of an order number
// and of a storeId, and shapes that nobody has seen.
func TestIdentifiersOfAnyShape(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		strings.Repeat("9", 250), strings.Repeat("ñ", 250), "A B/C#1", "1\u00a02", `quote" and \ backslash`, "<a>&", "日本", "0", "😀",
	} {
		s := serve(t, says(whole(200, ackOK)))
		got := newClient(t, s.url).Cancel(t.Context(), anOrder(func(o *models.Order) { o.OrderID, o.MerchantID = text, text }))
		wantReply(t, got, models.MeaningAccepted, models.DetailAccepted)
		var body struct{ OrderID, StoreID string }
		if err := json.Unmarshal([]byte(<-s.bodies), &body); err != nil || body.OrderID != text || body.StoreID != text {
			t.Errorf("orderId %q, storeId %q, %v; want %q in both", body.OrderID, body.StoreID, err, text)
		}
	}
}

func TestInvalidOrders(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fact   string
		change func(*models.Order)
	}{
		{"nine digits", func(o *models.Order) { o.SerialNumber = "123456789" }},
		{"a letter among the digits", func(o *models.Order) { o.SerialNumber = "12345678x0" }},
		{"no order number", func(o *models.Order) { o.OrderID = "" }},
		{"an order number of blanks", func(o *models.Order) { o.OrderID = "  " }},
		{"a NUL in the order number", func(o *models.Order) { o.OrderID = "1\x002" }},
		{"an order number that is not UTF-8", func(o *models.Order) { o.OrderID = "1\xff2" }},
		{"an endless order number", func(o *models.Order) { o.OrderID = strings.Repeat("1", 1001) }},
		{"no merchant id", func(o *models.Order) { o.MerchantID = "" }},
		{"a line end in the merchant id", func(o *models.Order) { o.MerchantID = "1\r\n2" }},
		{"a key that nobody drew", func(o *models.Order) { o.Key = models.AttemptKey{} }},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			client := newClient(t, "http://127.0.0.1:1")
			client.dialer.connect = noDial(t)
			got := client.Cancel(t.Context(), anOrder(tt.change))
			wantReply(t, got, models.MeaningNotSent, models.DetailInvalidOrder)
		})
	}
}
