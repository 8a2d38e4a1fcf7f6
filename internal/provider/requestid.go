package provider

import (
	"errors"
	"net/http"

	"github.com/zargo-io/zargo/zarr/fault"
)

// RequestID returns the ID of a request from the response header of S3, Azure or GCS, or "" if the
// header lacks an ID. The value must be a single word of at most 200 printable ASCII characters.
// Other values are ignored, because the response may be from any server.
func RequestID(h http.Header) string {
	for _, name := range [...]string{"X-Amz-Request-Id", "X-Ms-Request-Id", "X-Guploader-Uploadid", "X-Goog-Request-Id"} {
		if id := h.Get(name); id != "" && isWord(id) {
			return id
		}
	}
	return ""
}

// maxID is the maximum length of the ID of a request. The IDs of GCS are the longest, with about
// 130 bytes.
const maxID = 200

func isWord(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return len(s) <= maxID
}

// WithRequest returns a suffix that adds the ID of the request to an error message.
func WithRequest(id string) string {
	if id == "" {
		return ""
	}
	return " [request " + id + "]"
}

// About adds the ID of a request to an error of kind fault.Unavailable. h is the header of the
// response, which contains the ID. Other errors, and errors that already have an ID, are returned
// unchanged.
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

// numbered is an error with the ID of a request.
type numbered struct {
	err error
	id  string
}

func (n *numbered) Error() string     { return n.err.Error() + WithRequest(n.id) }
func (n *numbered) Unwrap() error     { return n.err }
func (n *numbered) RequestID() string { return n.id }
