package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
)

// refusal is an error whose status and text are sent to the client.
type refusal struct {
	status int
	text   string
	allow  string        // header Allow
	after  time.Duration // header Retry-After
	plan   *planned
}

func (e *refusal) Error() string { return e.text }

// refuse returns an error with a status and a text for the client.
func refuse(status int, format string, args ...any) error {
	return &refusal{status: status, text: fmt.Sprintf(format, args...)}
}

// asRefusal returns what the client gets for an error. Text of an error of a source could contain
// addresses, so the client gets fixed text instead. An error about a selection, which only the
// client's request determines, is sent as it is, unless it contains the name of the source's store.
func asRefusal(err error, name string) *refusal {
	if own, ok := errors.AsType[*refusal](err); ok {
		return own
	}
	for _, row := range []struct {
		is     error
		status int
		text   string
	}{
		{fault.Throttled, http.StatusServiceUnavailable, "the source accepts too few requests"},
		{context.DeadlineExceeded, http.StatusGatewayTimeout, "the time of the request is over"},
		{context.Canceled, http.StatusServiceUnavailable, "the request was cancelled"},
		{fault.NotFound, http.StatusNotFound, "there is no such thing"},
		{fault.Path, http.StatusBadRequest, "the path is invalid"},
		{fault.Conflict, http.StatusPreconditionFailed, "the value has another version"},
		{fault.Exists, http.StatusPreconditionFailed, "the value exists"},
		{fault.Limit, http.StatusRequestEntityTooLarge, "the request needs more of the source than a request may use"},
		{fault.Full, http.StatusInsufficientStorage, "the source has no space"},
		{fault.NoBucket, http.StatusBadGateway, "the source refuses the server"},
		{fault.NoCredentials, http.StatusBadGateway, "the source refuses the server"},
		{fault.Unauthenticated, http.StatusBadGateway, "the source refuses the server"},
		{fault.Denied, http.StatusBadGateway, "the source refuses the server"},
		{fault.Refused, http.StatusForbidden, "the source refuses the request"},
		{fault.ReadOnly, http.StatusForbidden, "the source is read-only"},
		{fault.Unavailable, http.StatusBadGateway, "the source failed"},
		{fault.Corrupt, http.StatusBadGateway, "the stored data are corrupt"},
		{fault.Metadata, http.StatusBadGateway, "the stored metadata are invalid"},
		{fault.Selection, http.StatusBadRequest, "the selection is invalid"},
		{fault.Type, http.StatusBadRequest, "the data type does not fit"},
		{errors.ErrUnsupported, http.StatusNotImplemented, "the source does not support this"},
	} {
		if !errors.Is(err, row.is) {
			continue
		}
		out := &refusal{status: row.status, text: row.text}
		var key *fault.KeyError
		if text := err.Error(); row.is == fault.Selection && !errors.As(err, &key) && name != "" && !strings.Contains(text, name) {
			out.text = text
		}
		var wait interface{ RetryAfter() time.Duration }
		if row.status == http.StatusServiceUnavailable {
			if out.after = time.Second; errors.As(err, &wait) {
				out.after = max(out.after, wait.RetryAfter())
			}
		}
		return out
	}
	return &refusal{status: http.StatusInternalServerError, text: "the server failed"}
}

// planned is the number of requests and bytes that a request of a client needs from the source, and
// the limits, as the client gets them with status 413.
type planned struct {
	Requests int64 `json:"requests"`
	Bytes    int64 `json:"bytes"`
	Limit    bound `json:"limit"`
}

type bound struct {
	Requests int64 `json:"requests"`
	Bytes    int64 `json:"bytes"`
}

// notAllowed returns the error for a method that is not one of these.
func notAllowed(methods ...string) error {
	return &refusal{status: http.StatusMethodNotAllowed, text: "the method is not allowed", allow: strings.Join(methods, ", ")}
}
