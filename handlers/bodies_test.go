package handlers_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/valyala/fasthttp/fasthttputil"

	"veinte/handlers"
)

// TestBodies sends bodies that are no forms of ours.
func TestBodies(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale := h.Sale(hereAmount)
	v := h.manager()
	token := "csrf=" + url.QueryEscape(v.csrf())
	fill := func(size int) string { return token + "&note=" + strings.Repeat("x", size-len(token)-6) }
	multipart := "--b\r\nContent-Disposition: form-data; name=\"csrf\"\r\n\r\n" + v.csrf() + "\r\n--b--\r\n"
	for _, tt := range []struct {
		fact, kind, body string
		status           int
		words            string
	}{
		{"64 KB", form, fill(64 << 10), 422, "Elige el motivo."},
		{"64 KB and a byte", form, fill(64<<10 + 1), 413, "demasiado grande"},
		{"half a megabyte", form, fill(512 << 10), 413, "demasiado grande"},
		{"JSON", "application/json", `{"csrf":"` + v.csrf() + `","reason":"chargedTwice"}`, 400, "no se entendió"},
		{"JSON that says it is a form", form, `{"csrf":"` + v.csrf() + `"}`, 403, "llevaba mucho tiempo abierta"},
		{"multipart", "multipart/form-data; boundary=b", multipart, 400, "no se entendió"},
		{"plain text", "text/plain", token, 400, "no se entendió"},
		{"no type", "", token, 400, "no se entendió"},
		{"nothing", form, "", 403, "llevaba mucho tiempo abierta"},
		{"a form in another alphabet", form + "; charset=utf-16", token, 422, "Elige el motivo."},
		{"broken escapes", form, token + "&note=%zz%&=&&==", 422, "Elige el motivo."},
		{"NUL in a name", form, token + "&a%00b=1", 400, "no se entendió"},
		{"NUL as it is", form, token + "&note=a\x00b", 400, "no se entendió"},
		{"bytes that are no text", form, token + "&note=\xff\xfe", 400, "no se entendió"},
		{"two tokens, the first wrong", form, "csrf=x&" + token, 403, "llevaba mucho tiempo abierta"},
		{"ten thousand fields", form, token + strings.Repeat("&a=", 10000), 422, "Elige el motivo."},
	} {
		var headers []string
		if tt.kind != "" {
			headers = []string{"Content-Type", tt.kind}
		}
		a := v.send("POST", cancelPath(sale), tt.body, headers...)
		if a.status != tt.status {
			t.Errorf("%s = %d, want %d: %s", tt.fact, a.status, tt.status, a.words())
			continue
		}
		a.says(tt.words)
		a.survives("es-MX")
	}
	if n := h.count(`SELECT count(*) FROM cancellations`); n != 0 {
		t.Errorf("%d cancellations were opened, want none", n)
	}
}

// TestCompressedBody sends a thousand megabytes in one: nobody inflates them,
// least of all for a stranger.
func TestCompressedBody(t *testing.T) {
	h := newHouse(t) // not parallel: it measures what is allocated
	var bomb bytes.Buffer
	w := gzip.NewWriter(&bomb)
	zeros := make([]byte, 1<<20)
	for range 60 {
		_, _ = w.Write(zeros)
	}
	_ = w.Close()
	for _, path := range []string{"/login", "/results/" + secret} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		a := h.visitor().send("POST", path, bomb.String(), "Content-Type", form, "Content-Encoding", "gzip")
		runtime.ReadMemStats(&after)
		if a.status >= 500 {
			t.Errorf("POST %s compressed = %d", path, a.status)
		}
		if grown := (after.TotalAlloc - before.TotalAlloc) >> 20; grown > 30 {
			t.Errorf("POST %s of %d KB took %d MB, want it left compressed", path, bomb.Len()>>10, grown)
		}
	}
}

// TestHeaders sends headers that no browser does.
func TestHeaders(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.signUp("nora@veinte.test", "manager")
	sale := h.Sale(hereAmount)
	for i, tt := range []struct{ name, value string }{
		{"User-Agent", "\xff\xfe\xfd"},
		{"User-Agent", strings.Repeat("ñ", 5000)},
		{"User-Agent", "<script>alert(1)</script>"},
		{"Accept-Language", "\xff"},
		{"Accept-Language", strings.Repeat("x-", 5000)},
		{"X-Forwarded-For", "<script>"},
		{"X-Forwarded-For", "\xff, 1.2.3.4"},
		{"Referer", "\xff"},
		{"If-None-Match", strings.Repeat(`"`, 5000)},
		{"HX-Request", "\xff"},
		{"Host", "evil.example"},
		{"Accept-Encoding", "gzip;q=x, \xff"},
		{"Cookie", "veinte_session=" + strings.Repeat("x", 5000)},
		{"Cookie", "veinte_session=\xff; veinte_visit=\xff; veinte_language=\xff; veinte_flash=done:\xff"},
		{"Cookie", "veinte_flash=<script>:error.internal"},
		{"Cookie", "veinte_flash=done:nonsense"},
		{"Cookie", "=;;=;"},
		{"Sec-Fetch-Site", "\xff"},
	} {
		v := h.visitor()
		if a := v.get("/login", tt.name, tt.value); a.status != 200 {
			t.Errorf("GET /login with %s %.40q = %d, want 200", tt.name, tt.value, a.status)
		} else {
			a.clean()
		}
		if tt.name == "Cookie" {
			continue
		}
		in := v.post("/login", url.Values{"email": {"nora@veinte.test"}, "password": {"una clave de prueba"}}, tt.name, tt.value)
		if ok := in.status == 303 || tt.name == "Sec-Fetch-Site" && in.status == 403; !ok {
			t.Errorf("signing in with %s %.40q = %d, want 303", tt.name, tt.value, in.status)
		}
		if a := h.manager2(fmt.Sprint(i)).post(cancelPath(sale), url.Values{"reason": {"other"}}, tt.name, tt.value); a.status >= 500 {
			t.Errorf("POST with %s %.40q = %d", tt.name, tt.value, a.status)
		}
	}
	h.supervisor().get("/audit").want(200).clean()
}

// TestBeforeTheHandlers sends what the HTTP layer refuses by itself.
func TestBeforeTheHandlers(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ln := fasthttputil.NewInmemoryListener()
	served := make(chan error, 1)
	go func() { served <- h.app.Listener(ln) }()
	defer func() {
		if err := h.app.ShutdownWithContext(context.Background()); err != nil {
			t.Error(err)
		}
		<-served
	}()
	const head = "Host: veinte.test\r\nCookie: veinte_language=en\r\nContent-Type: application/x-www-form-urlencoded\r\n"
	for _, tt := range []struct {
		fact, request string
		status        int
		words         string
	}{
		{"two megabytes and a byte", fmt.Sprintf("POST /login HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n", head, 2<<20+1), 413, "too large"},
		{"a terabyte", fmt.Sprintf("POST /login HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n", head, 1<<40), 413, "too large"},
		{"a long header", "GET /login HTTP/1.1\r\n" + head + "X-Long: " + strings.Repeat("x", 20<<10) + "\r\n\r\n", 431, ""},
		{"a long address", "GET /login?" + strings.Repeat("x", 20<<10) + " HTTP/1.1\r\n" + head + "\r\n", 431, ""},
		{"a length below zero", "POST /login HTTP/1.1\r\n" + head + "Content-Length: -1\r\n\r\n", 400, ""},
		{"what a proxy added, sent back", "TRACE /login HTTP/1.1\r\n" + head + "\r\n", 405, ""},
		{"no HTTP", "nonsense\r\n\r\n", 400, ""},
	} {
		conn, err := ln.Dial()
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = conn.Write([]byte(tt.request)) }()
		a := readFrom(t, h, tt.fact, conn)
		if a.status != tt.status {
			t.Errorf("%s = %d, want %d", tt.fact, a.status, tt.status)
		}
		a.guarded()
		a.clean()
		a.says(tt.words)
		_ = conn.Close()
	}
}

func readFrom(tb testing.TB, h *house, what string, conn net.Conn) *answer {
	tb.Helper()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		tb.Fatalf("%s: %v", what, err)
	}
	defer res.Body.Close()
	return h.visitor().read(what, res)
}

// TestWithoutDatabase takes the database away: pages say so and nothing else.
func TestWithoutDatabase(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.manager()
	h.DB.Close()
	v.get("/livez").want(200)
	for _, a := range []*answer{v.get("/sales"), v.post("/login", url.Values{"email": {"a@b"}}), v.post("/sales/1/cancellation", nil)} {
		a.want(503).says("No hay conexión con la base de datos")
		a.guarded()
		a.hides("closed pool", "sql:", "SQLSTATE")
	}
	if a := v.get("/login"); a.status != 503 {
		t.Errorf("the sign-in page without a database = %d", a.status)
	}
}

// TestPanic breaks a handler: the page says nothing of how.
func TestPanic(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(c *handlers.Config) { c.TakeResult = nil })
	a := h.visitor().send("POST", "/results/x", "{}", "Content-Type", "application/json")
	a.want(500).says("no sabemos si se guardó")
	a.guarded()
	a.hides("goroutine", "nil pointer", ".go:")
}
