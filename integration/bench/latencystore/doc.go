// Command latencystore is a small S3-compatible object server for benchmarks and fault tests.
//
// It supports the path-style S3 REST API without checking signatures, keeps its index in memory,
// and can be configured to behave like a distant cloud store: first-byte latency, a slow tail,
// bandwidth limits, throttling (503 SlowDown), connection resets, truncated bodies. It counts every
// request, so that tests can check the exact number of a client's requests. It uses only the
// standard library. See README.md.
package main
