package gcs

import (
	"errors"
	"net/http"
	"strconv"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/compute/metadata"
	gcsapi "cloud.google.com/go/storage"
	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"
)

// This package cannot observe the transport of a caller's client. For such a client it derives the
// outcome of a request from the SDK's error, which has less detail: after a 404 of a read, the
// error does not distinguish a missing object from a missing bucket.

// learn records the outcome of a failed request from the SDK's error.
func (x *exchange) learn(err error) {
	var api *googleapi.Error
	x.sent = 1
	switch {
	case errors.As(err, &api):
		x.status, x.header, x.body = api.Code, api.Header, []byte(api.Body)
	case errors.Is(err, gcsapi.ErrObjectNotExist):
		x.status = http.StatusNotFound
	case errors.As(err, new(*auth.Error)) || errors.As(err, new(*metadata.Error)) || errors.As(err, new(*oauth2.RetrieveError)):
		x.sent = 0
	default:
		x.err = err
	}
}

// read records the outcome of a successful read.
func (x *exchange) read(r *gcsapi.Reader) {
	x.status = http.StatusPartialContent
	if r.Attrs.StartOffset == 0 && r.Remain() == r.Attrs.Size {
		x.status = http.StatusOK
	}
	x.measured = r.Remain() >= 0 // the SDK also accepts a body without a length
	x.header = http.Header{"X-Goog-Generation": {strconv.FormatInt(r.Attrs.Generation, 10)}}
}
