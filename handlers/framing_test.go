package handlers_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/valyala/fasthttp/fasthttputil"

	"veinte/handlers"
)

// served serves the house's application to raw connections.
func (h *house) served() *fasthttputil.InmemoryListener {
	h.tb.Helper()
	ln, done := fasthttputil.NewInmemoryListener(), make(chan error, 1)
	go func() { done <- handlers.Serve(h.app, ln) }()
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
	return statusesOf(t, ln, bytes, len(bytes))
}

// statusesOf sends the bytes in pieces.
func statusesOf(t *testing.T, ln *fasthttputil.InmemoryListener, bytes string, piece int) (statuses []int) {
	t.Helper()
	conn, err := ln.Dial()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go func(conn net.Conn) {
		for part := range slices.Chunk([]byte(bytes), piece) {
			if _, err := conn.Write(part); err != nil {
				return
			}
		}
	}(conn)
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

type head struct{ Fact, Request string }

// heads are requests that two programs may read differently. The laboratory sends them
// through proxies too.
func heads(t *testing.T) (all []head) {
	t.Helper()
	text, err := os.ReadFile("testdata/heads.json")
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil || len(all) < 35 {
		t.Fatalf("%d heads, %v; want at least the 35 that there were", len(all), err)
	}
	return all
}

// TestHeadsWithTwoMeanings: what two programs could read differently is answered 400, and
// the connection is closed: nothing after it is a request.
func TestHeadsWithTwoMeanings(t *testing.T) {
	t.Parallel()
	ln := newHouse(t).served()
	for _, tt := range heads(t) {
		t.Run(tt.Fact, func(t *testing.T) {
			if got := rawStatuses(t, ln, tt.Request+next); len(got) != 1 || got[0] != 400 {
				t.Errorf("answered %v, want 400 and closed", got)
			}
		})
	}
	for _, version := range []string{"HTTP/1.2", "HTTP/1.9", "HTTP/2.0", "HTTP/3.0", "HTTP/0.9"} {
		if got := rawStatuses(t, ln, "GET /livez "+version+"\r\nHost: veinte.test\r\n\r\n"+next); len(got) != 1 || got[0] != 400 {
			t.Errorf("%s, which nobody speaks here: answered %v, want 400 and closed", version, got)
		}
	}
	const host = "Host: veinte.test\r\n"
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

// TestARequestLineEndsWithCRLF: on a connection's first request and on its later ones, in
// whatever pieces they come. A body may have any line.
func TestARequestLineEndsWithCRLF(t *testing.T) {
	t.Parallel()
	ln := newHouse(t).served()
	const (
		host    = "Host: veinte.test\r\n"
		post    = "POST /results/nowhere HTTP/1.1\r\n" + host
		get     = "GET /livez HTTP/1.1\r\n" + host
		plain   = get + "\r\n"
		chunked = post + "Transfer-Encoding: chunked\r\n"
		bare    = "GET /livez HTTP/1.1\n" + host + "\r\n"
	)
	long := strings.Repeat("a", 999)
	odd := fmt.Sprintf("%sCONTENT-length:  %d  \r\n\r\n%s", post, len(bare), bare) // of which none is a request
	for fact, tt := range map[string]struct {
		requests string
		want     []int
	}{
		"alone":                           {bare, []int{400}},
		"after an empty line":             {"\r\n" + bare, []int{400}},
		"an empty line before it":         {"\n" + plain, []int{400}},
		"after a plain one":               {plain + plain + bare, []int{200, 200, 400}},
		"after a length":                  {post + "Content-Length: 3\r\n\r\n{\n}" + bare, []int{404, 400}},
		"after an empty body":             {post + "Content-Length: 0\r\n\r\n" + bare, []int{404, 400}},
		"after chunks":                    {chunked + "\r\n1\r\n{\r\n00A;a=b\r\n\n\n\n\n\n\n\n\n\n}\r\n0\r\n\r\n" + bare, []int{404, 400}},
		"after a trailer":                 {chunked + "Trailer: X-A\r\n\r\n2\r\n{}\r\n0\r\nX-A: 1\r\n\r\n" + bare, []int{404, 400}},
		"after lines like those two":      {get + "Content-Lengths: 5\r\nC: 5\r\nT: chunked\r\n\r\n" + bare, []int{200, 400}},
		"a trailer that ends with LF":     {chunked + "\r\n2\r\n{}\r\n0\r\nX-A: 1\n\r\n" + plain, []int{400}},
		"trailers that end with LF":       {chunked + "\r\n2\r\n{}\r\n0\r\nX-A: 1\r\n\n" + plain, []int{400}},
		"after long words on a chunk":     {chunked + "\r\n2;" + long + "\r\n{}\r\n0;" + long + "\r\n\r\n" + bare, []int{404, 400}},
		"as a body":                       {odd + plain + odd, []int{404, 200, 404}},
		"in chunks":                       {chunked + "\r\n" + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(bare), bare) + plain, []int{404, 200}},
		"with a long head before it":      {get + "Cookie: " + strings.Repeat("c", 9000) + "\r\n\r\n" + bare, []int{200, 400}},
		"of an older protocol":            {"GET /livez HTTP/1.0\nConnection: keep-alive\r\n\r\n", []int{400}},
		"that is not at its end":          {"GET /livez\n HTTP/1.1\r\n" + host + "\r\n", []int{400}},
		"with all of its lines so":        {"GET /livez HTTP/1.1\nHost: veinte.test\n\n", []int{400}},
		"an empty line after a plain one": {plain + "\n" + plain, []int{200, 400}},
	} {
		for _, piece := range []int{len(tt.requests), 7, 1} {
			want := tt.want
			if want[len(want)-1] != 400 { // which closes the connection
				want = append(slices.Clone(want), 200)
			}
			if got := statusesOf(t, ln, tt.requests+next, piece); !slices.Equal(got, want) {
				t.Errorf("%s, in pieces of %d: answered %v, want %v", fact, piece, got, want)
			}
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
