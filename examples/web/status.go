package web

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/http"

	"github.com/zargo-io/zargo/zarr/fault"
)

// statuses are tried in order; a deadline comes first, because what was under way when it passed
// may say anything.
func statuses() []status {
	return []status{
		{context.DeadlineExceeded, http.StatusGatewayTimeout},
		{fault.NotFound, http.StatusNotFound},
		{fault.Selection, http.StatusBadRequest},
		{fault.Path, http.StatusBadRequest},
		{fault.Type, http.StatusBadRequest},
		{fault.Limit, http.StatusRequestEntityTooLarge},
		{fault.Throttled, http.StatusServiceUnavailable},
		{fault.Unavailable, http.StatusBadGateway},
		{errors.ErrUnsupported, http.StatusNotImplemented},
	}
}

type status struct {
	err  error
	code int
}

// Status is the HTTP status of an error. What nobody outside can help, such as a corrupt chunk or
// the service's own credentials, is 500.
func Status(err error) int {
	for _, s := range statuses() {
		if errors.Is(err, s.err) {
			return s.code
		}
	}
	return http.StatusInternalServerError
}

// Fail answers with an error. Its text goes out only if the caller made the mistake; of others,
// which may name what is nobody's business, the log tells.
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

// JSON answers with a value.
func JSON(w http.ResponseWriter, v any) {
	b, err := json.Marshal(v) // before the header, which says that it went well
	if err != nil {
		Fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if _, err := w.Write(append(b, '\n')); err != nil {
		log.Print(err) // the caller is gone
	}
}
