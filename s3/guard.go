package s3

import (
	"net/http"
	"strings"

	"github.com/zargo-io/zargo/internal/provider"
)

// maxDocument bounds an answer that the SDK reads into memory whole: a listing of 1000 keys of 1024
// bytes, escaped threefold, is 3 MB.
const maxDocument = 16 << 20

// guard sends requests by [provider.Documents] and keeps connections of writes usable: the SDK
// closes a request's body as soon as the answer begins, and its WriteTo then returns io.EOF, which
// net/http takes for a failed write when a fast server answers before net/http has looked for the
// body's end. It drops the connection, with the rest of the answer. Read returns io.EOF too, and
// there it is right.
type guard struct{ do provider.Doer }

func (g guard) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = provider.Plain{Reader: r.Body, Closer: r.Body}
	}
	return provider.Documents{Do: g.do, Most: maxDocument, Listing: isListing}.Send(r)
}

func isListing(r *http.Request) bool { return strings.Contains(r.URL.RawQuery, "list-type=") }
