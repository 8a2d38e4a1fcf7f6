// Package conformance tests every store against the contract of package store: memory, directories,
// zip archives, a web server's directory, and buckets on real servers. Each store is tested alone,
// through each decorator, and through all decorators. The slowest servers are tested only through
// all decorators together. Stores on a network are also tested through a fault proxy that adds
// latency, throttles, resets, truncates and loses responses.
//
// The tests on a network need the servers of package bucket or the clouds themselves. Tests with a
// proxy are skipped for a cloud.
package conformance
