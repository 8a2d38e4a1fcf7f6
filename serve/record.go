package serve

import (
	"cmp"
	"log/slog"
	"net/http"
	"time"
)

// record logs a request. The query may contain secrets of a proxy, so it is left out.
func record(log *slog.Logger, w *response, r *http.Request) {
	level := slog.LevelInfo
	args := []slog.Attr{
		slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", cmp.Or(w.status, http.StatusOK)),
		slog.Int64("bytes", w.sent), slog.Duration("took", time.Since(w.begun)),
		slog.Int64("source_requests", w.used.requests.Load()), slog.Int64("source_bytes", w.used.bytes.Load()),
	}
	if w.err != nil && (w.status >= 500 || w.broken) {
		level = slog.LevelWarn
		args = append(args, slog.String("error", w.err.Error()))
	}
	log.LogAttrs(r.Context(), level, "request", args...)
}
