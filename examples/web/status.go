package web

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/http"

	"github.com/zargo-io/zargo/zarr/fault"
)

type status struct {
	err  error
	code int
}

// Status returns the HTTP status of an error. Errors that the client cannot fix, such as a corrupt
// chunk or a problem with the service's own credentials, are 500.
func Status(err error) int {
	for _, s := range statuses() {
		if errors.Is(err, s.err) {
			return s.code
		}
	}
	return http.StatusInternalServerError
}

// statuses returns the statuses in order of precedence. If the deadline passes while the bucket
// throttles, the error matches both, and the status is that of the cause. Otherwise a deadline
// comes first, because requests in flight when it expires may fail with any error.
func statuses() []status {
	return []status{
		{fault.Throttled, http.StatusServiceUnavailable},
		{context.DeadlineExceeded, http.StatusGatewayTimeout},
		{fault.NotFound, http.StatusNotFound},
		{fault.Selection, http.StatusBadRequest},
		{fault.Path, http.StatusBadRequest},
		{fault.Type, http.StatusBadRequest},
		{fault.Limit, http.StatusRequestEntityTooLarge},
		{fault.Unavailable, http.StatusBadGateway},
		{errors.ErrUnsupported, http.StatusNotImplemented},
	}
}

// Fail responds with an error. The response contains the text of the error only if the status is a
// client error (4xx). The text of other errors may contain internal details, and is only logged.
func Fail(w http.ResponseWriter, err error) {
	code := Status(err)
	text := err.Error()
	if code >= 500 {
		log.Print(err)
		text = http.StatusText(code)
	}
	if code == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	http.Error(w, text, code)
}

// JSON responds with a value in JSON form.
func JSON(w http.ResponseWriter, v any) {
	b, err := json.Marshal(v) // before the header, which reports success
	if err != nil {
		Fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if _, err := w.Write(append(b, '\n')); err != nil {
		log.Print(err) // the client disconnected
	}
}
