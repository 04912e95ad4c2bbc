package deliver

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/secretbox"
	"veinte/models/webhooks"
)

const testSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func parcel(url, body string) *webhooks.Outgoing {
	result := int64(7)
	return &webhooks.Outgoing{
		Delivery: webhooks.Delivery{
			ID: 12, MessageID: "5f0c7f6e-7c1b-4f5e-9a55-0d7f4f0e9a11", Event: "result.sale", ResultID: &result,
			ContentType: "application/json;charset=UTF-8",
		},
		EndpointKind: webhooks.RelayEndpoint, URL: url, Body: []byte(body), Secrets: []secretbox.Secret{secretbox.SecretOf(testSecret)},
		ReceivedAt: time.Date(2026, 11, 20, 18, 0, 0, 5000, time.UTC),
	}
}

func sender() *Sender {
	return New(Config{Clock: models.ShiftedClock(0), AllowPrivate: true, Timeout: 500 * time.Millisecond})
}

func TestSendAsReceived(t *testing.T) {
	t.Parallel()
	const body = "{ \"amount\" : \"1.0\",\r\n  \"x\":\"\\u00e9\" }"
	var got *http.Request
	var read []byte
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		read, _ = io.ReadAll(r.Body)
		_, _ = io.WriteString(w, "gracias")
	}))
	defer receiver.Close()
	a := sender().Send(context.Background(), parcel(receiver.URL+"/pos?key=k", body))
	if a.Detail != webhooks.TryDelivered || a.HTTPStatus != 200 || a.Excerpt != "gracias" || a.Duration <= 0 {
		t.Fatalf("Send = %+v", a)
	}
	if string(read) != body {
		t.Errorf("the receiver read %q, want %q", read, body)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/json;charset=UTF-8", "Webhook-Id": "msg_5f0c7f6e7c1b4f5e9a550d7f4f0e9a11", "X-Veinte-Delivery": "12",
		"X-Veinte-Event": "result.sale", "X-Veinte-Body": "original", "X-Veinte-Received-At": "2026-11-20T18:00:00.000005Z",
		"Idempotency-Key": "", "Accept-Encoding": "",
	} {
		if got.Header.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, got.Header.Get(name), want)
		}
	}
	if !verifies(t, testSecret, got.Header, read) {
		t.Error("the signature does not verify")
	}
	if got.URL.RawQuery != "key=k" || got.Method != http.MethodPost {
		t.Errorf("%s %s", got.Method, got.URL)
	}
}

// Only 2xx counts as delivered. A redirect is a response and is not followed.
func TestWhatAStatusMeans(t *testing.T) {
	t.Parallel()
	followed := false
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/200", "/followed":
			followed = followed || r.URL.Path == "/followed"
		case "/204":
			w.WriteHeader(204)
		case "/302", "/307":
			w.Header().Set("Location", "/followed")
			w.WriteHeader(map[string]int{"/302": 302, "/307": 307}[r.URL.Path])
		case "/410":
			w.WriteHeader(410)
		case "/503":
			w.Header().Set("Retry-After", "90")
			w.WriteHeader(503)
		case "/429":
			w.Header().Set("Retry-After", "999999999")
			w.WriteHeader(429)
		default:
			w.WriteHeader(400)
		}
	}))
	defer receiver.Close()
	for path, want := range map[string]webhooks.Response{
		"/200": {Detail: webhooks.TryDelivered, HTTPStatus: 200}, "/204": {Detail: webhooks.TryDelivered, HTTPStatus: 204},
		"/302": {Detail: webhooks.TryRedirected, HTTPStatus: 302}, "/307": {Detail: webhooks.TryRedirected, HTTPStatus: 307},
		"/410": {Detail: webhooks.TryGone, HTTPStatus: 410}, "/400": {Detail: webhooks.TryRefused, HTTPStatus: 400},
		"/503": {Detail: webhooks.TryRefused, HTTPStatus: 503, RetryAfter: 90 * time.Second},
		"/429": {Detail: webhooks.TryRefused, HTTPStatus: 429, RetryAfter: time.Hour},
	} {
		got := sender().Send(context.Background(), parcel(receiver.URL+path, "{}"))
		if got.Detail != want.Detail || got.HTTPStatus != want.HTTPStatus || got.RetryAfter != want.RetryAfter {
			t.Errorf("%s = %+v, want %+v", path, got, want)
		}
	}
	if followed {
		t.Error("a redirect was followed")
	}
}

func TestWhenThereIsNoAnswer(t *testing.T) {
	t.Parallel()
	stall, leave := make(chan struct{}), make(chan struct{})
	defer close(leave)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/stall":
			select {
			case <-stall:
			case <-leave:
			}
		case "/cut":
			conn, _, _ := http.NewResponseController(w).Hijack()
			_ = conn.(*net.TCPConn).SetLinger(0)
			_ = conn.Close()
		case "/endless":
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, strings.Repeat("x", 4096))
			}
		}
	}))
	defer receiver.Close()
	defer close(stall)
	gone := httptest.NewServer(nil)
	gone.Close()
	secure := httptest.NewUnstartedServer(nil)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	for url, want := range map[string]webhooks.Reason{
		receiver.URL + "/stall": webhooks.TryTimeout, receiver.URL + "/cut": webhooks.TryConnectionLost,
		receiver.URL + "/endless": webhooks.TryDelivered,
		gone.URL:                  webhooks.TryUnreachable, secure.URL: webhooks.TryTLS,
		strings.Replace(receiver.URL, "http:", "https:", 1): webhooks.TryTLS,
		"http://[::ffff:169.254.169.254]/":                  webhooks.TryForbidden, "http://no.such.host.invalid/": webhooks.TryUnreachable,
	} {
		began := time.Now()
		if got := sender().Send(context.Background(), parcel(url, "{}")); got.Detail != want {
			t.Errorf("%s = %+v, want %s", url, got, want)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s took %s", url, took)
		}
	}
	strict := New(Config{Clock: models.ShiftedClock(0)})
	if got := strict.Send(context.Background(), parcel(receiver.URL, "{}")); got.Detail != webhooks.TryForbidden {
		t.Errorf("this machine, not allowed = %+v", got)
	}
	sealed := parcel(receiver.URL, "{}")
	sealed.Trouble = errors.New("sealed")
	if got := sender().Send(context.Background(), sealed); got.Detail != webhooks.TryUndecryptable {
		t.Errorf("what cannot be opened = %+v", got)
	}
}
