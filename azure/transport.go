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

// maxDocument is the maximum size of a response that the SDK reads into memory. A listing of 5000
// blobs is 5 MB, or 60 MB if every name is 1024 bytes that are all escaped.
const maxDocument = 64 << 20

// guard bounds what the SDK reads on a server's word, and marks writes that could not be sent.
func guard(do provider.Doer) doer {
	return provider.Documents{Do: do, Most: maxDocument, Listing: isListing}.Send
}

func isListing(r *http.Request) bool { return r.URL.Query().Get("comp") == "list" }
