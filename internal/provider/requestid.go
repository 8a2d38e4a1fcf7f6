package provider

import (
	"errors"
	"net/http"

	"github.com/zargo-io/zargo/zarr/fault"
)

// maxID bounds the number of a request: GCS's are the longest, with about 130 bytes.
const maxID = 200

// RequestID returns the number that the provider gave a request: S3's, Azure's or GCS's. It is
// empty where there is none, or where it is not one short word, as what stands there may be
// anybody's.
func RequestID(h http.Header) string {
	for _, name := range [...]string{"X-Amz-Request-Id", "X-Ms-Request-Id", "X-Guploader-Uploadid", "X-Goog-Request-Id"} {
		if id := h.Get(name); id != "" && isWord(id) {
			return id
		}
	}
	return ""
}

func isWord(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return len(s) <= maxID
}

// WithRequest is how a message ends that is about a request with this number.
func WithRequest(id string) string {
	if id == "" {
		return ""
	}
	return " [request " + id + "]"
}

// About gives an error of a response that broke, or is not the provider's, the number of its
// request. Other errors stay.
func About(err error, h http.Header) error {
	if err == nil || !errors.Is(err, fault.Unavailable) || fault.RequestID(err) != "" {
		return err
	}
	id := RequestID(h)
	if id == "" {
		return err
	}
	return &numbered{err, id}
}

// numbered is an error with the number of a request.
type numbered struct {
	err error
	id  string
}

func (n *numbered) Error() string     { return n.err.Error() + WithRequest(n.id) }
func (n *numbered) Unwrap() error     { return n.err }
func (n *numbered) RequestID() string { return n.id }
