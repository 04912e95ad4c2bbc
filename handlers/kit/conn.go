package kit

import (
	"bytes"
	"math"
	"net"
	"strconv"
)

// Listener has its connections refuse a request line, and a line after the chunks of a
// body, that ends with LF alone. fasthttp takes them, and wellFramed cannot see them.
// Reading goes on: the answer is 400, and the connection is closed.
func Listener(ln net.Listener) net.Listener { return listener{ln} }

type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c}, nil
}

// part is what the next byte of a connection belongs to.
type part int

const (
	requestLine part = iota
	header
	body
	chunkSize
	chunk // with the CR and LF after it
	trailer
	unknown // what fasthttp or wellFramed refuses: nothing after it is a request
)

// conn follows the requests of a connection as far as it takes to know where the next
// one begins: a body may have any line.
type conn struct {
	net.Conn
	in      part
	line    []byte // of those that say where a body ends, as far as it has come
	length  int    // of the line so far
	cr      bool   // the last byte was one
	left    int64  // of the body, or of the chunk
	chunked bool
}

// NetConn is the connection itself.
func (c *conn) NetConn() net.Conn { return c.Conn }

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.follow(b[:n])
	return n, err
}

func (c *conn) follow(b []byte) {
	for len(b) > 0 && c.in != unknown {
		if c.in == body || c.in == chunk {
			n := min(c.left, int64(len(b)))
			c.left, b = c.left-n, b[n:]
			if c.left == 0 {
				c.next()
			}
			continue
		}
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			c.add(b)
			return
		}
		c.add(b[:end])
		if (c.in == requestLine || c.in == trailer) && !c.cr {
			b[max(end-1, 0)] = 0 // which is in neither, so this one is refused
			c.in = unknown
			return
		}
		c.endLine()
		b = b[end+1:]
	}
}

// maxChunkLine is how much of the line of a chunk's size is stored. The size stands first;
// what follows may be long, and says nothing.
const maxChunkLine = 256

// add takes a piece of a line, and stores it if it may be needed.
func (c *conn) add(piece []byte) {
	if len(piece) == 0 {
		return
	}
	c.cr = piece[len(piece)-1] == '\r'
	needed := 0
	switch {
	case c.in == chunkSize:
		needed = min(len(piece), maxChunkLine-len(c.line))
	case c.in == header && c.length == len(c.line) && maySize(c.line, piece):
		needed = len(piece)
	}
	c.length += len(piece)
	c.line = append(c.line, piece[:needed]...)
}

// maySize reports whether a line may be one of the two that say where a body ends.
func maySize(line, piece []byte) bool {
	for _, name := range []string{"content-length", "transfer-encoding"} {
		start := []byte(name)
		if n := min(len(line), len(start)); !bytes.EqualFold(line[:n], start[:n]) {
			continue
		}
		rest := start[min(len(line), len(start)):]
		if n := min(len(piece), len(rest)); bytes.EqualFold(piece[:n], rest[:n]) {
			return true
		}
	}
	return false
}

func (c *conn) endLine() {
	line := bytes.TrimSuffix(c.line, []byte("\r"))
	empty := c.length == 0 || c.length == 1 && c.cr
	switch c.in {
	case requestLine:
		if !empty { // empty ones before a request count for nothing
			c.in = header
		}
	case header:
		if empty {
			c.next()
		} else {
			c.header(line)
		}
	case chunkSize:
		size, _, _ := bytes.Cut(line, []byte(";"))
		n, err := strconv.ParseInt(string(bytes.Trim(size, " \t")), 16, 64)
		switch {
		case err != nil || n < 0 || n > math.MaxInt64-2:
			c.in = unknown
		case n == 0:
			c.in = trailer
		default:
			c.in, c.left = chunk, n+2
		}
	case trailer:
		if empty {
			c.next()
		}
	}
	c.line, c.length, c.cr = c.line[:0], 0, false
}

// header takes a line of a head, if it is one of the two.
func (c *conn) header(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	switch {
	case bytes.EqualFold(name, []byte("transfer-encoding")):
		c.chunked = true
	case bytes.EqualFold(name, []byte("content-length")):
		n, err := strconv.ParseInt(string(bytes.Trim(value, " \t")), 10, 64)
		if c.left = n; err != nil || n < 0 {
			c.in = unknown
		}
	}
}

// next is what follows a head, a body or a chunk.
func (c *conn) next() {
	switch {
	case c.in == header && c.chunked && c.left > 0:
		c.in = unknown
	case c.in == header && c.chunked, c.in == chunk:
		c.in = chunkSize
	case c.in == header && c.left > 0:
		c.in = body
	default:
		c.in, c.chunked = requestLine, false
	}
}
