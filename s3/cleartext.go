package s3

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
)

// cleartext refuses to send signed requests over http, except to this machine and to private
// networks, or if the program or the user has allowed it outside the URL. A URL is untrusted data.
// A signature is valid for one host and one request only, but anyone who reads it on the network
// can replay it for 15 minutes. A customer's encryption key is sent as it is, and therefore over
// https only.
//
// The decision depends on the address of the connection, not on the host name, because a name can
// resolve to any address. The address is unknown if the caller sets the transport or the request
// goes through a proxy. In that case only "localhost" and literal private addresses in the endpoint
// are allowed.
type cleartext struct {
	client  aws.HTTPClient
	allowed bool // http is allowed to every host
	dials   bool // client is this package's transport, which reports its connections
}

// confine wraps a client's transport in a cleartext. It must be applied after the functions that
// set the endpoint.
func (c *config) confine(o *awss3.Options) {
	allowed := c.allowHTTP || c.client != nil || strings.HasPrefix(strings.ToLower(c.outside), "http://") && c.isOutside(o)
	o.HTTPClient = &cleartext{client: o.HTTPClient, allowed: allowed, dials: c.httpClient == nil}
}

// isOutside reports whether the client's endpoint was also set outside the URL.
func (c *config) isOutside(o *awss3.Options) bool {
	at, err := url.Parse(aws.ToString(o.BaseEndpoint))
	if err != nil {
		return false
	}
	named, err := url.Parse(withScheme(c.outside, false))
	return err == nil && named.Host != "" && strings.EqualFold(at.Host, named.Host)
}

// Do implements aws.HTTPClient.
func (c *cleartext) Do(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "http" {
		return c.client.Do(r)
	}
	if r.Header.Get(customerKeyHeader) != "" {
		return nil, refusedCleartext("the customer's key is not sent over http: use https")
	}
	if c.allowed || !signed(r.Header) {
		return c.client.Do(r)
	}
	host := r.URL.Hostname()
	if addr, err := netip.ParseAddr(host); err == nil && !addr.IsUnspecified() || !c.dials || proxied(r) {
		if provider.PrivateAddr(addr) || isLocalName(host) {
			return c.client.Do(r)
		}
		return nil, notPrivate(host)
	}
	var stopped atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) {
		if _, secure := got.Conn.(*tls.Conn); !secure && !leadsToPrivate(got.Conn) {
			stopped.Store(true)
			_ = got.Conn.Close() // before anything is written
		}
	}}
	resp, err := c.client.Do(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
	if !stopped.Load() {
		return resp, err
	}
	if err == nil {
		_ = resp.Body.Close()
	}
	return nil, notPrivate(host)
}

// signed reports whether a header contains a signature or a token.
func signed(h http.Header) bool {
	return h.Get("Authorization") != "" || h.Get("X-Amz-Security-Token") != "" || h.Get("X-Amz-S3session-Token") != ""
}

// proxied reports whether the SDK's transport sends a request to a proxy.
func proxied(r *http.Request) bool {
	proxy, err := http.ProxyFromEnvironment(r)
	return err != nil || proxy != nil
}

// isLocalName reports whether a host name is reserved for this machine. Source: RFC 6761 section
// 6.3.
func isLocalName(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

func leadsToPrivate(c net.Conn) bool {
	at, err := netip.ParseAddrPort(c.RemoteAddr().String())
	return err == nil && provider.PrivateAddr(at.Addr())
}

func notPrivate(host string) error {
	return refusedCleartext("a signed request would go over http to " + host + ", which is not in a private network: use https, or allow it" +
		" by s3.AllowHTTP, s3.Endpoint or AWS_ENDPOINT_URL_S3")
}

// refusedCleartext returns the error of a request that was not sent.
func refusedCleartext(text string) error {
	return &provider.Failure{Kind: fault.Refused, Text: text, Err: &provider.UnsentError{Err: fault.Refused}}
}
