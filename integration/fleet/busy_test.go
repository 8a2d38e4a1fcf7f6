package fleet_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestBusyMinIO reads from a MinIO that serves few requests at the same time. It refuses the others
// with a Retry-After of a minute. The test is run by make minio, which limits MinIO by
// MINIO_API_REQUESTS_MAX.
func TestBusyMinIO(t *testing.T) {
	url, most := os.Getenv("ZARR_TEST_MINIO_URL"), os.Getenv("MINIO_API_REQUESTS_MAX")
	if url == "" || most == "" {
		t.Skip("ZARR_TEST_MINIO_URL and MINIO_API_REQUESTS_MAX are not set")
	}
	const objects, size = 100, 1 << 20
	var hinted atomic.Int64
	ctx := store.WithTrace(t.Context(), &store.Trace{Retry: func(_ context.Context, r store.Retry) {
		var asks interface{ RetryAfter() time.Duration }
		if errors.As(r.Err, &asks) && asks.RetryAfter() > 0 {
			hinted.Add(1)
		}
	}})
	st, err := s3.Open(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	value := func(i int) []byte { return bytes.Repeat([]byte{byte(i)}, size) }
	key := func(i int) string { return fmt.Sprintf("busy/%d", i%objects) }
	for i := range objects {
		if _, err := st.Put(ctx, key(i), value(i), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Now()
	const reads = 3000
	err = concurrency.EachN(ctx, 130, reads, func(ctx context.Context, i int) error {
		v, err := st.Get(ctx, key(i), store.GetOptions{}, nil)
		if err == nil && !bytes.Equal(v.Bytes, value(i%objects)) {
			err = fmt.Errorf("%s has another value", key(i))
		}
		return err
	})
	t.Logf("%d reads of %d bytes, %s at once: %v, %d refusals with Retry-After", reads, size, most, time.Since(start), hinted.Load())
	if err != nil {
		t.Error(err)
	}
	if hinted.Load() == 0 { // on a fast machine
		t.Skip("MinIO refused nothing, so the test checks nothing")
	}
}
