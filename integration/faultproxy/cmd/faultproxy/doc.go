// Command faultproxy is a proxy of an HTTP server that counts requests and injects faults.
//
//	faultproxy -target http://127.0.0.1:9000 -listen 127.0.0.1:9010 -config '{"latency_ms": 30, "rates": {"reset": 0.05}}'
//	curl -d '{"rates": {"slow_down": 0.1}}' http://127.0.0.1:9010/__fault/config
//	curl http://127.0.0.1:9010/__fault/stats
//
// When the proxy is ready, the command prints its URL on standard output. An interrupt ends the
// command. Package faultproxy documents the faults.
package main
