// Command serveload measures zargo serve under the load of many clients, beside an object store with
// latency. It starts both servers.
//
//	integration/bench/setup.sh
//	cd integration/bench && _venv/bin/python peers.py gen
//	go build -o _bin/zargo ../../cmd/zargo && go run ./serveload -clients 100 -time 60s
//
// Each client sends requests of a random kind, or of points with -points, and pauses between them.
// The result is one JSON object:
//
//	kinds           of each kind of request: count, and p50, p99 and max of the milliseconds until its last byte
//	get             the same for requests to the object store for one chunk, sent meanwhile
//	statuses        how often each status was answered
//	most            the most bytes and requests of the object store for one request, by the server's log
//	rss_mb          peak memory of the server in MiB
//	left            threads and open files of the server after the clients have left, beyond those before
//	killed          seconds until the object store was idle after clients left in the middle of requests
//	stop            seconds from SIGTERM until the server had ended with requests in flight, its exit code, and its CPU seconds
package main
