package azure

import "github.com/zargo-io/zargo/zarr/store"

// defaultRequests is how many requests are in flight at once. 128, as for S3: reads are bound by latency, and an
// account takes 20 000 requests a second before it throttles.
const defaultRequests = 128

func (c *config) requests() int { return c.stack.Requests(defaultRequests) }

// tuning holds Azure's numbers; requests 0 is the default.
func tuning(requests int) store.Tuning {
	if requests <= 0 {
		requests = defaultRequests
	}
	return store.Tuning{
		Requests:   requests,
		RangeGap:   1 << 20,  // 30 ms to the first byte at 60 MB/s is 1.8 MB: half of that is cheaper read than asked for
		RangeMax:   16 << 20, // as S3: a quarter of a second on one connection, short enough to repeat
		SplitAbove: 32 << 20, // two halves of 16 MiB on two connections arrive in half the time
		ListFanout: 32,
		ListPage:   5000, // Azure's limit
		Reason:     "Azure: latency-bound at 30 ms and 60 MB/s a connection; more than 20 000 requests/s an account are throttled; a tail costs one more request for its size",
	}
}
