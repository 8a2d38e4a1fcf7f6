// Command faultproxy stands in front of an HTTP server, counts requests and misbehaves on demand.
//
//	faultproxy -target http://127.0.0.1:9000 -listen 127.0.0.1:9010 -config '{"latency_ms": 30, "rates": {"reset": 0.05}}'
//	curl -d '{"rates": {"slow_down": 0.1}}' http://127.0.0.1:9010/__fault/config
//	curl http://127.0.0.1:9010/__fault/stats
//
// It prints its own URL on standard output when it listens, and ends on an interrupt. Package
// faultproxy says what it can do.
package main
