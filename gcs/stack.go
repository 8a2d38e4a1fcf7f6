package gcs

import (
	"cmp"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/limit"
)

// defaultRequests is the initial number of reads in flight. It equals the number for S3, because
// the latency is similar. The throughput of gcsfuse still grew from 50 to 100 connections.
const defaultRequests = 128

// listPage is GCS's limit of entries per listing request.
const listPage = 1000

// numbers returns the initial limits of a bucket. A new bucket accepts 1000 writes per second,
// which is about 32 concurrent writes of 30 ms. Source: Cloud Storage, "Request rate and access
// distribution guidelines".
func numbers() limit.BucketOptions {
	return limit.BucketOptions{Reads: defaultRequests, Writes: 32, ReadRate: 5000, WriteRate: 1000}
}

// Shared implements [provider.Config].
func (c *config) Shared() provider.Bucket {
	return provider.Bucket{Name: "gs " + cmp.Or(c.endpoint, c.universe) + "/" + c.bucket, Prefix: c.prefix, Own: []any{c.client, c.httpClient, c.under}, BucketOptions: numbers()}
}

// tuning returns the settings for GCS.
func (c *config) tuning() store.Tuning {
	return store.Tuning{
		Requests:    c.stack.Requests(defaultRequests),
		RangeGap:    1 << 20,
		RangeMax:    16 << 20,
		SplitAbove:  32 << 20,
		PartAbove:   64 << 20,
		ListFanout:  32,
		ListPage:    listPage,
		DeleteBatch: deleteBatch,
		Reason: "GCS over HTTP/1.1: latency-bound, one connection for each request; a bucket begins at about 5000 reads/s " +
			"and 1000 writes/s and takes twice that every 20 minutes",
		Why: store.Reasons{
			Requests:    c.stack.Why("latency is like S3's, and gcsfuse's throughput still grew from 50 connections to 100"),
			RangeGap:    provider.GapReason,
			RangeMax:    "at that length the wait for the first byte is under a fifth of the whole",
			SplitAbove:  "over HTTP/1.1 two halves come over two connections",
			PartAbove:   "one connection takes about 85 MB/s: 64 MiB would take 0.8 s and be sent again whole if it broke; each part is an object that is joined with the others, which smaller values do not pay for",
			ListFanout:  provider.FanoutReason,
			ListPage:    "GCS's limit",
			DeleteBatch: "GCS's limit",
		},
	}
}
