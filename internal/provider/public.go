package provider

import "net/netip"

// PublicOnly returns fault.Refused for addresses outside the public internet: loopback, private
// (RFC 1918, ULA), shared (CGNAT), multicast and reserved addresses; link-local addresses, such as
// the metadata services of clouds (169.254.169.254); and IPv6 addresses that contain one of these
// IPv4 addresses.
func PublicOnly(ip netip.Addr) error {
	if !isPublic(ip.WithZone("").Unmap()) {
		return Refusal("the address " + ip.String() + " is not allowed: it is not an address of the public internet")
	}
	return nil
}

// Prefixes of IPv6 addresses that contain an IPv4 address. In NAT64 (RFC 6052) the IPv4 address is
// at the end, and in 6to4 (RFC 3056) it follows the prefix.
const (
	nat64  = "64:ff9b::/96"
	sixTo4 = "2002::/16"
)

func isPublic(ip netip.Addr) bool {
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	for _, s := range special() {
		if netip.MustParsePrefix(s).Contains(ip) {
			return false
		}
	}
	b := ip.As16()
	switch {
	case netip.MustParsePrefix(nat64).Contains(ip):
		return isPublic(netip.AddrFrom4([4]byte(b[12:])))
	case netip.MustParsePrefix(sixTo4).Contains(ip):
		return isPublic(netip.AddrFrom4([4]byte(b[2:6])))
	}
	return true
}

// special returns blocks of global unicast addresses outside the public internet: the
// special-purpose addresses in IANA's registries (RFC 6890), and the address of Azure's platform
// services on every machine.
func special() [18]string {
	return [...]string{
		"0.0.0.0/8", "100.64.0.0/10" /* CGNAT */, "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4", "168.63.129.16/32", /* Azure */
		"::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16", "fec0::/10",
	}
}
