// Package observability turns what zargo does into spans of OpenTelemetry and metrics of
// Prometheus.
//
//	st = observability.Spans(st, otel.Tracer("my program"))
//	ctx = store.WithTrace(ctx, observability.Events())
//	ctx = store.WithTrace(ctx, metrics.Trace())
//
// It is a module of its own, so that programs that use zargo depend on neither library. The
// functions are short: copy the one that you need. For log/slog see examples/observe.
package observability
