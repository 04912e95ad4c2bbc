// Package client says who speaks: the address of the client of a request, once for the
// limits, the trail and the networks of terminals. It trusts nothing that a client can
// write itself.
package client

import (
	"net/netip"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// Address is the client's address: that of the connection, or the last one of all
// X-Forwarded-For values that no trusted proxy has. What stands before that is the
// client's own writing.
func Address(remote netip.Addr, forwarded []string, trusted []netip.Prefix) netip.Addr {
	addr := plain(remote)
	for rest := strings.Join(forwarded, ","); rest != "" && within(addr, trusted); {
		last := strings.LastIndexByte(rest, ',')
		hop, ok := parseHop(strings.TrimSpace(rest[last+1:]))
		if !ok {
			break // the proxy says nothing that could be believed
		}
		addr, rest = hop, rest[:max(last, 0)]
	}
	return addr
}

// parseHop reads an address, to which some proxies add the port.
func parseHop(text string) (netip.Addr, bool) {
	addr, err := netip.ParseAddr(text)
	if err != nil {
		var withPort netip.AddrPort
		withPort, err = netip.ParseAddrPort(text)
		addr = withPort.Addr()
	}
	return plain(addr), err == nil
}

// plain writes IPv4 as IPv4, and leaves a zone away, which means something on its own
// machine only.
func plain(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }

func within(addr netip.Addr, networks []netip.Prefix) bool {
	for _, n := range networks {
		if n.Contains(addr) {
			return true
		}
	}
	return false
}

const addressKey = "client"

// Begin computes the address of a request's client, for Of.
func Begin(c *fiber.Ctx, trusted []netip.Prefix) netip.Addr {
	remote, _ := netip.AddrFromSlice(c.Context().RemoteIP())
	var forwarded []string
	for _, value := range c.Request().Header.PeekAll(fiber.HeaderXForwardedFor) {
		forwarded = append(forwarded, string(value))
	}
	addr := Address(remote, forwarded, trusted)
	c.Locals(addressKey, addr)
	return addr
}

// Proxied reports whether a request comes from a trusted proxy.
func Proxied(c *fiber.Ctx, trusted []netip.Prefix) bool {
	remote, _ := netip.AddrFromSlice(c.Context().RemoteIP())
	return within(plain(remote), trusted)
}

// Text is an address in words; "" when it is unknown.
func Text(addr netip.Addr) string {
	if !addr.IsValid() {
		return ""
	}
	return addr.String()
}

// Of returns the address that Begin has computed.
func Of(c *fiber.Ctx) netip.Addr {
	addr, _ := c.Locals(addressKey).(netip.Addr)
	return addr
}
