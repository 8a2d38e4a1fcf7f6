package gcs

import (
	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/store"
)

// defaultRequests is how many requests are in flight at once. 128, as for S3: latency is alike, and gcsfuse's throughput
// still grew from 50 connections to 100.
const defaultRequests = 128

// listPage is GCS's limit.
const listPage = 1000

func (c *config) requests() int { return c.stack.Requests(defaultRequests) }

// tuning holds GCS's numbers.
func (c *config) tuning() store.Tuning {
	return store.Tuning{
		Requests:   c.requests(),
		RangeGap:   1 << 20,
		RangeMax:   16 << 20,
		SplitAbove: 32 << 20,
		ListFanout: 32,
		ListPage:   listPage,
		Reason: "GCS over HTTP/1.1: latency-bound, one connection for each request; a bucket begins at about 5000 reads/s " +
			"and 1000 writes/s and takes twice that every 20 minutes",
		Why: store.Reasons{
			Requests:   c.stack.Why("latency is like S3's, and gcsfuse's throughput still grew from 50 connections to 100"),
			RangeGap:   provider.GapReason,
			RangeMax:   "at that length the wait for the first byte is under a fifth of the whole",
			SplitAbove: "over HTTP/1.1 two halves come over two connections",
			ListFanout: provider.FanoutReason,
			ListPage:   "GCS's limit",
		},
	}
}
