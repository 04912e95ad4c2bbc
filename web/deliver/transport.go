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
)

// errNotAllowed means that a name resolves to an address that is not allowed.
var errNotAllowed = errors.New("this address is not delivered to")

// dialTimeout limits connecting and the TLS handshake, each.
const dialTimeout = 5 * time.Second

// newTransport connects to allowed addresses only. The address is checked when it is
// dialed, after the name was resolved, so a name that resolves differently the
// second time is checked too.
func newTransport(allowPrivate bool) *http.Transport {
	dialer := &net.Dialer{Timeout: dialTimeout, ControlContext: func(ctx context.Context, _, address string, _ syscall.RawConn) error {
		return judge(ctx, address, allowPrivate)
	}}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:                  nil, // results must not go to a proxy of the environment
		DialContext:            dialer.DialContext,
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
