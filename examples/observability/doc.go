// Package observability exports zargo's events as spans of OpenTelemetry and metrics of Prometheus.
//
//	st = observability.Spans(st, otel.Tracer("my program"))
//	ctx = store.WithTrace(ctx, observability.Events())
//	ctx = store.WithTrace(ctx, metrics.Trace())
//
// The package is a separate module, so that programs that use zargo depend on neither library. The
// functions are short, so that you can copy those that you need. For log/slog see examples/observe.
package observability
