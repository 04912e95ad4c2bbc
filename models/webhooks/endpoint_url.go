package webhooks

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"veinte/models"
)

// ParseEndpointURL accepts an address to deliver to: absolute, without userinfo or
// fragment, https unless private addresses are allowed. A numeric address is checked
// here. A name is checked when it is dialed, by the address it resolves to.
func ParseEndpointURL(s string, allowPrivate bool) (string, error) {
	s = strings.TrimSpace(s)
	refuse := func(code string) (string, error) { return "", models.Invalid("url", code) }
	switch {
	case s == "":
		return refuse("field.required")
	case len(s) > 500:
		return refuse("field.tooLong")
	case !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }):
		return refuse("endpoint.urlInvalid")
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Hostname() == "" || u.Opaque != "" || (u.Scheme != "https" && u.Scheme != "http") {
		return refuse("endpoint.urlInvalid")
	}
	if u.User != nil {
		return refuse("endpoint.urlUser")
	}
	if u.Fragment != "" || strings.Contains(s, "#") {
		return refuse("endpoint.urlInvalid")
	}
	if port := u.Port(); port != "" || strings.HasSuffix(u.Host, ":") {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return refuse("endpoint.urlInvalid")
		}
	}
	if u.Scheme == "http" && !allowPrivate {
		return refuse("endpoint.urlPlain")
	}
	if !HostAllowed(u.Hostname(), allowPrivate) {
		return refuse("endpoint.urlPrivate")
	}
	return s, nil
}

// HostAllowed checks a host as far as possible without resolving names. Behind a proxy,
// which resolves them, nothing more is known.
func HostAllowed(host string, allowPrivate bool) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return allowPrivate
	}
	addr, err := netip.ParseAddr(host)
	if err == nil {
		return AddressAllowed(addr, allowPrivate)
	}
	// 127.1, 0x7f000001, 2130706433, 127.0.0.08: some resolvers accept these as addresses.
	last := host[strings.LastIndexByte(host, '.')+1:]
	_, err = strconv.ParseUint(last, 0, 64)
	return err != nil && net.ParseIP(host) == nil && strings.Trim(last, "0123456789") != ""
}

// never are networks that are refused even when private ones are allowed: this host,
// what a provider of machines answers on (metadata, and 168.63.129.16), other link-local
// addresses, multicast, reserved networks, and encodings of an address of another family.
var never = prefixes("0.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
	"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "::/96", "::ffff:0:0:0/96", "64:ff9b::/96",
	"64:ff9b:1::/48", "100::/64", "2001::/32", "2001:db8::/32", "2002::/16", "3fff::/20", "fd00:ec2::/32", "fe80::/10", "fec0::/10",
	"ff00::/8")

// private are the networks of this machine and of the merchant.
var private = prefixes("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7")

// AddressAllowed reports whether deliveries may go to an address. Private addresses
// and this machine's own need allowPrivate. Metadata services, link-local and
// multicast addresses are always refused.
func AddressAllowed(addr netip.Addr, allowPrivate bool) bool {
	addr = addr.Unmap().WithZone("")
	if !addr.IsValid() || within(addr, never) && addr != netip.IPv6Loopback() {
		return false
	}
	return allowPrivate || !within(addr, private)
}

// AddressPrivate reports whether an address belongs to this machine or to a private
// network. Plain HTTP is allowed only there.
func AddressPrivate(addr netip.Addr) bool { return within(addr.Unmap().WithZone(""), private) }

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i := range texts {
		all[i] = netip.MustParsePrefix(texts[i])
	}
	return all
}

func within(addr netip.Addr, networks []netip.Prefix) bool {
	for _, n := range networks {
		if n.Contains(addr) {
			return true
		}
	}
	return false
}

// hiddenRest replaces everything after the host of a shown address. No accepted
// address contains it, so a shown address is never mistaken for a real one.
const hiddenRest = "/…/***"

// shownURL is an address as shown to users and written to the trail. Everything
// after the host is hidden, because both the path and the query may contain a key.
func shownURL(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return hiddenRest
	}
	shown := u.Scheme + "://" + u.Host
	if strings.Trim(u.EscapedPath(), "/") == "" && u.RawQuery == "" {
		return shown
	}
	return shown + hiddenRest
}
