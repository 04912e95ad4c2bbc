package sandbox

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// breakers are the faults of the connection during the response.
var breakers = map[string]func(*Sandbox, *exchange, reply, plan){
	"hang":                 (*Sandbox).hang,
	faultDropBeforeReading: cutWith(reset),
	"reset":                cutWith(reset),
	"dropAfterReading":     cutWith(func(net.Conn) {}),
	"cutHeader":            cutWith(func(c net.Conn) { _, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Ty")) }),
	"cutBody":              (*Sandbox).cutBody,
	"oneBytePerSecond":     (*Sandbox).trickle,
}

// hang sends nothing until the client disconnects, the sandbox ends, or the delay is
// over.
func (s *Sandbox) hang(x *exchange, _ reply, p plan) {
	var over <-chan time.Time
	if p.delay > 0 {
		timer := time.NewTimer(p.delay)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-over:
	case <-x.r.Context().Done():
	case <-s.ctx.Done():
	}
	s.sever(x)
}

// trickle writes the response one byte at a time.
func (s *Sandbox) trickle(x *exchange, r reply, p plan) {
	x.headers(s, r)
	x.w.WriteHeader(r.status)
	control := http.NewResponseController(x.w)
	for i := range r.body {
		if _, err := x.w.Write(r.body[i : i+1]); err != nil || control.Flush() != nil {
			break
		}
		if x.r.Context().Err() != nil || !wait(s.ctx, p.delay) {
			break
		}
	}
}

// cutBody announces the whole body and sends half of it.
func (s *Sandbox) cutBody(x *exchange, r reply, _ plan) {
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\nDate: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
		r.status, http.StatusText(r.status), s.dateHeader(), r.contentType, len(r.body))
	b.Write(r.body[:len(r.body)/2])
	x.cut(func(c net.Conn) { _, _ = c.Write([]byte(b.String())) })
}

func cutWith(last func(net.Conn)) func(*Sandbox, *exchange, reply, plan) {
	return func(_ *Sandbox, x *exchange, _ reply, _ plan) { x.cut(last) }
}

// reset makes the next close a TCP reset instead of an orderly end.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // only fails on a closed connection
	}
}

// cut hijacks the connection from the HTTP server, calls last with it and closes it.
// HTTP/2 and recorders cannot be hijacked; there it aborts the handler.
func (x *exchange) cut(last func(net.Conn)) {
	conn, _, err := http.NewResponseController(x.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer conn.Close()
	last(conn)
}

// sever ends an exchange without a response.
func (s *Sandbox) sever(x *exchange) { x.cut(reset) }

// dropUnread resets the connection without reading the body.
func (s *Sandbox) dropUnread(x *exchange, p plan) {
	x.line.Fault = p.name
	if x.record(s) == nil {
		s.note(&entry{Kind: kindAnswer, Of: x.seq, Operation: x.line.Operation, Fault: p.name})
	}
	s.sever(x)
}
