package network

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
)

// door is a proxy at the address that the server uses for the service. It sees what
// really leaves the server, including what never reaches the service and its ledger.
type door struct {
	net.Listener
	service string // the address for orders without a route

	mu      sync.Mutex
	ways    map[string]string // the route of an order's cancel
	seen    map[string]int    // whole cancel requests by order
	partial int               // requests that broke off
}

func openDoor(service string) (*door, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open door: %w", err)
	}
	d := &door{Listener: ln, service: service, ways: map[string]string{}, seen: map[string]int{}}
	go serve(ln, d.serve)
	return d, nil
}

// serve handles connections until the listener is closed.
func serve(ln net.Listener, handle func(*net.TCPConn)) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return // closed: nothing else ends a listener on loopback
		}
		go func() {
			defer conn.Close()
			handle(conn.(*net.TCPConn))
		}()
	}
}

func (d *door) url() string { return "http://" + d.Addr().String() }

// lay sets the route of an order's cancel requests.
func (d *door) lay(order, way string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ways[order] = way
}

// witnessed returns how often each order's cancel request left the server, whole,
// and how many requests of any kind broke off.
func (d *door) seenRequests() (byOrder map[string]int, partial int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.seen), d.partial
}

// serve reads one request and forwards it unchanged.
func (d *door) serve(conn *net.TCPConn) {
	var raw bytes.Buffer
	path, order, err := readOrder(io.TeeReader(conn, &raw))
	way := d.enter(path, order, err)
	if way == "" {
		return
	}
	up, err := net.Dial("tcp", way)
	if err != nil {
		return // a closed route; the server sees an end
	}
	defer up.Close()
	if _, err := up.Write(raw.Bytes()); err != nil {
		return
	}
	relay(conn, up)
}

// enter records a request and returns its route.
func (d *door) enter(path, order string, err error) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.partial++
		return ""
	}
	if !strings.HasSuffix(path, "/cancel") {
		return d.service
	}
	d.seen[order]++
	if way := d.ways[order]; way != "" {
		return way
	}
	return d.service
}

func readOrder(r io.Reader) (path, order string, err error) {
	req, err := http.ReadRequest(bufio.NewReader(r))
	if err != nil {
		return "", "", err
	}
	var body struct{ OrderID string }
	text, err := io.ReadAll(req.Body)
	if err == nil {
		err = json.Unmarshal(text, &body)
	}
	return req.URL.Path, body.OrderID, err
}

// relay passes bytes both ways until one side ends, and ends the client's side
// in the way in which the other one did: a reset stays a reset.
func relay(client *net.TCPConn, up net.Conn) {
	go func() {
		_, _ = io.Copy(up, client)
		_ = up.Close() // the client went; nobody waits for an answer
	}()
	_, err := io.Copy(client, up)
	if errors.Is(err, syscall.ECONNRESET) {
		_ = client.SetLinger(0) // fails only on a connection that is gone
	}
}
