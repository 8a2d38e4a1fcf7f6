// Command observe reads all of an array and logs what that takes, with log/slog: each request to
// the store, and below it HTTP exchanges, retries and waits. It ends with the sum of it all.
//
//	go run ./examples/observe 's3://bucket/data.zarr/t2m?region=eu-central-1'
//
// The functions requests and trace are what a program takes from here. OpenTelemetry and Prometheus
// are in examples/observability, a module of its own.
package main
