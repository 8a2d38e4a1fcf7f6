package provider

import (
	"crypto/tls"
	"net/http"
	"time"
)

// Connections makes a transport fit for many requests at once to one host.
//
// It may have as many connections as requests are made at once: idle ones, else it connects again
// and again (64 requests at once with 2 idle ones: 766 connections), and no more in all, else it
// dials for requests that a connection given back then serves (77 to 84 for 64). They speak
// HTTP/1.1: over HTTP/2 everything would share one connection, its window and its lost packets
// (others measured 250 MB/s against 1450 over 100). They go to all addresses of a name, see
// [Dialer], and their TLS sessions are resumed, which saves the certificates and their
// verification. Compression is off: chunks are compressed already, and lengths must be the stored
// ones.
func Connections(t *http.Transport, requests int) {
	t.MaxConnsPerHost = requests
	t.MaxIdleConnsPerHost = requests
	t.MaxIdleConns = max(requests, 128) // of all hosts; credentials may come from others
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
	t.TLSClientConfig.NextProtos = nil // a default transport that was used offers h2 here
	t.TLSClientConfig.ClientSessionCache = tls.NewLRUClientSessionCache(sessions)

	t.DialContext = new(Dialer).DialContext
	t.TLSHandshakeTimeout = 10 * time.Second
	t.ExpectContinueTimeout = time.Second
}

// sessions is how many TLS sessions are kept, one for each host: that of the values, those of
// credentials and of redirects.
const sessions = 16
