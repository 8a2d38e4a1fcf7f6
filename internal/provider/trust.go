package provider

import (
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
)

// TrustVariable names the environment variable with further hosts that credentials may be sent to,
// separated by commas.
const TrustVariable = "ZARGO_TRUSTED_HOSTS"

// Hosts is where credentials that their receiver can use (bearer tokens, SAS tokens) may be sent. A
// name stands for itself and its subdomains, on any port; with a port it stands for that port
// alone.
type Hosts []string

// TrustedByUser gives the hosts that the environment names.
func TrustedByUser() Hosts {
	var h Hosts
	for name := range strings.SplitSeq(os.Getenv(TrustVariable), ",") {
		if name = strings.TrimSpace(name); name != "" {
			h = append(h, name)
		}
	}
	return h
}

// Has reports whether host, with or without a port, is one of them.
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

// Take reports whether a request to u may carry such credentials: to one of the hosts over TLS, or
// to this machine.
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

// Private reports whether host, with or without a port, is this machine, an address that
// [PrivateAddr] holds for, or a name without a dot, such as a container's, which only the local
// network resolves. Where another name leads only the connection shows.
func Private(host string) bool {
	name := hostname(host)
	if ip, err := netip.ParseAddr(name); err == nil {
		return PrivateAddr(ip)
	}
	return Loopback(host) || name != "" && !strings.Contains(name, ".")
}

// PrivateAddr reports whether an address is of this machine (127.0.0.0/8, ::1), of a private
// network (10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, fc00::/7), or of one link (169.254.0.0/16,
// fe80::/10). The zero Addr is not.
func PrivateAddr(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast()
}

// hostname is a host without its port, and without the brackets of an IPv6 address.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}
