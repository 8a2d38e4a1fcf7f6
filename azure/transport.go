package azure

import (
	"net/http"

	"github.com/zargo-io/zargo/internal/provider"
)

// newTransport returns a transport like the SDK's, with proxies, and with as many connections as
// requests in flight. With the SDK's 10 idle connections, 64 requests in flight keep opening new
// connections. For a minute after a throttled request, the SDK sends bodies with Expect:
// 100-continue.
func newTransport(requests int) *http.Transport {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment}
	provider.Connections(t, requests)
	return t
}

// newHTTP returns a client that does not follow redirects. Azure sends no redirects, and a captive
// portal's redirect does not lead to a blob.
func newHTTP(t http.RoundTripper) *http.Client {
	return &http.Client{Transport: t, CheckRedirect: provider.NoRedirect}
}

// maxDocument limits a response that the SDK reads into memory. A listing of 5000 blobs has about 5
// MB. It has 60 MB if every name has 1024 bytes that must all be escaped.
const maxDocument = 64 << 20

// guard limits the size of documents that the SDK reads, and marks the errors of writes that were
// not sent.
func guard(do provider.Doer) doer {
	return provider.Documents{Do: do, Most: maxDocument, Listing: isListing}.Send
}

func isListing(r *http.Request) bool { return r.URL.Query().Get("comp") == "list" }
