package provider

import (
	"crypto/tls"
	"net/http"
	"time"
)

// Connections configures a transport for many concurrent requests to one host.
//
//   - The maximum number of idle connections is the number of concurrent requests. With fewer, the
//     transport dials repeatedly (64 concurrent requests with 2 idle connections: 766 connections).
//   - The maximum number of connections is also the number of concurrent requests. See also
//     [Stack.Transport].
//   - Connections use HTTP/1.1. With HTTP/2 all requests would share one connection, one flow
//     control window, and the effects of lost packets (published measurements: 250 MB/s over one
//     connection, 1450 MB/s over 100 connections).
//   - Connections are distributed over all addresses of a host name; see [Dialer].
//   - TLS sessions are resumed, so that certificates are not transferred and verified again.
//   - Compression is off, because chunks are already compressed, and responses must have the stored
//     lengths.
func Connections(t *http.Transport, requests int) {
	t.MaxConnsPerHost = requests
	t.MaxIdleConnsPerHost = requests
	t.MaxIdleConns = max(requests, 128) // for all hosts; credentials may come from other hosts
	t.IdleConnTimeout = 90 * time.Second
	t.DisableCompression = true

	t.ForceAttemptHTTP2 = false
	t.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(true)
	if t.TLSClientConfig == nil {
		t.TLSClientConfig = &tls.Config{}
	}
	t.TLSClientConfig.MinVersion = max(t.TLSClientConfig.MinVersion, tls.VersionTLS12)
	t.TLSClientConfig.NextProtos = nil // a default transport offers h2 after its first use
	t.TLSClientConfig.ClientSessionCache = tls.NewLRUClientSessionCache(sessions)

	t.DialContext = new(Dialer).DialContext
	t.TLSHandshakeTimeout = 10 * time.Second
	t.ExpectContinueTimeout = time.Second
}

// sessions is the number of cached TLS sessions, one for each host. They suffice for the host of
// the bucket and for a few hosts of credentials and redirects.
const sessions = 16
