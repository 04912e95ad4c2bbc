package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// raw sends one cancel over a plain connection and returns every byte that
// came back and how the connection ended.
func (b *bundle) raw(orderID string) (string, error) {
	b.tb.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
	if err != nil {
		b.tb.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		b.tb.Fatal(err)
	}
	text := body(orderID)
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\nConnection: "+
		"close\r\nContent-Length: %d\r\n\r\n%s",
		cancelPath, static, len(text), text)
	if err != nil {
		b.tb.Fatal(err)
	}
	got, err := io.ReadAll(conn)
	return string(got), err
}

// TestConnectionFaults checks the connection itself: the bytes received, and whether
// it ended in order or by a reset.
func TestConnectionFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fault, tail string
		empty       bool  // nothing at all is answered
		end         error // how the connection ends
		bytesRead   bool
	}{
		{"dropBeforeReading", "", true, syscall.ECONNRESET, false},
		{"reset", "", true, syscall.ECONNRESET, true},
		{"dropAfterReading", "", true, nil, true},
		{"cutHeader", "HTTP/1.1 200 OK\r\nContent-Ty", false, nil, true},
		{"cutBody", `{"code":"00","message":"Men`, false, nil, true},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			t.Parallel()
			b := start(t, noon)
			b.control("POST", "/control/faults", `{"fault":"`+tt.fault+`"}`, 200)
			got, err := b.raw("o-1")
			if !errors.Is(err, tt.end) || !strings.HasSuffix(got, tt.tail) || (got == "") != tt.empty {
				t.Errorf("wire under %s = %q, %v; want an end %q and %v", tt.fault, got, err, tt.tail, tt.end)
			}
			request, answer := b.lines(kindRequest)[0], b.lines(kindAnswer)[0]
			if (*request.BytesRead > 0) != tt.bytesRead || request.Fault != tt.fault || answer.Fault != tt.fault || answer.Of != request.Seq ||
				answer.Status != 0 {
				t.Errorf("ledger under %s: %s %s", tt.fault, encode(request), encode(answer))
			}
			if got, err := b.raw("o-1"); err != nil || !strings.HasSuffix(got, ackOK) {
				t.Errorf("after the fault was used up the wire = %q, %v", got, err)
			}
		})
	}
}

func TestAnswerFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fault, contentType string
		status             int
		want               string
	}{
		{"html", "text/html", 200, "<!DOCTYPE html>"},
		{"500", "application/json", 500, `{"error":"Internal`},
		{"502", "text/html", 502, `<html><head><title>502`},
		{"invalidJSON", "application/json", 200, `{"code":"00","message":"Mensaje enviado exi`},
		{"unknownCode", "application/json", 200, `{"code":"77"`},
		{"redirect", "text/plain", 307, ``},
		{"notFound", "application/json", 200, `{"code":"19"`},
		{"expiredToken", "application/json", 401, `{"error":"invalid_token","error_description":"Access token expired: ` + static},
		{"slow", "application/json", 200, ackOK},
		{"oneBytePerSecond", "application/json", 200, ackOK},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			t.Parallel()
			b := start(t, noon)
			b.control("POST", "/control/faults", `{"fault":"`+tt.fault+`","serialNumber":"`+serial+`","delay":"3ms"}`, 200)
			began := time.Now()
			response, err := b.send("POST", cancelPath, body("o-1"), orderHeaders)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			got, err := io.ReadAll(response.Body)
			if err != nil || response.StatusCode != tt.status || !strings.HasPrefix(string(got), tt.want) ||
				!strings.HasPrefix(response.Header.Get("Content-Type"), tt.contentType) {
				t.Errorf("%s = %d %s %s %v, want %d %s", tt.fault, response.StatusCode, response.Header.Get("Content-Type"), got, err, tt.status,
					tt.want)
			}
			if tt.fault == "oneBytePerSecond" && time.Since(began) < 3*time.Millisecond*time.Duration(len(ackOK)) {
				t.Errorf("%d bytes at 3 ms each took %v", len(ackOK), time.Since(began))
			}
			if answer := b.lines(kindAnswer)[0]; answer.Fault != tt.fault {
				t.Errorf("answer line = %s", encode(answer))
			}
		})
	}
}

func TestExpiredTokenDies(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	token := b.token("grant_type=client_credentials")
	b.control("POST", "/control/faults", `{"fault":"expiredToken","operation":"reprint"}`, 200)
	for range 2 { // the fault revokes it; it must not come back to life
		if b.opens(token) {
			t.Error("a token that was called expired still opens the service")
		}
	}
	if !b.opens(b.token("grant_type=client_credentials")) {
		t.Error("a new token does not open the service")
	}
}

// TestHangBlocksNobody finds the hanging request in the ledger before its response,
// and other requests are served meanwhile.
func TestHangBlocksNobody(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	ended := make(chan error, 1)
	go func() {
		response, err := b.send("POST", cancelPath, body("o-1-FAULT-hang"), orderHeaders)
		if err == nil {
			err = fmt.Errorf("answered %s", response.Status)
			response.Body.Close()
		}
		ended <- err
	}()
	eventually(t, "the hanging request is in the ledger", func() bool { return len(b.lines(kindRequest)) == 1 })
	b.push(cancelPath, "o-2")
	select {
	case err := <-ended:
		t.Errorf("the hanging request ended: %v", err)
	default:
	}
	b.sandbox.cancel()
	if err := <-ended; strings.Contains(err.Error(), "answered") || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the hanging request ended with %v, want a cut connection", err)
	}
}

func TestRedirectedOrderIsCaught(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	b.control("POST", "/control/faults", `{"fault":"redirect"}`, 200)
	request, err := http.NewRequest("POST", b.url+cancelPath, strings.NewReader(body("o-1")))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range orderHeaders {
		request.Header.Set(name, value)
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if got := b.lines(kindRequest); len(got) != 2 || len(got[1].Violations) == 0 {
		t.Errorf("a client that follows the redirect left %d requests, want 2 and a violation", len(got))
	}
}

// TestBrokenBody sends half a body and closes: it is recorded and has no effect.
func TestBrokenBody(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer "+
		"%s\r\nContent-Length: 500\r\n\r\n%s",
		cancelPath, static, body("o-1"))
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	eventually(t, "the broken request is in the ledger", func() bool { return len(b.lines(kindRequest)) == 1 })
	if r := b.lines(kindRequest)[0]; r.Body != body("o-1") || len(r.Violations) == 0 || len(b.lines(kindAnswer)) != 0 {
		t.Errorf("request line = %s", encode(r))
	}
}

func TestTokenFaults(t *testing.T) {
	t.Parallel()
	b := start(t, noon)
	b.control("POST", "/control/faults", `{"fault":"500","operation":"token"}`, 200)
	if status, text := b.do("POST", tokenPath, "grant_type=client_credentials", tokenHeaders); status != 500 {
		t.Errorf("token = %d %s, want 500", status, text)
	}
	b.control("POST", "/control/faults", `{"fault":"expiredToken","operation":"token"}`, 200)
	if b.opens(b.token("grant_type=client_credentials")) {
		t.Error("a token born expired opens the service")
	}
	b.control("POST", "/control/faults", `{"fault":"declined","operation":"token"}`, 400)
}
