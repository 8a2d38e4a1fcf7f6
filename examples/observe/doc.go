// Command observe reads a whole array. It logs, with log/slog, each request to the store, and the
// HTTP exchanges, retries and waits of the request. It ends with the sums.
//
//	go run ./examples/observe 's3://bucket/data.zarr/t2m?region=eu-central-1'
//
// Copy the functions requests and trace into your program. OpenTelemetry and Prometheus are in
// examples/observability, a separate module.
package main
