package cancelapi

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"veinte/models"
	"veinte/web/tunnel"
)

// dialTimeout limits connecting and the TLS handshake. If that takes longer, the
// rest of the usual 30 s would not be enough to wait for a response.
const dialTimeout = 10 * time.Second

// newTransport prevents a POST from being sent twice or to another address: no
// connection is used twice, HTTP/1.1 only, no proxy but ours, no compression, a limited
// header.
func newTransport(proxy *tunnel.Proxy) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:                  nil, // tokens must not go to a proxy of the environment
		DialContext:            connector(proxy),
		TLSHandshakeTimeout:    dialTimeout,
		DisableKeepAlives:      true,
		DisableCompression:     true,
		ForceAttemptHTTP2:      false,
		Protocols:              protocols,
		TLSNextProto:           map[string]func(string, *tls.Conn) http.RoundTripper{},
		MaxResponseHeaderBytes: maxAnswer,
		// A whole request fits, so that it is sent with one write.
		WriteBufferSize: 64 << 10,
	}
}

// dialer connects to the service. We dial before net/http is involved, so that a
// failure to connect is distinguished from one on the wire by where it happened and
// not by the text of an error.
type dialer struct {
	address string
	tls     *tls.Config // nil: plain HTTP
	proxy   *tunnel.Proxy
	connect func(ctx context.Context, network, address string) (net.Conn, error)
}

// connector connects by the proxy, or directly where there is none.
func connector(proxy *tunnel.Proxy) func(ctx context.Context, network, address string) (net.Conn, error) {
	if proxy != nil {
		return proxy.Dial
	}
	return (&net.Dialer{Timeout: dialTimeout}).DialContext
}

func newDialer(target *url.URL, config *tls.Config, proxy *tunnel.Proxy) *dialer {
	port := target.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[target.Scheme]
	}
	d := &dialer{
		address: net.JoinHostPort(target.Hostname(), port),
		proxy:   proxy,
		connect: connector(proxy),
	}
	if target.Scheme == "https" {
		d.tls = tlsConfig(config, target.Hostname())
	}
	return d
}

func tlsConfig(config *tls.Config, host string) *tls.Config {
	if config == nil {
		config = new(tls.Config)
	}
	config = config.Clone()
	config.NextProtos = []string{"http/1.1"}
	if config.ServerName == "" {
		config.ServerName = host
	}
	return config
}

// dial connects and does the TLS handshake. No byte of HTTP is written yet, other than to
// a proxy, which is asked for a connection.
func (d *dialer) dial(ctx context.Context) (net.Conn, models.Detail, error) {
	ctx, stop := context.WithTimeout(ctx, dialTimeout)
	defer stop()
	if ctx.Err() != nil {
		return nil, models.DetailDialFailed, context.Cause(ctx)
	}
	conn, err := d.connect(ctx, "tcp", d.address)
	if err != nil {
		return nil, models.DetailDialFailed, fmt.Errorf("connect: %w", err)
	}
	if d.tls == nil {
		return conn, "", nil
	}
	secure := tls.Client(conn, d.tls)
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, models.DetailTLSFailed, fmt.Errorf("TLS handshake: %w", err)
	}
	return secure, "", nil
}

type wireKey struct{}

// newWireTransport is the transport of a Client: it uses the wire of the request's
// context.
func newWireTransport() *http.Transport {
	t := newTransport(nil)
	t.DialContext = handOver
	t.DialTLSContext = handOver // TLS is established already
	return t
}

// handOver replaces dialing: it gives net/http the connection that was made for this
// exchange, and only once. If net/http should try to repeat a request, there is no
// connection for it.
func handOver(ctx context.Context, _, _ string) (net.Conn, error) {
	w, ok := ctx.Value(wireKey{}).(*wire)
	if !ok || w.taken.Swap(true) {
		return nil, errors.New("no second connection for one request")
	}
	return w, nil
}
