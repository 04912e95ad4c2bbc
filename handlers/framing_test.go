package handlers_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/valyala/fasthttp/fasthttputil"
)

// served serves the house's application to raw connections.
func (h *house) served() *fasthttputil.InmemoryListener {
	h.tb.Helper()
	ln, done := fasthttputil.NewInmemoryListener(), make(chan error, 1)
	go func() { done <- h.app.Listener(ln) }()
	h.tb.Cleanup(func() {
		if err := h.app.ShutdownWithContext(context.Background()); err != nil {
			h.tb.Error(err)
		}
		<-done
	})
	return ln
}

// rawStatuses sends bytes, and returns the status of each response until the server
// closes the connection.
func rawStatuses(t *testing.T, ln *fasthttputil.InmemoryListener, bytes string) (statuses []int) {
	t.Helper()
	conn, err := ln.Dial()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go func(conn net.Conn) { _, _ = io.WriteString(conn, bytes) }(conn)
	for from := bufio.NewReader(conn); ; {
		res, err := http.ReadResponse(from, nil)
		if err != nil {
			return statuses
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		statuses = append(statuses, res.StatusCode)
	}
}

// next is a request that must not be read out of another one's body.
const next = "GET /livez HTTP/1.1\r\nHost: veinte.test\r\nConnection: close\r\n\r\n"

// TestHeadsWithTwoMeanings: what two programs could read differently is answered 400, and
// the connection is closed: nothing after it is a request.
func TestHeadsWithTwoMeanings(t *testing.T) {
	t.Parallel()
	ln := newHouse(t).served()
	const post, host = "POST /login HTTP/1.1\r\n", "Host: veinte.test\r\n"
	for _, tt := range []struct{ fact, request string }{
		{"a length and chunks", post + host + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
		{"chunks and a length", post + host + "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n0\r\n\r\n"},
		{"a space before the colon", post + host + "Content-Length : 66\r\n\r\n"},
		{"a tab before the colon", post + host + "Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n"},
		{"a name with a space", "GET /livez HTTP/1.1\r\n" + host + "X Y: 1\r\n\r\n"},
		{"no name", "GET /livez HTTP/1.1\r\n" + host + ": 1\r\n\r\n"},
		{"no colon", "GET /livez HTTP/1.1\r\n" + host + "nonsense\r\n\r\n"},
		{"chunks in HTTP/1.0", "POST /login HTTP/1.0\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
		{"chunks twice", post + host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
		{"chunks and identity", post + host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"},
		{"identity alone", post + host + "Transfer-Encoding: identity\r\n\r\n"},
		{"chunks with another coding", post + host + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"},
		{"two codings in one line", post + host + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"},
		{"a folded line", "GET /livez HTTP/1.1\r\n" + host + "X-A: 1\r\n 2\r\n\r\n"},
		{"a folded coding", post + host + "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n"},
		{"a line that ends with LF", "GET /livez HTTP/1.1\r\nHost: veinte.test\nX-A: 1\r\n\r\n"},
		{"a head that ends with LF", "GET /livez HTTP/1.1\r\nHost: veinte.test\r\n\n"},
		{"a CR within a value", "GET /livez HTTP/1.1\r\n" + host + "X-A: 1\rContent-Length: 5\r\n\r\n"},
		{"two lengths", post + host + "Content-Length: 0\r\nContent-Length: 0\r\n\r\n"},
		{"two lengths in one line", post + host + "Content-Length: 0, 0\r\n\r\n"},
		{"a length with a sign", post + host + "Content-Length: +0\r\n\r\n"},
		{"a length in hex", post + host + "Content-Length: 0x0\r\n\r\n"},
		{"two hosts", "GET /livez HTTP/1.1\r\n" + host + "Host: evil.test\r\n\r\n"},
		{"the same host twice", "GET /livez HTTP/1.1\r\n" + host + host + "\r\n"},
		{"no host", "GET /livez HTTP/1.1\r\nX-A: 1\r\n\r\n"},
		{"no headers", "GET /livez HTTP/1.1\r\n\r\n"},
		{"an empty host", "GET /livez HTTP/1.1\r\nHost:\r\n\r\n"},
		{"a full address", "GET http://evil.test/livez HTTP/1.1\r\n" + host + "\r\n"},
		{"an address that begins a host", "GET //evil.test/livez HTTP/1.1\r\n" + host + "\r\n"},
		{"a chunk of 0x0", post + host + "Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n"},
		{"a chunk of -1", post + host + "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n"},
		{"a chunk without a size", post + host + "Transfer-Encoding: chunked\r\n\r\n;a\r\n\r\n"},
		{"a chunk's size that ends with LF", post + host + "Transfer-Encoding: chunked\r\n\r\n0\n\r\n"},
		{"a chunk longer than its size", post + host + "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n"},
	} {
		if got := rawStatuses(t, ln, tt.request+next); len(got) != 1 || got[0] != 400 {
			t.Errorf("%s: answered %v, want 400 and closed", tt.fact, got)
		}
	}
	for fact, request := range map[string]string{
		"a plain request":         "GET /livez HTTP/1.1\r\n" + host + "\r\n",
		"one with chunks":         "POST /results/nowhere HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"one with a length":       "POST /results/nowhere HTTP/1.1\r\n" + host + "Content-Length: 2\r\n\r\n{}",
		"one of a health check":   "GET /livez HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
		"an empty value":          "GET /livez HTTP/1.1\r\n" + host + "X-A:\r\nX-B: \r\n\r\n",
		"a value with spaces":     "GET /livez HTTP/1.1\r\n" + host + "X-A: \t a b \t\r\n\r\n",
		"one that is not in time": "GET /livez HTTP/1.1\r\n" + host + "X-A: " + strings.Repeat("x", 8000) + "\r\n\r\n",
	} {
		if got := rawStatuses(t, ln, request+next); len(got) != 2 || got[0] == 400 || got[1] != 200 {
			t.Errorf("%s: answered %v, want two answers, the second 200", fact, got)
		}
	}
}

// TestOtherSpellingsOfAPath: no other spelling of a path reaches a route by another rule
// than its own, and what a person types into a terminal with a capital is not lost.
func TestOtherSpellingsOfAPath(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.visitor()
	for _, first := range []string{"/results/", "/Results/", "/RESULTS/", "/rEsults/"} {
		v.send("POST", first+secret, `{"a":1}`, "Content-Type", "application/json").want(200)
	}
	if n := h.count(`SELECT count(*) FROM results`); n == 0 {
		t.Error("no post was stored")
	}
	v.send("POST", "/results/"+strings.ToUpper(secret), `{"a":2}`, "Content-Type", "application/json").want(404)
	for _, path := range []string{"/API/v1/sales", "/Api/v1/sales", "/api/v1/sales"} {
		a := v.get(path).want(401)
		if kind := a.header.Get("Content-Type"); !strings.HasPrefix(kind, "application/problem+json") {
			t.Errorf("GET %s is answered as %q, want a problem", path, kind)
		}
	}
	for _, path := range []string{
		"/api//v1/sales", "/api/v1/../v1/sales", "/api/V1/sales", "/%61pi/v1/sales", "/api/v1/%73ales", "/api/v1/Sales", "/api%2fv1/sales",
		"/x/../api/v1/sales", "/./api/v1/sales", "/Login", "/LOGIN", "/login/x/..", "/%6cogin", "/Imports", "/Settings/Reconciliation/Preview",
		"/results/%2e%2e/login", "/Livez",
	} {
		if a := v.get(path); a.status != 404 && a.status != 405 {
			t.Errorf("GET %s = %d, want that there is no such page", path, a.status)
		}
	}
}
