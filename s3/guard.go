package s3

import (
	"net/http"
	"strings"

	"github.com/zargo-io/zargo/internal/provider"
)

// guard sends requests with [provider.Documents] and hides the WriteTo method of request bodies.
// The SDK closes a request's body as soon as the response starts, and the body's WriteTo then
// returns io.EOF. If a fast server responds before net/http has seen the end of the body, net/http
// treats that io.EOF as a failed write and drops the connection, with the rest of the response.
// Without WriteTo, net/http calls Read and treats io.EOF as a normal end. It keeps the page of a
// proxy for the message, because the SDK's errors do not contain it.
type guard struct{ do provider.Doer }

// maxDocument limits a response that the SDK reads into memory. A listing of 1000 keys of 1024
// bytes has 3 MB if every byte is escaped by three characters.
const maxDocument = 16 << 20

func (g guard) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = provider.Plain{Reader: r.Body, Closer: r.Body}
	}
	resp, err := provider.Documents{Do: g.do, Most: maxDocument, Listing: isListing}.Send(r)
	if err == nil {
		provider.KeepPage(resp)
	}
	return resp, err
}

func isListing(r *http.Request) bool { return strings.Contains(r.URL.RawQuery, "list-type=") }
