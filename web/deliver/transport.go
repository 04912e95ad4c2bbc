package deliver

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"veinte/models/webhooks"
	"veinte/web/tunnel"
)

// errNotAllowed means that a name resolves to an address that is not allowed.
var errNotAllowed = errors.New("this address is not delivered to")

// dialTimeout limits connecting and the TLS handshake, each.
const dialTimeout = 5 * time.Second

// newTransport connects to allowed addresses only. The address is checked when it is
// dialed, after the name was resolved, so a name that resolves differently the
// second time is checked too.
func newTransport(allowPrivate bool, proxy *tunnel.Proxy) *http.Transport {
	dialer := &net.Dialer{Timeout: dialTimeout, ControlContext: func(ctx context.Context, _, address string, _ syscall.RawConn) error {
		return judge(ctx, address, allowPrivate)
	}}
	connect := dialer.DialContext
	if proxy != nil {
		connect = through(proxy, allowPrivate)
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:                  nil, // results must not go to a proxy of the environment
		DialContext:            connect,
		TLSHandshakeTimeout:    dialTimeout,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		Protocols:              protocols,
		DisableCompression:     true,
		MaxResponseHeaderBytes: 16 << 10,
		MaxIdleConnsPerHost:    32,
		IdleConnTimeout:        30 * time.Second,
	}
}

// plainKey marks the context of a delivery that is sent in plain text.
type plainKey struct{}

// judge refuses addresses that are not allowed, and plain text to networks that are
// not the merchant's own.
func judge(ctx context.Context, address string, allowPrivate bool) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !webhooks.AddressAllowed(at.Addr(), allowPrivate) {
		return errNotAllowed
	}
	if plain, _ := ctx.Value(plainKey{}).(bool); plain && !webhooks.AddressPrivate(at.Addr()) {
		return errNotAllowed
	}
	return nil
}

// through connects by a proxy, which is the operator's and therefore may be anywhere. It
// looks names up where we cannot see it, so that only what an address says by itself is
// judged here; which networks a name may lead to is the proxy's to judge.
func through(proxy *tunnel.Proxy, allowPrivate bool) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if err := judgeUnresolved(ctx, address, allowPrivate); err != nil {
			return nil, err
		}
		ctx, stop := context.WithTimeout(ctx, dialTimeout)
		defer stop()
		return proxy.Dial(ctx, network, address)
	}
}

// judgeUnresolved is judge for what somebody else resolves. A name never gets plain text,
// because nobody knows whose network it leads to.
func judgeUnresolved(ctx context.Context, address string, allowPrivate bool) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return errNotAllowed
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return judge(ctx, net.JoinHostPort(addr.String(), port), allowPrivate)
	}
	if plain, _ := ctx.Value(plainKey{}).(bool); plain || !webhooks.HostAllowed(host, allowPrivate) {
		return errNotAllowed
	}
	return nil
}
