package azure

import (
	"net/http"

	"github.com/zargo-io/zargo/internal/provider"
)

// newTransport is like the SDK's, proxies and all, with as many connections as requests are made at
// once: with the SDK's 10 idle ones, 64 requests in flight keep reconnecting. The SDK asks before
// it sends a body (Expect: 100-continue) for a minute after a throttle.
func newTransport(requests int) *http.Transport {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment}
	provider.Connections(t, requests)
	return t
}

// newHTTP follows no redirect: Azure sends none, and what a portal redirects to is not a blob.
func newHTTP(t http.RoundTripper) *http.Client {
	return &http.Client{Transport: t, CheckRedirect: provider.NoRedirect}
}

// The answers that the SDK reads into memory whole are bounded. A listing of 5000 blobs is 5 MB,
// and 60 MB when every name is 1024 bytes that are all escaped; an error document has some hundred
// bytes.
const (
	maxDocument = 64 << 20
	maxError    = 1 << 20
)

// guard bounds what the SDK reads on a server's word, and marks writes that could not be sent.
// Answers with a value in them are not documents: get reads them.
type guard struct{ do provider.Doer }

func (g guard) Do(r *http.Request) (*http.Response, error) {
	resp, err := provider.Send(r, g.do)
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
