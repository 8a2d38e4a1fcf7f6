package gcs

import "github.com/zargo-io/zargo/zarr/store"

// defaultRequests is how many requests are in flight at once. 128, as for S3: latency is alike, and gcsfuse's throughput
// still grew from 50 connections to 100.
const defaultRequests = 128

func (c *config) requests() int { return c.stack.Requests(defaultRequests) }

// tuning holds GCS's numbers.
func tuning(requests int) store.Tuning {
	return store.Tuning{
		Requests:   requests,
		RangeGap:   1 << 20,  // a first byte takes 30 ms or more, at 80 MB/s 2.4 MB: half of that is cheaper read than asked for
		RangeMax:   16 << 20, // at that length the wait for the first byte is under a fifth of the whole
		SplitAbove: 32 << 20, // over HTTP/1.1 two halves come over two connections
		ListFanout: 32,
		ListPage:   1000, // GCS's limit
		Reason: "GCS over HTTP/1.1: latency-bound, one connection for each request; a bucket begins at about 5000 reads/s " +
			"and 1000 writes/s and takes twice that every 20 minutes",
	}
}
