// Package conformance holds every store to the contract of package store: memory, folders, zip
// archives, a web server's folder, and buckets on real servers. Each alone, through every decorator
// and through all of them, on the slowest servers through the latter only; those on a network also
// with a fault proxy in between that is far away, throttles, resets, truncates and loses answers.
//
// The tests on a network need the servers that package bucket tells of, or the clouds themselves;
// what needs a proxy is then skipped.
package conformance
