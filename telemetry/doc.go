// Package telemetry exports zargo's events as spans of OpenTelemetry and metrics of Prometheus.
//
//	st = telemetry.Spans(st, otel.Tracer("my program"))
//	ctx = store.WithTrace(ctx, telemetry.Events())
//	ctx = store.WithTrace(ctx, metrics.Trace())
//	err = registry.Register(telemetry.Limits(map[string]store.Store{"archive": st}))
//
// The file grafana.json is a dashboard of the metrics. The package is a separate module, so that
// programs that use zargo depend on neither library. For log/slog see examples/observe.
package telemetry
