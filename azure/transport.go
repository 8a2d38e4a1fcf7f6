package azure

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
)

// newTransport is the SDK's, proxies and all, with connections kept for as many requests as are made at once: with the
// SDK's 10, 64 requests in flight keep reconnecting. Azure Blob Storage speaks HTTP/1.1 only.
func newTransport(requests int) *http.Transport {
	idle := max(requests, defaultRequests)
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second, // the SDK asks before it sends a body for a minute after a throttle
		MaxIdleConns:          idle,
		MaxIdleConnsPerHost:   idle,
		MaxConnsPerHost:       requests, // in the first burst net/http dials for requests that an idle connection then serves
		IdleConnTimeout:       90 * time.Second,
		DisableCompression:    true, // chunks are compressed already, and lengths must be the stored ones
	}
}

// newHTTP follows no redirect: Azure sends none, and what a portal redirects to is not a blob.
func newHTTP(t http.RoundTripper) *http.Client {
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// The answers that the SDK reads into memory whole are bounded. A listing of 5000 blobs is 5 MB, and 60 MB when every
// name is 1024 bytes that are all escaped; an error document has some hundred bytes.
const (
	maxDocument = 64 << 20
	maxError    = 1 << 20
)

// guard bounds what the SDK reads on a server's word. Answers with a value in them are not documents: get reads them.
type guard struct{ next policy.Transporter }

func (g guard) Do(r *http.Request) (*http.Response, error) {
	resp, err := g.next.Do(r)
	if err != nil || resp == nil || resp.Body == nil {
		return resp, err
	}
	switch {
	case resp.StatusCode >= 300:
		resp.Body = bounded{io.LimitReader(resp.Body, maxError), resp.Body}
	case r.Method != http.MethodGet || r.URL.Query().Get("comp") == "list":
		resp.Body = bounded{io.LimitReader(resp.Body, maxDocument), resp.Body}
	}
	return resp, nil
}

type bounded struct {
	io.Reader
	io.Closer
}
