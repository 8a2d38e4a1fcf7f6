// Command latencystore is a small S3-compatible object server for benchmarks and fault tests.
//
// The server supports the path-style S3 REST API without checking signatures, and keeps its index
// in memory. It can be configured to behave like a distant cloud store, with first-byte latency, a
// slow tail, bandwidth limits, throttling (503 SlowDown), connection resets and truncated bodies.
// The server counts every request, so that tests can check the exact number of requests of a
// client. README.md documents the settings.
package main
