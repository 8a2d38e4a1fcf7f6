package serve

import (
	"math"
	"net/http"
	"strconv"
)

// fail responds with an error, unless the header has been sent.
func fail(w *response, r *http.Request, err error) {
	w.err = err
	if w.status != 0 {
		w.breakOff()
		return
	}
	e := asRefusal(err, w.source)
	h := w.Header()
	for _, name := range []string{"ETag", "Content-Length", "Accept-Ranges", "Last-Modified"} {
		h.Del(name)
	}
	h.Set("Cache-Control", "no-store")
	if e.allow != "" {
		h.Set("Allow", e.allow)
	}
	if e.after > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(e.after.Seconds()))))
	}
	_ = sendJSON(w, r, e.status, struct {
		Error string `json:"error"`
		*planned
	}{e.text, e.plan}) // it fails only if the client has left
}
