// Package tunnel connects through an HTTP proxy, by CONNECT: the proxy passes bytes on and
// sees none of what is in them. It sends no request of its own besides, so that whatever
// fails here fails before the first byte of one.
package tunnel

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Proxy is an HTTP proxy. It prints as "***", because it has a password.
type Proxy struct {
	host    string // with its port
	name    string // without it
	address string // as people may read it
	tls     bool   // to the proxy itself
	auth    string // of Proxy-Authorization; "" where it asks for nothing
}

func (*Proxy) String() string   { return "***" }
func (*Proxy) GoString() string { return "***" }

// Parse reads http://user:password@host:port, or https where the proxy itself speaks TLS;
// "" is none. Its error quotes nothing of the text.
func Parse(text string) (*Proxy, error) {
	if text == "" {
		return nil, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Port() == "" ||
		u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return nil, errors.New("want an address such as http://proxy.tienda.example:3128, perhaps with user:password@ before the host")
	}
	p := &Proxy{host: u.Host, name: u.Hostname(), address: u.Scheme + "://" + u.Host, tls: u.Scheme == "https"}
	if u.User != nil {
		password, _ := u.User.Password()
		p.auth = "Basic " + base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password))
	}
	return p, nil
}

// Address is the proxy as people may read it, without its user and password; "" of no
// proxy.
func (p *Proxy) Address() string {
	if p == nil {
		return ""
	}
	return p.address
}

// Shown is the address in a text that Parse reads, as people may read it.
func Shown(text string) string {
	p, _ := Parse(text)
	return p.Address()
}

// Host is the proxy's name or address, which is looked up here.
func (p *Proxy) Host() string { return p.name }

// Error means that there is no connection to the target, and why: nothing was sent to it.
type Error struct {
	Status int   // the proxy's answer to CONNECT; 0: there was none
	cause  error // of what happened before an answer
}

func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("the proxy answered %d to CONNECT", e.Status)
	}
	return "the proxy: " + e.cause.Error()
}

func (e *Error) Unwrap() error { return e.cause }

// dialTimeout limits the whole of it where ctx does not end sooner.
const dialTimeout = 10 * time.Second

// maxAnswer is the most that is read of a proxy's answer, in bytes.
const maxAnswer = 16 << 10

var errTalks = errors.New("it said more than that the connection is made")

// Dial connects to address, a host and a port. The proxy looks the host up. Any error is an
// *Error.
func (p *Proxy) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, stop := context.WithTimeout(ctx, dialTimeout)
	defer stop()
	conn, err := new(net.Dialer).DialContext(ctx, network, p.host)
	if err != nil {
		return nil, &Error{cause: err}
	}
	interrupted := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	through, err := p.connect(ctx, conn, address)
	if !interrupted() && err == nil {
		err = &Error{cause: context.Cause(ctx)} // its deadline has passed: it is of no use
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return through, nil
}

// connect asks for the target on a connection to the proxy.
func (p *Proxy) connect(ctx context.Context, conn net.Conn, address string) (net.Conn, error) {
	if p.tls {
		secure := tls.Client(conn, &tls.Config{ServerName: p.name, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}})
		if err := secure.HandshakeContext(ctx); err != nil {
			return nil, &Error{cause: err}
		}
		conn = secure
	}
	request := &http.Request{
		Method: http.MethodConnect, URL: &url.URL{Opaque: address}, Host: address, Header: http.Header{"User-Agent": {"veinte"}},
	}
	if p.auth != "" {
		request.Header.Set("Proxy-Authorization", p.auth)
	}
	if err := request.Write(conn); err != nil {
		return nil, &Error{cause: err}
	}
	reader := bufio.NewReader(io.LimitReader(conn, maxAnswer))
	answer, err := http.ReadResponse(reader, request)
	switch {
	case err != nil:
		// net/http quotes what it cannot parse.
		return nil, &Error{cause: withoutText(err)}
	case answer.StatusCode < 200 || answer.StatusCode > 299:
		return nil, &Error{Status: answer.StatusCode}
	case reader.Buffered() > 0:
		return nil, &Error{cause: errTalks} // it would be taken for the target's answer
	}
	return conn, nil
}

// withoutText is an error of the connection as it is, and any other without its text.
func withoutText(err error) error {
	var network net.Error
	if errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return errors.New("its answer to CONNECT is not HTTP")
}
