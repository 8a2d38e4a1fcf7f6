package serve

import (
	"context"
	"encoding/json"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// response is the response to one request, with what the log records of it.
type response struct {
	http.ResponseWriter
	begun  time.Time
	used   *account
	cancel context.CancelFunc
	status int   // 0 before the header is sent
	sent   int64 // bytes of the body
	err    error // of the endpoint
	broken bool  // the body is incomplete

	partial bool   // the body is a range
	source  string // name of the dataset's store, which no response may contain
}

// WriteHeader implements http.ResponseWriter.
func (w *response) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *response) Write(b []byte) (int, error) {
	if w.status == 0 && w.partial {
		w.WriteHeader(http.StatusPartialContent)
	} else if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.sent += int64(n)
	return n, err
}

// Unwrap returns the writer of package http, for http.ResponseController.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// setDeadline sets the time at which the transfer of the body fails. Writers without deadlines, such
// as those of tests, ignore it.
func (w *response) setDeadline(t time.Time) {
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(t)
}

// setReadDeadline sets the time at which the transfer of the body of the request fails.
func (w *response) setReadDeadline(t time.Time) {
	_ = http.NewResponseController(w.ResponseWriter).SetReadDeadline(t)
}

// breakOff makes the client see that the body is incomplete: the end of the body is not sent, and
// the connection is closed.
func (w *response) breakOff() {
	w.broken = true
	w.setDeadline(past())
}

// past returns a time at which every transfer has failed.
func past() time.Time { return time.Unix(1, 0) }

// sendJSON responds with a value as JSON.
func sendJSON(w *response, r *http.Request, status int, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return send(w, r, status, "application/json", append(b, '\n'))
}

// send responds with a body.
func send(w *response, r *http.Request, status int, contentType string, body []byte) error {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return nil
	}
	_, err := w.Write(body)
	return err
}

// describe sets the header of a value, or of a document that is generated.
func describe(h http.Header, key, tag string) {
	kind := "application/octet-stream"
	switch name := path.Base(key); {
	case strings.HasPrefix(name, ".z"), name == "zarr.json":
		kind = "application/json"
	}
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "no-cache")
	if tag != "" {
		h.Set("ETag", tag)
	}
}
