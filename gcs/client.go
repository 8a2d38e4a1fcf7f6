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

// A client of the caller's has a transport that cannot be watched. What came of a request is then
// what the SDK says of it, which is less: a 404 of a read names neither object nor bucket.

// learn is for a request that failed.
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

// read is for a read that succeeded.
func (x *exchange) read(r *gcsapi.Reader) {
	x.status = http.StatusPartialContent
	if r.Attrs.StartOffset == 0 && r.Remain() == r.Attrs.Size {
		x.status = http.StatusOK
	}
	x.measured = r.Remain() >= 0 // the SDK takes a body without a length as well, up to wherever it ends
	x.header = http.Header{"X-Goog-Generation": {strconv.FormatInt(r.Attrs.Generation, 10)}}
}
