// Package faultproxy stands in front of an HTTP server, counts what clients ask of it, and
// misbehaves on demand.
//
//	p := faultproxy.Start(t, target, faultproxy.Config{
//		LatencyMS: 30,
//		Seed:      1,
//		Rates:     faultproxy.Rates{SlowDown: 0.05, Reset: 0.05, Truncate: 0.05},
//	})
//	st, err := s3.Open(ctx, "s3://bucket?use_path_style=true&endpoint="+p.URL())
//	peak := p.Stats().PeakInFlight
//
// It changes neither Host (see [Config.RewriteHost]) nor Accept-Encoding nor the path, so signed S3
// requests stay valid. [Fault] lists what it can do to a request; which request meets which fault
// is said by a Go function ([Config.Script]), by path ([Config.Overrides]), or by chance
// ([Config.Rates]). Chance follows from the seed, the request (method, path, query, Range header)
// and how often that request came before, not from the order of arrival: the same seed and the same
// requests meet the same faults, however many are in flight.
//
// A request is in flight from the moment its header has arrived until just before the last byte of
// its answer is sent or the connection is cut. So a client that sends its next request only when it
// has read an answer to the end is never counted twice, and [Stats.PeakInFlight] is exactly what it
// has had open at once. (A client that gives up early, by cancelling or by closing a body it has
// not read, is counted until the proxy notices.) When a client sees the end of an answer, the
// request is in the statistics already.
//
// While it runs it is controlled over HTTP, by requests that are neither counted nor forwarded:
//
//	GET  /__fault/stats     the Stats as JSON
//	GET  /__fault/log       the kept requests as JSON
//	POST /__fault/reset     forget statistics and log
//	GET  /__fault/config    the Config as JSON
//	POST /__fault/config    change the members of Config that are named in the body
//
// HTTP/1.1 only, without upgrades, trailers and 1xx answers other than 100. Everything here may be
// used from any number of goroutines. The command is cmd/faultproxy.
package faultproxy
