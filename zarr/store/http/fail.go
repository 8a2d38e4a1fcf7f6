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

// StatusError is the error for a response with an error status.
type StatusError struct {
	Status int
	Kind   error         // a kind of package fault
	After  time.Duration // time in the Retry-After header
	ID     string        // request ID if the server is a bucket, else ""
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%v: the server responded with status %d %s%s%s", e.Kind, e.Status, http.StatusText(e.Status), provider.Asks(e.After), provider.WithRequest(e.ID))
}

// RequestID returns the ID that the server assigned to the request, or "".
func (e *StatusError) RequestID() string { return e.ID }

// Unwrap returns the kind of the error.
func (e *StatusError) Unwrap() error { return e.Kind }

// RetryAfter returns the minimum wait before a retry that the server requested, or 0.
func (e *StatusError) RetryAfter() time.Duration { return e.After }

func status(resp *http.Response, o store.GetOptions) error {
	e := &StatusError{Status: resp.StatusCode, Kind: kindOf(resp.StatusCode), After: provider.RetryAfter(resp.Header, time.Now()), ID: provider.RequestID(resp.Header)}
	if e.Status == http.StatusNotModified && o.IfNotVersion == "" || e.Status == http.StatusPreconditionFailed && o.IfVersion == "" {
		e.Kind = fault.Unavailable // a response to a condition that was not sent
	}
	return e
}

// kindOf returns the kind of the error for a status code (RFC 9110, section 15).
func kindOf(code int) error {
	switch code {
	case http.StatusNotFound, http.StatusGone:
		return fault.NotFound
	case http.StatusNotModified:
		return fault.Unchanged
	case http.StatusPreconditionFailed:
		return fault.Conflict
	case http.StatusRequestedRangeNotSatisfiable:
		return fault.Corrupt // the value is shorter than the range
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

// foreign returns the error for a response that has a success status but is not the value.
func foreign(format string, args ...any) error {
	return fault.Newf(fault.Unavailable, "the response is not the value: %s", fmt.Sprintf(format, args...))
}

// pageError is the error for a page in place of a value. A proxy may send a page for a moment, so
// the request is repeated. A web application sends its page for every absent value, so one
// repetition is enough: the page does not prove that the value is absent.
type pageError struct{ error }

func (e pageError) Unwrap() error { return e.error }

// MaxTries returns the maximum number of attempts; see package retry.
func (pageError) MaxTries() int { return 2 }

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

// strong returns an ETag as a Version if it is strong (RFC 9110, section 8.8.3). Otherwise it
// returns "".
func strong(etag string) store.Version {
	if len(etag) < 2 || etag[0] != '"' || etag[len(etag)-1] != '"' {
		return ""
	}
	return store.Version(etag)
}
