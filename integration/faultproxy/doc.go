// Package faultproxy is a proxy of an HTTP server that counts requests and injects faults.
//
//	p := faultproxy.Start(t, target, faultproxy.Config{
//		LatencyMS: 30,
//		Seed:      1,
//		Rates:     faultproxy.Rates{SlowDown: 0.05, Reset: 0.05, Truncate: 0.05},
//	})
//	st, err := s3.Open(ctx, "s3://bucket?use_path_style=true&endpoint="+p.URL())
//	peak := p.Stats().PeakInFlight
//
// The proxy does not change Host (see [Config.RewriteHost]), Accept-Encoding or the path, so signed
// S3 requests remain valid. [Fault] lists the faults. The fault of a request is chosen by a Go
// function ([Config.Script]), by path ([Config.Overrides]) or at random ([Config.Rates]). The
// random choice depends on the seed, on the request (method, path, query, Range header) and on the
// number of its earlier occurrences, but not on the order of arrival: the same requests with the
// same seed have the same faults, however many are in flight.
//
// A request is in flight from the arrival of its header until just before the last byte of its
// response is sent or the connection is closed. A client that reads each response to its end before
// it sends the next request is therefore never counted twice, and [Stats.PeakInFlight] is the exact
// number of its concurrent requests. A client that gives up early, by cancelling or by closing an
// unread body, is counted until the proxy notices. When a client sees the end of a response, the
// statistics include the request.
//
// [Local] returns a proxy of a handler in this process: a server with latency and faults.
//
// The proxy is controlled over HTTP, by requests that are neither counted nor forwarded:
//
//	GET  /__fault/stats     the Stats as JSON
//	GET  /__fault/log       the logged requests as JSON
//	POST /__fault/reset     clear statistics and log
//	GET  /__fault/config    the Config as JSON
//	PUT  /__fault/config    replace the Config by the one in the body
//	POST /__fault/config    change the members of Config that the body contains
//
// The proxy supports HTTP/1.1 only, without upgrades, trailers and 1xx responses other than 100.
// Everything in this package is safe for concurrent use. The directory cmd/faultproxy contains the
// command.
package faultproxy
