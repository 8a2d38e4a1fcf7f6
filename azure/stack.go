package azure

import (
	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/limit"
)

// defaultRequests is the initial number of requests in flight. It equals the number for S3, because
// latency limits the reads, and an account is throttled only above 20 000 requests per second.
const defaultRequests = 128

// listPage is Azure's limit of entries per listing request.
const listPage = 5000

// numbers returns the initial limits of a container.
func numbers() limit.BucketOptions {
	return limit.BucketOptions{Reads: defaultRequests, Writes: defaultRequests}
}

// Shared implements [provider.Config].
func (c *config) Shared() provider.Bucket {
	return provider.Bucket{Name: c.reached, Prefix: c.prefix, Own: []any{c.client, c.httpClient}, BucketOptions: numbers()}
}

// tuning returns the settings for Azure.
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
		Reason:      "Azure: latency-bound at 30 ms and 60 MB/s a connection; more than 20 000 requests/s an account are throttled; a tail costs one more request for its size",
		Why: store.Reasons{
			Requests:    c.stack.Why("reads are bound by latency as S3's, and an account takes 20 000 requests/s"),
			RangeGap:    "30 ms to the first byte at 60 MB/s are 1.8 MB: reading a gap of half of that is cheaper than another request",
			RangeMax:    "as S3: a quarter of a second on one connection, short enough to repeat",
			SplitAbove:  "two halves of 16 MiB on two connections arrive in half the time",
			PartAbove:   "one connection takes about 60 MB/s: 64 MiB would take 1.1 s and be sent again whole if it broke",
			ListFanout:  provider.FanoutReason,
			ListPage:    "Azure's limit",
			DeleteBatch: "Azure's limit",
		},
	}
}
