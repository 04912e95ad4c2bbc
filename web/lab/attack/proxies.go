package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// seenMark is a header that a proxy adds to each request which it sees.
const seenMark = "X-Seen-By-The-Proxy: 1\r\n"

// hidden is what an attacker would have the server read as a request of its own.
const hidden = "GET /livez?hidden HTTP/1.1\r\nHost: veinte.test\r\n\r\n"

// settled is how long after the last answer one more would have come.
const settled = 50 * time.Millisecond

// proxyKind is a proxy of Debian's, with the settings that matter here.
type proxyKind struct {
	name string
	args func(file string) []string
	conf string // from: its address, to: the server's
}

var proxyKinds = []proxyKind{
	{"nginx", func(file string) []string { return []string{"-c", file, "-e", "stderr"} }, `daemon off;
master_process off; pid {dir}/nginx.pid;
events {}
http {
	access_log off; client_body_temp_path {dir}/b; proxy_temp_path {dir}/p; fastcgi_temp_path {dir}/f;
	uwsgi_temp_path {dir}/u; scgi_temp_path {dir}/s;
	upstream server { server {to}; keepalive 4; }
	server {
		listen {from};
		location / {
			proxy_pass http://server; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host;
			proxy_set_header X-Seen-By-The-Proxy 1;
		}
	}
}
`},
	{"haproxy", func(file string) []string { return []string{"-db", "-f", file} }, `defaults
	mode http
	timeout connect 5s
	timeout client 5s
	timeout server 5s
frontend f
	bind {from}
	http-request set-header X-Seen-By-The-Proxy 1
	default_backend b
backend b
	http-reuse always
	server s {to}
`},
}

// proxies sends every head through each proxy, and looks between it and the server: the
// server may not answer more requests than the proxy saw. Else a request of a stranger
// begins inside somebody else's.
func (s *shop) proxies(ctx context.Context) error {
	for _, kind := range proxyKinds {
		if _, err := exec.LookPath(kind.name); err != nil {
			fmt.Printf("%s: *not run*, because it is not installed (Debian: apt install %s)\n", kind.name, kind.name)
			continue
		}
		naive, err := naiveServer(ctx)
		if err != nil {
			return err
		}
		if err := behind(ctx, kind, naive, func(p *proxied) error {
			body := "POST /login HTTP/1.1\r\nHost: veinte.test\r\nContent-Length: " + fmt.Sprint(len(hidden)) + "\r\n\r\n" + hidden
			for range 20 { // it answers before it has read all, and a proxy may hang up at that
				if _, more := p.send(body); more {
					fmt.Printf("%s: canary found\n", kind.name)
					return nil
				}
			}
			return errors.New("a server that reads bodies as requests was not found out: this is no proof of anything")
		}); err != nil {
			return fmt.Errorf("%s: %w", kind.name, err)
		}
		if err := behind(ctx, kind, strings.TrimPrefix(s.at.URL, "http://"), tryHeads); err != nil {
			return fmt.Errorf("%s: %w", kind.name, err)
		}
	}
	return nil
}

func tryHeads(p *proxied) (err error) {
	if statuses, _ := p.send("GET /livez HTTP/1.1\r\nHost: veinte.test\r\n\r\n"); len(statuses) != 2 || statuses[0] != http.StatusOK {
		return fmt.Errorf("a plain request and another were answered %v, want two of 200", statuses)
	}
	refused, passed := 0, 0
	all, err := heads()
	for _, h := range all {
		statuses, more := p.send(h.Request)
		if more {
			err = errors.Join(err, fmt.Errorf("%s: the server answered more requests than the proxy saw", h.Fact))
		}
		if len(statuses) > 0 && statuses[0] < http.StatusBadRequest {
			passed++
			fmt.Printf("%s: %s: made one request of one meaning of it, answered %v\n", p.name, h.Fact, statuses)
		} else {
			refused++
		}
	}
	fmt.Printf("%s: %d heads refused, %d made right by the proxy, none smuggled a request: %t\n", p.name, refused, passed, err == nil)
	return err
}

// proxied is a proxy with a place between it and the server, where both can be heard.
type proxied struct {
	name, from string
	between    *between
}

// behind runs f with a proxy in front of a server.
func behind(ctx context.Context, kind proxyKind, server string, f func(*proxied) error) error {
	dir, err := os.MkdirTemp("", "veinte-proxy-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b, err := listenBetween(server)
	if err != nil {
		return err
	}
	defer b.ln.Close()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	from := free.Addr().String()
	free.Close()
	file := filepath.Join(dir, "conf")
	conf := strings.NewReplacer("{dir}", dir, "{from}", from, "{to}", b.ln.Addr().String()).Replace(kind.conf)
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, kind.name, kind.args(file)...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	for began := time.Now(); ; {
		conn, err := net.Dial("tcp", from)
		if err == nil {
			conn.Close()
			break
		}
		if time.Since(began) > 10*time.Second {
			return fmt.Errorf("it does not listen: %s", said.String())
		}
		time.Sleep(20 * time.Millisecond)
	}
	return f(&proxied{kind.name, from, b})
}

// send sends a request with another behind it. It returns what the client is answered, and
// whether the server answered more than the proxy saw.
func (p *proxied) send(request string) (statuses []int, more bool) {
	p.between.reset()
	conn, err := net.Dial("tcp", p.from)
	if err != nil {
		return nil, false
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(2 * time.Second))
	_, _ = io.WriteString(conn, request+hidden)
	for from := bufio.NewReader(conn); len(statuses) < 3; {
		res, err := http.ReadResponse(from, nil)
		if err != nil {
			break
		}
		_, _ = io.Copy(io.Discard, res.Body)
		statuses = append(statuses, res.StatusCode)
		if len(statuses) == 2 {
			break
		}
	}
	time.Sleep(settled)
	seen, answered := p.between.heard()
	return statuses, answered > seen
}

// between passes bytes on between a proxy and a server, and counts in both directions.
type between struct {
	ln       net.Listener
	mu       sync.Mutex
	up, down bytes.Buffer
}

func listenBetween(server string) (*between, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &between{ln: ln}
	go func() {
		for {
			from, err := ln.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", server)
			if err != nil {
				from.Close()
				continue
			}
			go b.pass(to, from, &b.up)
			go b.pass(from, to, &b.down)
		}
	}()
	return b, nil
}

func (b *between) pass(to, from net.Conn, heard *bytes.Buffer) {
	defer to.Close()
	piece := make([]byte, 32<<10)
	for {
		n, err := from.Read(piece)
		b.mu.Lock()
		heard.Write(piece[:n])
		b.mu.Unlock()
		if _, wrong := to.Write(piece[:n]); wrong != nil || err != nil {
			return
		}
	}
}

func (b *between) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.up.Reset()
	b.down.Reset()
}

// heard are the requests that the proxy saw, and the answers of the server.
func (b *between) heard() (seen, answered int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Count(bytes.ToLower(b.up.Bytes()), bytes.ToLower([]byte(seenMark))), bytes.Count(b.down.Bytes(), []byte("HTTP/1.1 "))
}

// naiveServer answers every line that looks like a request, wherever it stands.
func naiveServer(ctx context.Context) (address string, err error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	context.AfterFunc(ctx, func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for lines := bufio.NewScanner(conn); lines.Scan(); {
					if strings.HasSuffix(lines.Text(), " HTTP/1.1") {
						_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
					}
				}
			}()
		}
	}()
	return ln.Addr().String(), nil
}
