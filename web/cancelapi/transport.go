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
)

// dialTimeout bounds connecting and the TLS handshake. Where that takes longer,
// the rest of the usual 30 s would not be enough to wait for an answer.
const dialTimeout = 10 * time.Second

// newTransport follows the rules that keep a POST from being sent twice or
// elsewhere: no connection is used twice, HTTP/1.1 only, no proxy, no
// compression, a bounded header.
func newTransport() *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:                  nil, // the environment has no say in where tokens go
		DialContext:            (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSHandshakeTimeout:    dialTimeout,
		DisableKeepAlives:      true,
		DisableCompression:     true,
		ForceAttemptHTTP2:      false,
		Protocols:              protocols,
		TLSNextProto:           map[string]func(string, *tls.Conn) http.RoundTripper{},
		MaxResponseHeaderBytes: maxAnswer,
		// A whole request fits, so that it leaves in one write.
		WriteBufferSize: 64 << 10,
	}
}

// dialer connects to the service. We dial before net/http is involved, so that
// a failure to connect is told from one on the wire by where it happened and
// not by the text of an error.
type dialer struct {
	address string
	tls     *tls.Config // nil: plain HTTP
	connect func(ctx context.Context, network, address string) (net.Conn, error)
}

func newDialer(target *url.URL, config *tls.Config) *dialer {
	port := target.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[target.Scheme]
	}
	d := &dialer{
		address: net.JoinHostPort(target.Hostname(), port),
		connect: new(net.Dialer).DialContext,
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

// dial connects and shakes hands. No byte of HTTP is written yet.
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

// newWireTransport is the transport of a Client: it writes on the wire that
// comes with the request.
func newWireTransport() *http.Transport {
	t := newTransport()
	t.DialContext = handOver
	t.DialTLSContext = handOver // TLS is up already
	return t
}

// handOver takes the place of dialing: it gives net/http the connection that was
// made for this exchange, and gives it only once. Whatever net/http may come to
// believe about repeating a request, there is nothing to repeat it on.
func handOver(ctx context.Context, _, _ string) (net.Conn, error) {
	w, ok := ctx.Value(wireKey{}).(*wire)
	if !ok || !w.take() {
		return nil, errors.New("no second connection for one request")
	}
	return w, nil
}
