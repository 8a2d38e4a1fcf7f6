package telemetry

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Spans returns a store that creates a span for each request to st, as a child of the span in the
// caller's context. Wrap the store that Open returned, so that a span covers a request with all its
// retries. A span for a missing chunk is not marked as an error, because missing chunks are part of
// the data.
func Spans(st store.Store, tracer trace.Tracer) store.Store {
	return store.Around(st, store.Hooks{
		Before: func(ctx context.Context, c store.Call) (context.Context, error) {
			ctx, _ = tracer.Start(ctx, "zarr "+string(c.Op), trace.WithTimestamp(c.Start), trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
				attribute.String("zarr.key", c.Key), attribute.String("zarr.range", c.Range.String())))
			return ctx, nil
		},
		After: func(ctx context.Context, _ store.Call, r store.Result) {
			span := trace.SpanFromContext(ctx)
			defer span.End()
			span.SetAttributes(attribute.Int64("zarr.bytes", r.Bytes), attribute.Int("zarr.count", r.Count))
			switch {
			case r.Err == nil:
			case errors.Is(r.Err, fault.NotFound):
				span.SetAttributes(attribute.Bool("zarr.absent", true))
			case !r.Unsupported:
				span.RecordError(r.Err)
				span.SetStatus(codes.Error, r.Err.Error())
			}
		},
	})
}

// Events returns a trace that records the HTTP exchanges, retries and waits of a request as events
// in the span of the request.
func Events() *store.Trace {
	return &store.Trace{
		Attempt: func(ctx context.Context, a store.Attempt) {
			trace.SpanFromContext(ctx).AddEvent("attempt", trace.WithAttributes(
				attribute.String("http.request.method", a.Method), attribute.String("server.address", a.Host),
				attribute.Int("http.response.status_code", a.Status), attribute.Int64("zarr.wire", a.Wire()),
				attribute.Float64("zarr.first_byte_seconds", a.FirstByte.Seconds())))
		},
		Retry: func(ctx context.Context, r store.Retry) {
			trace.SpanFromContext(ctx).AddEvent("retry", trace.WithAttributes(
				attribute.Int("zarr.try", r.Try), attribute.Float64("zarr.wait_seconds", r.Wait.Seconds()), attribute.String("error.message", r.Err.Error())))
		},
		Wait: func(ctx context.Context, w store.Wait) {
			trace.SpanFromContext(ctx).AddEvent("wait", trace.WithAttributes(
				attribute.String("zarr.for", string(w.For)), attribute.Float64("zarr.took_seconds", w.Took.Seconds())))
		},
	}
}
