package client_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"veinte/handlers/client"
)

func prefixes(list ...string) (all []netip.Prefix) {
	for _, p := range list {
		all = append(all, netip.MustParsePrefix(p))
	}
	return all
}

// TestAddress: the last hop that no proxy of ours has.
func TestAddress(t *testing.T) {
	t.Parallel()
	proxy, inner := prefixes("10.0.0.1/32"), prefixes("10.0.0.1/32", "172.16.0.0/12", "2001:db8:ff::/48")
	for _, tt := range []struct {
		fact, remote string
		forwarded    []string
		trusted      []netip.Prefix
		want         string
	}{
		{"nobody is trusted", "192.0.2.1", []string{"198.51.100.1"}, nil, "192.0.2.1"},
		{"a stranger who calls itself a proxy", "192.0.2.1", []string{"198.51.100.1, 10.0.0.1"}, proxy, "192.0.2.1"},
		{"what the proxy adds", "10.0.0.1", []string{"192.0.2.1"}, proxy, "192.0.2.1"},
		{"what the sender wrote before", "10.0.0.1", []string{"198.51.100.1, 192.0.2.1"}, proxy, "192.0.2.1"},
		{"in a line of its own", "10.0.0.1", []string{"198.51.100.1", "192.0.2.1"}, proxy, "192.0.2.1"},
		{"two lines, the last with two", "10.0.0.1", []string{"198.51.100.9", "198.51.100.1,192.0.2.1"}, proxy, "192.0.2.1"},
		{"the proxy's own address written before", "10.0.0.1", []string{"10.0.0.1, 192.0.2.1"}, proxy, "192.0.2.1"},
		{"two proxies", "10.0.0.1", []string{"198.51.100.1, 192.0.2.1, 172.16.0.9"}, inner, "192.0.2.1"},
		{"a hop of nobody's between", "10.0.0.1", []string{"192.0.2.1, 203.0.113.1, 172.16.0.9"}, inner, "203.0.113.1"},
		{"all are ours", "10.0.0.1", []string{"172.16.0.8, 172.16.0.9"}, inner, "172.16.0.8"},
		{"no header", "10.0.0.1", nil, proxy, "10.0.0.1"},
		{"an empty one", "10.0.0.1", []string{""}, proxy, "10.0.0.1"},
		{"nonsense last", "10.0.0.1", []string{"192.0.2.1, unknown"}, proxy, "10.0.0.1"},
		{"an empty hop last", "10.0.0.1", []string{"192.0.2.1,"}, proxy, "10.0.0.1"},
		{"markup before", "10.0.0.1", []string{"<script>, 192.0.2.1"}, proxy, "192.0.2.1"},
		{"a name", "10.0.0.1", []string{"localhost"}, proxy, "10.0.0.1"},
		{"with its port", "10.0.0.1", []string{"192.0.2.1:51724"}, proxy, "192.0.2.1"},
		{"IPv6 with its port", "10.0.0.1", []string{"[2001:db8::1]:443"}, proxy, "2001:db8::1"},
		{"IPv6 with a zone", "10.0.0.1", []string{"fe80::1%eth0"}, proxy, "fe80::1"},
		{"IPv4 written as IPv6", "::ffff:10.0.0.1", []string{"::ffff:192.0.2.1"}, proxy, "192.0.2.1"},
		{"a proxy of IPv6", "2001:db8:ff::2", []string{"2001:db8::1"}, inner, "2001:db8::1"},
		{"leading zeros, which some read as octal", "10.0.0.1", []string{"192.0.02.1"}, proxy, "10.0.0.1"},
	} {
		if got := client.Address(netip.MustParseAddr(tt.remote), tt.forwarded, tt.trusted); got.String() != tt.want {
			t.Errorf("%s: Address(%s, %q) = %s, want %s", tt.fact, tt.remote, tt.forwarded, got, tt.want)
		}
	}
}

// FuzzAddress: whatever a client writes before what our proxy adds changes nothing, and
// without a proxy of ours the connection's address counts.
func FuzzAddress(f *testing.F) {
	for _, s := range []string{"", "198.51.100.1", "10.0.0.1", ",,,", "10.0.0.1, 10.0.0.1", "\x00", "[::1]:1", "::ffff:10.0.0.1", "%"} {
		f.Add(s)
	}
	proxy := prefixes("10.0.0.1/32")
	ours, theirs := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("192.0.2.1")
	f.Fuzz(func(t *testing.T, written string) {
		for _, forwarded := range [][]string{{written + ", " + theirs.String()}, {written, theirs.String()}} {
			if got := client.Address(ours, forwarded, proxy); got != theirs {
				t.Errorf("Address(%q) = %s, want what the proxy added, %s", forwarded, got, theirs)
			}
		}
		if got := client.Address(theirs, []string{written}, proxy); got != theirs {
			t.Errorf("Address(%q) from nobody of ours = %s, want %s", written, got, theirs)
		}
		if got := client.Address(ours, strings.Split(written, ","), proxy); !got.IsValid() ||
			got != ours && !slices.ContainsFunc(strings.Split(written, ","), func(hop string) bool { return strings.TrimSpace(hop) != "" }) {
			t.Errorf("Address(%q) = %s, which nobody said", written, got)
		}
	})
}
