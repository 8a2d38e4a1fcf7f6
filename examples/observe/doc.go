// Command observe reads a whole array. It uses log/slog to log each request to the store, and the
// HTTP exchanges, retries and waits of the request. At the end it prints the sums.
//
//	go run ./examples/observe 's3://bucket/data.zarr/t2m?region=eu-central-1'
//
// You can copy the functions requests and trace into your program. Package telemetry, a
// separate module, does the same for OpenTelemetry and Prometheus.
package main
