package addresses

import (
	"net/netip"
	"strings"
)

// Networks parses addresses and networks, and reports what is neither.
func Networks(list []string, wrong func(string)) (all []netip.Prefix) {
	for _, text := range list {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		network, err := netip.ParsePrefix(text)
		if err != nil {
			var addr netip.Addr
			if addr, err = netip.ParseAddr(text); err == nil && addr.Zone() == "" {
				addr = addr.Unmap()
				network = netip.PrefixFrom(addr, addr.BitLen())
			}
		}
		if !network.IsValid() {
			wrong(text)
			continue
		}
		if addr := network.Addr(); addr.Is4In6() && network.Bits() >= 96 { // IPv4, written as IPv6
			network = netip.PrefixFrom(addr.Unmap(), network.Bits()-96)
		}
		all = append(all, network.Masked())
	}
	return all
}
