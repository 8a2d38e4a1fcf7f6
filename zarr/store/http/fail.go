package http

import (
	"fmt"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// StatusError is an answer that says no, with its kind of package fault.
type StatusError struct {
	Status int
	Kind   error
	After  time.Duration // what Retry-After asked for
	ID     string        // the number of the request, where the server is a bucket's; else ""
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%v: the server answered %d %s%s", e.Kind, e.Status, http.StatusText(e.Status), provider.WithRequest(e.ID))
}

// RequestID is the number of the request.
func (e *StatusError) RequestID() string { return e.ID }

// Unwrap gives the kind.
func (e *StatusError) Unwrap() error { return e.Kind }

// RetryAfter is how long the server asks to wait; 0 if it does not say.
func (e *StatusError) RetryAfter() time.Duration { return e.After }

func status(resp *http.Response, o store.GetOptions) error {
	e := &StatusError{Status: resp.StatusCode, Kind: kindOf(resp.StatusCode), After: provider.RetryAfter(resp.Header, time.Now()), ID: provider.RequestID(resp.Header)}
	if e.Status == http.StatusNotModified && o.IfNotVersion == "" || e.Status == http.StatusPreconditionFailed && o.IfVersion == "" {
		e.Kind = fault.Unavailable // an answer to a question that was not asked
	}
	return e
}

// kindOf sorts the statuses of RFC 9110 section 15 that are no success.
func kindOf(code int) error {
	switch code {
	case http.StatusNotFound, http.StatusGone:
		return fault.NotFound
	case http.StatusNotModified:
		return fault.Unchanged
	case http.StatusPreconditionFailed:
		return fault.Conflict
	case http.StatusRequestedRangeNotSatisfiable:
		return fault.Corrupt // the value is shorter
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return fault.Throttled
	case http.StatusUnauthorized:
		return fault.Unauthenticated
	case http.StatusForbidden:
		return fault.Denied
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusMisdirectedRequest:
		return fault.Unavailable
	}
	if code >= 400 && code < 500 {
		return fault.Refused
	}
	return fault.Unavailable
}

// foreign is for answers that look like success but are not the value.
func foreign(format string, args ...any) error {
	return fault.Newf(fault.Unavailable, "the answer is not the value: %s", fmt.Sprintf(format, args...))
}

func isPage(contentType, key string) bool {
	kind, _, _ := strings.Cut(contentType, ";")
	ext := strings.ToLower(path.Ext(key))
	return strings.EqualFold(strings.TrimSpace(kind), "text/html") && ext != ".html" && ext != ".htm"
}

func isMetadata(key string) bool {
	switch path.Base(key) {
	case "zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata":
		return true
	}
	return false
}

// strong gives an ETag as a Version if it is a strong one: RFC 9110 section 8.8.3.
func strong(etag string) store.Version {
	if len(etag) < 2 || etag[0] != '"' || etag[len(etag)-1] != '"' {
		return ""
	}
	return store.Version(etag)
}
