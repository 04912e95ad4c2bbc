package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// proxy leads requests to the servers in turn, as nginx would. While servers of the release
// before are there it asks the other server again for two things that this release had not
// learned yet: a file of the other release's pages, and a page whose statement was under way
// while a migration added a column (proxy_next_upstream error timeout http_404 http_500).
type proxy struct {
	asksAgain atomic.Bool
	again     atomic.Int64 // pages that were asked for again

	*httptest.Server
	mu      sync.Mutex
	idle    *sync.Cond
	servers []string
	under   map[string]int // requests under way, by server
	next    int
}

func newProxy() *proxy {
	p := &proxy{under: map[string]int{}}
	p.asksAgain.Store(true)
	p.idle = sync.NewCond(&p.mu)
	p.Server = httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.Host = "http", "veinte.test" },
		Transport: p,
		ErrorLog:  log.New(io.Discard, "", 0), // what fails is counted by whoever asked
	})
	return p
}

func (p *proxy) close() { p.Server.Close() }

// lead leads requests to a server too.
func (p *proxy) lead(addr string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.servers = append(p.servers, addr)
}

// leave leads no more requests to a server, and waits until those under way are answered.
func (p *proxy) leave(addr string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.servers = slices.DeleteFunc(p.servers, func(s string) bool { return s == addr })
	for p.under[addr] > 0 {
		p.idle.Wait()
	}
}

// RoundTrip asks the server whose turn it is.
func (p *proxy) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, first, err := p.ask(r, "")
	if err != nil || !p.asksAgain.Load() || r.Method != http.MethodGet {
		return resp, err
	}
	page := resp.StatusCode == http.StatusInternalServerError
	if page || resp.StatusCode == http.StatusNotFound && strings.HasPrefix(r.URL.Path, "/static/") {
		resp.Body.Close()
		if page {
			p.again.Add(1)
		}
		resp, _, err = p.ask(r, first)
	}
	return resp, err
}

// ask asks a server, if possible another one than that.
func (p *proxy) ask(r *http.Request, not string) (resp *http.Response, addr string, err error) {
	p.mu.Lock()
	if len(p.servers) == 0 {
		p.mu.Unlock()
		return nil, "", errors.New("no server is there")
	}
	for range p.servers {
		if addr = p.servers[p.next%len(p.servers)]; addr != not {
			break
		}
		p.next++
	}
	p.next++
	p.under[addr]++
	p.mu.Unlock()
	done := func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.under[addr]--
		p.idle.Broadcast()
	}
	out := r.Clone(r.Context())
	out.URL.Scheme, out.URL.Host = "http", addr
	if resp, err = http.DefaultTransport.RoundTrip(out); err != nil {
		done()
		return nil, addr, err
	}
	resp.Body = &counted{resp.Body, sync.OnceFunc(done)}
	return resp, addr, nil
}

// counted is a body that says when it was read.
type counted struct {
	io.ReadCloser
	done func()
}

func (c *counted) Close() error {
	defer c.done()
	return c.ReadCloser.Close()
}
