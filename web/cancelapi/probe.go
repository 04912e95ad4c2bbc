package cancelapi

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"veinte/models/operations"
	"veinte/web/tunnel"
)

// probeTimeout limits each step of a test of the connection.
const probeTimeout = 10 * time.Second

// renewer is a token source with a token operation.
type renewer interface {
	Renew(ctx context.Context) error
	State() operations.TokenState
}

// TokenState returns what is known about the access token, without the token.
func (c *Client) TokenState() operations.TokenState {
	if source, ok := c.tokens.(renewer); ok {
		return source.State()
	}
	// The token is fixed or in a file: reading it costs next to nothing.
	token, err := c.tokens.Token(context.Background())
	return operations.TokenState{Cached: err == nil && checkToken(token) == nil}
}

// Probe tests the connection to the service step by step: its name, a connection,
// TLS, the token operation where there is one, and whether the base URL responds.
// Neither the cancellation nor the inquiry is called, and no request contains the
// token. The service's texts are not quoted, only their meaning.
func (c *Client) Probe(ctx context.Context) []operations.ProbeStep {
	p := &probe{client: c, ctx: ctx}
	if p.do("dns", p.resolve) && p.do("connect", p.connect) {
		defer p.conn.Close()
		if c.dialer.tls == nil || p.do("tls", p.handshake) {
			if source, ok := c.tokens.(renewer); ok {
				p.do("token", func(ctx context.Context) (string, string, error) { return p.renew(ctx, source) })
			}
			p.do("answer", p.head)
		}
	}
	return p.steps
}

// probe is a test in progress.
type probe struct {
	client *Client
	ctx    context.Context
	conn   net.Conn
	steps  []operations.ProbeStep
}

// do runs a step and reports whether it succeeded. A step returns the code of its
// outcome, with a note, and its error.
func (p *probe) do(name string, step func(context.Context) (code, note string, err error)) bool {
	ctx, stop := context.WithTimeout(p.ctx, probeTimeout)
	defer stop()
	began := p.client.clock.Now()
	code, note, err := step(ctx)
	p.steps = append(p.steps, operations.ProbeStep{
		Step: name, OK: err == nil, Code: code, Note: note, Millis: p.client.clock.Now().Sub(began).Milliseconds(),
	})
	if err != nil {
		p.client.log.WarnContext(p.ctx, "test of the connection", "step", name, "code", code, "error", clean(err.Error(), maxMessage))
	}
	return err == nil
}

func (p *probe) resolve(ctx context.Context) (code, note string, err error) {
	host, _, _ := net.SplitHostPort(p.client.dialer.address)
	if proxy := p.client.dialer.proxy; proxy != nil {
		host = proxy.Host() // which looks the service's name up
	}
	if net.ParseIP(host) != nil {
		return "isAddress", host, nil
	}
	found, err := net.DefaultResolver.LookupHost(ctx, host)
	var dns *net.DNSError
	switch {
	case err == nil:
		return "found", host + " → " + strings.Join(found[:min(len(found), 3)], ", "), nil
	case errors.As(err, &dns) && dns.IsNotFound:
		return "noSuchHost", host, err
	}
	return reached(err), host, err
}

func (p *probe) connect(ctx context.Context) (code, note string, err error) {
	p.conn, err = p.client.dialer.connect(ctx, "tcp", p.client.dialer.address)
	proxy := p.client.dialer.proxy
	var refused *tunnel.Error
	switch {
	case errors.As(err, &refused) && refused.Status != 0:
		return "proxyRefused", proxy.Address() + " (" + strconv.Itoa(refused.Status) + ")", err
	case err != nil && proxy != nil:
		return reached(err), proxy.Address(), err
	case err != nil:
		return reached(err), p.client.dialer.address, err
	case proxy != nil:
		return "proxyConnected", proxy.Address(), nil
	}
	return "connected", p.conn.RemoteAddr().String(), nil
}

// handshake returns until when the certificate is valid or, when the certificate is
// the reason of a failure, what is wrong with it.
func (p *probe) handshake(ctx context.Context) (code, note string, err error) {
	secure := tls.Client(p.conn, p.client.dialer.tls)
	err = secure.HandshakeContext(ctx)
	var invalid x509.CertificateInvalidError
	var stranger x509.UnknownAuthorityError
	var name x509.HostnameError
	switch {
	case err == nil:
		ends := secure.ConnectionState().PeerCertificates[0].NotAfter
		code = "certificateValid"
		if ends.Sub(p.client.clock.Now()) < certificateSoon {
			code = "certificateSoon"
		}
		return code, ends.UTC().Format(time.DateOnly), nil
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "certificateExpired", invalid.Cert.NotAfter.UTC().Format(time.DateOnly), err
	case errors.As(err, &stranger):
		return "certificateUnknown", "", err
	case errors.As(err, &name):
		return "certificateOther", "", err
	}
	return reached(err), "", err
}

// certificateSoon is how long before a certificate expires a warning is shown.
const certificateSoon = 21 * 24 * time.Hour

func (p *probe) renew(ctx context.Context, source renewer) (code, note string, err error) {
	if err := source.Renew(ctx); err != nil {
		return "tokenRefused", clean(err.Error(), maxMessage), err
	}
	return "tokenGot", "", nil
}

// head requests the head of the base URL, without a token. Any status is a success,
// because it proves that an HTTP server is there.
func (p *probe) head(ctx context.Context) (code, note string, err error) {
	c := p.client
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, c.base.String(), nil)
	if err != nil {
		return "noAnswer", "", err
	}
	req.Header.Set("User-Agent", "veinte")
	transport := newTransport(c.dialer.proxy)
	if c.dialer.tls != nil {
		transport.TLSClientConfig = c.dialer.tls.Clone()
	}
	began := c.clock.Now()
	resp, err := transport.RoundTrip(req) // no redirect is followed
	if err != nil {
		return reached(err), "", err
	}
	defer resp.Body.Close()
	c.compareClocks(resp.Header.Get("Date"), began, c.clock.Now())
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer))
	return "answered", strconv.Itoa(resp.StatusCode), nil
}

// reached returns why something was not reached, as a code.
func reached(err error) string {
	var network *url.Error
	if errors.As(err, &network) {
		err = network.Err
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "timeout"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return "unreachable"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return "hungUp"
	}
	return "failed"
}
