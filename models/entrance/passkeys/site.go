package passkeys

import (
	"net/netip"
	"net/url"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
)

// Site is where passkeys work: they belong to the name of a host, and browsers offer them
// by https only, or on this machine.
type Site struct {
	ID     string // the name of the host; "" where passkeys do not work
	Origin string // the address, without a path
}

// SiteOf returns the site of the address that people type. A number is no name; the one of
// this machine is also called localhost.
func SiteOf(address string) Site {
	u, err := url.Parse(address)
	if err != nil {
		return Site{}
	}
	name := strings.ToLower(u.Hostname())
	ip, err := netip.ParseAddr(name)
	switch {
	case err == nil && u.Scheme == "http" && ip.IsLoopback():
		u.Host, name = strings.TrimSuffix("localhost:"+u.Port(), ":"), "localhost"
	case err == nil:
		return Site{}
	case u.Scheme != "https" && name != "localhost" && !strings.HasSuffix(name, ".localhost"):
		return Site{}
	}
	if protocol.ValidateRPID(name) != nil {
		return Site{}
	}
	return Site{ID: name, Origin: u.Scheme + "://" + strings.ToLower(u.Host)}
}

// At reports whether a page that a browser asked this host for can use passkeys.
func (s Site) At(host string) bool {
	return s.ID != "" && strings.EqualFold(bare(host, s.Origin), bare(strings.SplitN(s.Origin, "://", 2)[1], s.Origin))
}

// bare is a host without the port that goes without saying.
func bare(host, origin string) string {
	if strings.HasPrefix(origin, "https:") {
		return strings.TrimSuffix(host, ":443")
	}
	return strings.TrimSuffix(host, ":80")
}
