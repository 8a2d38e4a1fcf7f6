package main

import (
	"context"
	"errors"
	"log/slog"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// requests returns a store that logs each request to st, with all its retries, as one line. A
// missing chunk is data, not an error.
func requests(st store.Store, log *slog.Logger) store.Store {
	return store.Observe(st, func(ctx context.Context, e store.Event) {
		attrs := []slog.Attr{slog.String("key", e.Key), slog.Int64("bytes", e.Bytes), slog.Duration("took", e.Took)}
		if !e.Range.IsWhole() {
			attrs = append(attrs, slog.String("range", e.Range.String()))
		}
		level := slog.LevelDebug
		switch {
		case errors.Is(e.Err, fault.NotFound):
			attrs = append(attrs, slog.Bool("absent", true))
		case e.Err != nil:
			level = slog.LevelError
			attrs = append(attrs, slog.Any("err", e.Err))
		}
		log.LogAttrs(ctx, level, string(e.Op), attrs...)
	})
}

// trace returns a trace that logs HTTP exchanges, retries and waits. It passes the context of the
// work to the handler, so that the handler can use the caller's values.
func trace(log *slog.Logger) *store.Trace {
	return &store.Trace{
		Attempt: func(ctx context.Context, a store.Attempt) {
			log.LogAttrs(ctx, slog.LevelDebug, "attempt", slog.String("key", a.Key), slog.String("method", a.Method), slog.Int("status", a.Status),
				slog.Int64("wire", a.Wire()), slog.Duration("first_byte", a.FirstByte), slog.Duration("took", a.Took),
				slog.String("remote", a.Remote), slog.Bool("reused", a.Reused), slog.Duration("tls", a.TLS))
		},
		Retry: func(ctx context.Context, r store.Retry) {
			log.LogAttrs(ctx, slog.LevelWarn, "retry", slog.String("op", string(r.Op)), slog.String("key", r.Key), slog.Int("try", r.Try),
				slog.Duration("wait", r.Wait), slog.Any("err", r.Err))
		},
		Conflict: func(ctx context.Context, c store.Conflict) {
			log.LogAttrs(ctx, slog.LevelInfo, "conflict", slog.String("key", c.Key), slog.Int("try", c.Try), slog.Duration("waited", c.Waited),
				slog.Time("until", c.Until), slog.Any("err", c.Err))
		},
		Wait: func(ctx context.Context, w store.Wait) {
			log.LogAttrs(ctx, slog.LevelDebug, "wait", slog.String("for", string(w.For)), slog.Duration("took", w.Took))
		},
	}
}
