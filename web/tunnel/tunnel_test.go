package tunnel

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"http://proxy.example:3128":                 "http://proxy.example:3128",
		"https://ana:s3cret@proxy.example:3129/":    "https://proxy.example:3129",
		"http://[::1]:3128":                         "http://[::1]:3128",
		"http://ana:p%40ss@10.0.0.1:3128":           "http://10.0.0.1:3128",
		"http://proxy.example":                      "",
		"proxy.example:3128":                        "",
		"socks5://s3cret:s3cret@proxy.example:1080": "",
		"http://ana:s3cret@proxy.example:3128/path": "",
		"http://ana:s3cret@proxy.example:3128?x":    "",
		"http://ana:s3cret@:3128":                   "",
		"http://ana:s3cret@%zz:1":                   "",
	} {
		p, err := Parse(text)
		if (err == nil) != (want != "") || p.Address() != want {
			t.Errorf("Parse(%q) = %q, %v, want %q", text, p.Address(), err, want)
		}
		if err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("Parse(%q) quotes a secret: %v", text, err)
		}
		if shown := fmt.Sprintf("%v %+v %#v %s", p, p, p, p); err == nil && strings.Contains(shown, "Basic") {
			t.Errorf("%q is printed as %s", text, shown)
		}
	}
}

func TestNoProxy(t *testing.T) {
	t.Parallel()
	if p, err := Parse(""); p != nil || err != nil || p.Address() != "" {
		t.Errorf("Parse of nothing = %v, %v", p, err)
	}
}

// proxyOf answers CONNECT with exactly this, and waits until the other side closes.
func proxyOf(t *testing.T, answer string) *Proxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				r, err := http.ReadRequest(bufio.NewReader(conn))
				if err != nil || r.Method != http.MethodConnect || r.RequestURI != "service.example:443" || r.Host != r.RequestURI {
					return
				}
				_, _ = io.WriteString(conn, answer)
				if answer != "" {
					_, _ = io.Copy(conn, conn) // an echo
				}
			}()
		}
	}()
	p, err := Parse("http://ana:s3cret@" + ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDial(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 200 Connection established\r\nVia: x\r\n\r\n"} {
		conn, err := proxyOf(t, answer).Dial(t.Context(), "tcp", "service.example:443")
		if err != nil {
			t.Fatalf("after %q: %v", answer, err)
		}
		got := make([]byte, 4)
		if _, err := conn.Write([]byte("hola")); err != nil {
			t.Error(err)
		}
		if _, err := io.ReadFull(conn, got); err != nil || string(got) != "hola" {
			t.Errorf("after %q came %q, %v", answer, got, err)
		}
		_ = conn.Close()
	}
}

// Whatever goes wrong is an *Error, and quotes nothing that the proxy said.
func TestDialRefused(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"HTTP/1.1 407 Proxy Authentication Required\r\nX: s3cret\r\n\r\n":        "the proxy answered 407 to CONNECT",
		"HTTP/1.1 103 Early Hints\r\n\r\n":                                       "the proxy answered 103 to CONNECT",
		"HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n":                              "the proxy answered 302 to CONNECT",
		"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n":                         errTalks.Error(),
		"220 s3cret ready\r\n":                                                   "is not HTTP",
		"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("a", 2*maxAnswer) + "\r\n\r\n": "EOF",
		"": "EOF",
	} {
		conn, err := proxyOf(t, answer).Dial(t.Context(), "tcp", "service.example:443")
		var known *Error
		if conn != nil || !errors.As(err, &known) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("after %.40q: %v, want %q", answer, err, want)
		}
	}
	silent := proxyOf(t, "HTTP/1.1 ")
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	var known *Error
	if _, err := silent.Dial(ctx, "tcp", "service.example:443"); !errors.As(err, &known) {
		t.Errorf("a proxy that falls silent: %v", err)
	}
	plain, err := Parse(strings.Replace("http://"+silent.host, "http:", "https:", 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plain.Dial(t.Context(), "tcp", "service.example:443"); !errors.As(err, &known) {
		t.Errorf("a proxy that does not speak TLS: %v", err)
	}
}
