package s3

import (
	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/limit"
)

// defaultRequests is the initial number of requests in flight. With fewer than 128 requests, reads
// shorter than a second take 30 to 50 % longer. 256 requests gain another 10 %, and 512 are slower.
// See docs/tuning.md.
const defaultRequests = 128

// numbers returns the initial limits of a bucket.
func numbers() limit.BucketOptions {
	return limit.BucketOptions{Reads: defaultRequests, Writes: defaultRequests}
}

// Shared implements [provider.Config]. Bucket names are unique in all of AWS, so the region is not
// part of the name.
func (c *config) Shared() provider.Bucket {
	return provider.Bucket{Name: "s3 " + c.reached + "/" + c.bucket, Prefix: c.prefix, Own: []any{c.client, c.httpClient, c.services}, BucketOptions: numbers()}
}

// listPage is S3's limit of entries per listing request.
const listPage = 1000

// tuning returns the settings for S3.
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
		Reason:      "S3: latency-bound at 30 ms and 80 MB/s a connection; more than 5 500 reads/s a prefix are throttled",
		Why: store.Reasons{
			Requests:    c.stack.Why("reads of less than a second lose 30 to 50 % with fewer; 256 gains 10 % more, 512 loses"),
			RangeGap:    provider.GapReason,
			RangeMax:    "AWS advises reads of 8 to 16 MB",
			SplitAbove:  "one connection gives about 85 MB/s; two halves of 16 MiB arrive twice as fast",
			PartAbove:   "one connection takes about 85 MB/s: 64 MiB would take 0.8 s and be sent again whole if it broke; AWS advises parts from 100 MB on",
			ListFanout:  provider.FanoutReason,
			ListPage:    "S3's limit",
			DeleteBatch: "S3's limit",
		},
	}
}
