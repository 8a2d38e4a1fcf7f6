package s3

import "github.com/zargo-io/zargo/zarr/store"

// defaultRequests is how many requests are in flight at once. 128: reads of less than a second lose 30 to 50 % while
// anything smaller grows; 256 gains 10 % more, 512 loses. See docs/tuning.md.
const defaultRequests = 128

// tuning holds S3's numbers; requests 0 is the default.
func tuning(requests int) store.Tuning {
	if requests <= 0 {
		requests = defaultRequests
	}
	return store.Tuning{
		Requests:   requests,
		RangeGap:   1 << 20,  // 30 ms to the first byte at 80 MB/s is 2.4 MB: half of that is cheaper read than asked for
		RangeMax:   16 << 20, // AWS advises reads of 8 to 16 MB
		SplitAbove: 32 << 20, // one connection gives about 85 MB/s; two halves of 16 MiB arrive twice as fast
		ListFanout: 32,
		ListPage:   1000, // S3's limit
		Reason:     "S3: latency-bound at 30 ms and 80 MB/s a connection; more than 5 500 reads/s a prefix are throttled",
	}
}
