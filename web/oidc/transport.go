package oidc

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

const (
	// timeout is of one request to the provider. Somebody waits for it.
	timeout = 8 * time.Second
	// maxAnswer is the most that is read of one answer, in bytes. A token with two hundred
	// groups has some 10 KB.
	maxAnswer = 512 << 10
)

var (
	errTooLong  = errors.New("the provider's answer is too long")
	errRedirect = errors.New("the provider answers with a redirect")
)

// newHTTP makes the client of all requests to the provider. The operator names the
// provider, which may well be in a private network, so the guard over the addresses of
// webhooks is not for it; link-local addresses, where clouds keep their credentials, are
// nobody's provider. Redirects are not followed: discovery names the addresses.
func newHTTP() *http.Client {
	dialer := &net.Dialer{Timeout: 4 * time.Second, Control: judge}
	return &http.Client{
		Timeout: timeout,
		Transport: limited{&http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: 4 * time.Second, ResponseHeaderTimeout: timeout,
			MaxResponseHeaderBytes: 64 << 10, MaxConnsPerHost: 16, IdleConnTimeout: 30 * time.Second, ForceAttemptHTTP2: true,
		}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect },
	}
}

// judge refuses to connect to addresses that no provider has.
func judge(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if ip := at.Addr().Unmap(); ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified() {
		return fmt.Errorf("%s is no address of a provider", ip)
	}
	return nil
}

// limited reads no more of an answer than maxAnswer.
type limited struct{ next http.RoundTripper }

func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(r)
	if err == nil {
		response.Body = &limitedBody{response.Body, maxAnswer}
	}
	return response, err
}

type limitedBody struct {
	io.ReadCloser
	left int
}

func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// CheckAddress refuses an address that would show tokens on the way: plain http is for this
// machine only.
func CheckAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("want an address such as https://login.example.com")
	}
	ip, err := netip.ParseAddr(u.Hostname())
	if u.Scheme == "http" && u.Hostname() != "localhost" && (err != nil || !ip.IsLoopback()) {
		return errors.New("must be https: a plain connection shows people's tokens on the way")
	}
	return nil
}
