package engine_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/engine"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/limit"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// near is a service that responds after a millisecond, or later. It records the buffers of the
// requests and the largest number of requests in flight.
type near struct {
	store.Store
	latency time.Duration
	mu      sync.Mutex
	buffers map[*byte]int64 // capacities
	flight  int
	most    int
}

func (s *near) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	s.mu.Lock()
	if cap(buf) > 0 {
		s.buffers[&buf[:1][0]] = int64(cap(buf))
	}
	s.flight++
	s.most = max(s.most, s.flight)
	s.mu.Unlock()
	time.Sleep(s.latency)
	s.mu.Lock()
	s.flight--
	s.mu.Unlock()
	return s.Store.Get(ctx, key, o, buf)
}

// Provide sets the tuning of a cloud.
func (s *near) Provide(target any) bool {
	t, ok := target.(*store.Tuning)
	if ok {
		*t = store.Tuning{Requests: 128, RangeGap: 1 << 20, RangeMax: 1 << 20}
	}
	return ok
}

// nearArray returns an array of n chunks of 1000 bytes, all of one key, after a read of that key.
func nearArray(t *testing.T, n int) (*engine.Array, *near) {
	t.Helper()
	s := &near{Store: mem.New(), latency: time.Millisecond, buffers: map[*byte]int64{}}
	if _, err := s.Put(t.Context(), "c", make([]byte, 1000), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	st := limit.New(s, limit.Options{Bucket: limit.NewBucket(limit.BucketOptions{Reads: 128, Writes: 128})})
	if _, err := st.Get(t.Context(), "c", store.GetOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	a := arrayOf(t, st, 1000*n, 1000, codec.Bytes(dtype.NoOrder), codec.Spec{Name: "padded"})
	a.Layout.Key = func([]int) string { return "c" }
	return a, s
}

// TestNearServiceTakesFewBuffers checks the bytes of new buffers for 200 chunks. The service is
// near, so 16 requests are in flight. Requests that wait for a slot of the store hold a buffer, and
// only a few do.
func TestNearServiceTakesFewBuffers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, s := nearArray(t, 200)
		succeed(t, a.Read(t.Context(), memory(make([]byte, 200_000)), grid.Whole(a.Layout.Shape)))
		var got int64
		for _, n := range s.buffers {
			got += n
		}
		if want := (16 + 16/4 + 1) * concurrency.Need(1004); got != want || s.most != 16 {
			t.Errorf("%d bytes in %d buffers and %d requests in flight, want %d bytes", got, len(s.buffers), s.most, want)
		}
		free(t, a)
	})
}

// TestNearServiceGetsMoreRequests checks that a long call uses all requests that the store permits,
// whose number grows during the call. Each call takes as long as with 129 slots from the start.
func TestNearServiceGetsMoreRequests(t *testing.T) {
	for _, tt := range []struct {
		name    string
		latency time.Duration // after the first request
		chunks  int
		most    time.Duration
	}{
		{"near", time.Millisecond, 100_000, 1210 * time.Millisecond},
		{"a cache before a cloud", 35 * time.Millisecond, 20_000, 6 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, s := nearArray(t, tt.chunks)
				s.latency = tt.latency
				start := time.Now()
				succeed(t, a.Check(t.Context(), grid.Whole(a.Layout.Shape)))
				if took := time.Since(start); s.most < 128 || took > tt.most {
					t.Errorf("%d requests in flight, %v; want 128 and at most %v", s.most, took, tt.most)
				}
			})
		})
	}
}
