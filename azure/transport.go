package azure

import (
	"crypto/tls"
	"net"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/zargo-io/zargo/internal/provider"
)

// newTransport is the SDK's, proxies and all, with as many connections as requests are made at once: with the SDK's
// 10 idle ones, 64 requests in flight keep reconnecting. Azure Blob Storage speaks HTTP/1.1 only.
func newTransport(requests int) *http.Transport {
	t := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second, // the SDK asks before it sends a body for a minute after a throttle
	}
	provider.Connections(t, requests)
	return t
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

// guard bounds what the SDK reads on a server's word, and marks writes that could not be sent. Answers with a value in them are not documents: get reads them.
type guard struct{ next policy.Transporter }

func (g guard) Do(r *http.Request) (*http.Response, error) {
	resp, err := provider.Send(r, g.next.Do)
	if err != nil || resp == nil || resp.Body == nil {
		return resp, err
	}
	switch {
	case resp.StatusCode >= 300:
		resp.Body = provider.Bounded(resp.Body, maxError)
	case r.Method != http.MethodGet || r.URL.Query().Get("comp") == "list":
		resp.Body = provider.Bounded(resp.Body, maxDocument)
	}
	return resp, nil
}
