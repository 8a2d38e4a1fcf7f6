package serve

import (
	"net/http"
	"slices"
	"strings"
)

// secure sets the headers that protect clients, and permits requests of the pages of other origins.
func secure(h http.Header, r *http.Request, origins []string) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	if len(origins) == 0 {
		return
	}
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	switch {
	case slices.Contains(origins, "*"):
		h.Set("Access-Control-Allow-Origin", "*")
	case origin != "" && slices.Contains(origins, origin):
		h.Set("Access-Control-Allow-Origin", origin)
	default:
		return
	}
	h.Set("Access-Control-Expose-Headers", "ETag, Content-Range, Content-Length, Accept-Ranges, Retry-After")
}

// permit responds to OPTIONS, also of a browser that asks before a request to another origin.
func permit(w *response, methods []string) {
	h := w.Header()
	h.Set("Allow", strings.Join(methods, ", "))
	if h.Get("Access-Control-Allow-Origin") != "" {
		h.Set("Access-Control-Allow-Methods", strings.Join(methods, ", "))
		h.Set("Access-Control-Allow-Headers", "Content-Type, If-Match, If-None-Match, If-Range, Range")
		h.Set("Access-Control-Max-Age", "600")
	}
	w.WriteHeader(http.StatusNoContent)
}
