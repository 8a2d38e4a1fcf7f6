package provider

import (
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
)

// TrustVariable is the name of the environment variable that contains additional hosts to which
// credentials may be sent, separated by commas.
const TrustVariable = "ZARGO_TRUSTED_HOSTS"

// Hosts is a list of hosts to which reusable credentials may be sent: bearer tokens and SAS tokens.
// A name includes its subdomains. A name without a port includes all ports.
type Hosts []string

// TrustedByUser returns the hosts in the environment variable [TrustVariable].
func TrustedByUser() Hosts {
	var h Hosts
	for name := range strings.SplitSeq(os.Getenv(TrustVariable), ",") {
		if name = strings.TrimSpace(name); name != "" {
			h = append(h, name)
		}
	}
	return h
}

// Has reports whether host, with or without a port, is in the list.
func (h Hosts) Has(host string) bool {
	host = strings.ToLower(host)
	bare := hostname(host)
	return slices.ContainsFunc(h, func(name string) bool {
		name = strings.ToLower(strings.Trim(name, "."))
		if name == "" {
			return false
		}
		if name == host || name == bare {
			return true
		}
		below := bare
		if hostname(name) != name {
			below = host
		}
		return strings.HasSuffix(below, "."+name)
	})
}

// Take reports whether a request to u may contain reusable credentials. This is the case if the
// host of u is in the list and the scheme uses TLS, or if the host is this machine.
func (h Hosts) Take(u *url.URL) bool {
	return Loopback(u.Host) || u.Scheme == "https" && h.Has(u.Host)
}

// Loopback reports whether host, with or without a port, is this machine.
func Loopback(host string) bool {
	name := hostname(host)
	if ip, err := netip.ParseAddr(name); err == nil {
		return ip.Unmap().IsLoopback()
	}
	return strings.EqualFold(name, "localhost")
}

// Private reports whether host, with or without a port, is this machine, a private address
// according to [PrivateAddr], or a name without a dot. Such a name, for example of a container, is
// resolved only by the local network. Other names may also have private addresses, but their
// addresses are known only after a connection is made.
func Private(host string) bool {
	name := hostname(host)
	if ip, err := netip.ParseAddr(name); err == nil {
		return PrivateAddr(ip)
	}
	return Loopback(host) || name != "" && !strings.Contains(name, ".")
}

// PrivateAddr reports whether an address belongs to this machine (127.0.0.0/8, ::1), to a private
// network (10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, fc00::/7), or link-local (169.254.0.0/16,
// fe80::/10). It returns false for the zero Addr.
func PrivateAddr(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast()
}

// hostname returns host without its port and the brackets of an IPv6 address.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}
