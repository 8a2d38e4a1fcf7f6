package s3

import (
	"net/http"
	"strings"

	"github.com/zargo-io/zargo/internal/provider"
)

// The answers that the SDK reads into memory whole are bounded. A listing of 1000 keys of 1024
// bytes, escaped threefold, is 3 MB; an error document some hundred bytes.
const (
	maxDocument = 16 << 20
	maxError    = 1 << 20
)

// guard bounds what the SDK reads on a server's word (answers with a value in them are not
// documents: get reads them), and keeps connections of writes usable: the SDK closes a request's
// body as soon as the answer begins, and its WriteTo then says io.EOF, which net/http takes for a
// failed write when a fast server answers before net/http has looked for the body's end. It drops
// the connection, with the rest of the answer. Read says io.EOF too, and there it is right. Writes
// that could not be sent are marked.
type guard struct{ do provider.Doer }

func (g guard) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = provider.Plain{Reader: r.Body, Closer: r.Body}
	}
	resp, err := provider.Send(r, g.do)
	if err != nil {
		return resp, err
	}
	if resp.StatusCode >= 300 {
		resp.Body = provider.Bounded(resp.Body, maxError)
	} else if r.Method != http.MethodGet || strings.Contains(r.URL.RawQuery, "list-type=") {
		resp.Body = provider.Bounded(resp.Body, maxDocument)
	}
	return resp, nil
}
