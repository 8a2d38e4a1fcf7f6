// Command latencystore is a small S3-compatible object server for benchmarks and fault tests.
//
// It speaks the path-style S3 REST dialect without checking signatures, keeps its index in memory,
// and can be made to behave like a distant cloud store: first-byte latency, a slow tail, bandwidth
// caps, throttling (503 SlowDown), connection resets, truncated bodies. It counts every request, so
// a client's request cost can be asserted exactly. Standard library only. See README.md.
package main
