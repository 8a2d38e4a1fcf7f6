package store_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/limit"
)

// provided is a bucket with a provider's Tuning. Each request takes 30 ms.
type provided struct {
	ordered
	batch     int
	divided   bool
	deletes   int
	gone      int
	deleteNow int
	deleteMax int
}

func (s *provided) Provide(target any) bool {
	switch t := target.(type) {
	case *store.Listings:
		t.Ordered = s.divided
	case *store.Tuning:
		*t = store.Tuning{Requests: 128, ListFanout: 32, DeleteBatch: s.batch}
	default:
		return false
	}
	return true
}

func (s *provided) DeleteAll(ctx context.Context, keys []string) error {
	if s.batch < 2 {
		return errors.ErrUnsupported
	}
	return s.delete(ctx, len(keys))
}

func (s *provided) Delete(ctx context.Context, _ string, _ store.DeleteOptions) error {
	return s.delete(ctx, 1)
}

func (s *provided) delete(_ context.Context, keys int) error {
	s.mu.Lock()
	s.deletes++
	s.gone += keys
	s.deleteNow++
	s.deleteMax = max(s.deleteMax, s.deleteNow)
	s.mu.Unlock()
	time.Sleep(30 * time.Millisecond)
	s.mu.Lock()
	s.deleteNow--
	s.mu.Unlock()
	return nil
}

// TestDeleteBelowAtScale checks that 100,000 keys are listed and deleted in less than a minute at
// 30 ms per request, with the Tuning and limits of each provider.
func TestDeleteBelowAtScale(t *testing.T) {
	keys := grid("c/", "/", 100, 1000)
	for _, c := range []struct {
		name          string
		batch, page   int
		divided       bool
		numbers       limit.BucketOptions
		deletes, most int
		longest       time.Duration
	}{
		{"S3", 1000, 1000, true, limit.BucketOptions{Reads: 128, Writes: 128}, 100, 4, 2 * time.Second},
		{"another S3", 1000, 1000, false, limit.BucketOptions{Reads: 128, Writes: 128}, 100, 4, 4 * time.Second},
		{"GCS", 100, 1000, true, limit.BucketOptions{Reads: 128, Writes: 32, ReadRate: 5000, WriteRate: 1000}, 1000, 16, 3 * time.Second},
		{"Azure", 256, 5000, false, limit.BucketOptions{Reads: 128, Writes: 128}, 391, 16, 2 * time.Second},
		{"no batches", 1, 1000, true, limit.BucketOptions{Reads: 128, Writes: 128}, 100_000, 64, 48 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &provided{ordered: ordered{keys: keys, page: c.page, took: 30 * time.Millisecond}, batch: c.batch, divided: c.divided}
				start := time.Now()
				if err := store.DeleteBelow(t.Context(), limit.New(s, limit.Options{Bucket: limit.NewBucket(c.numbers)}), ""); err != nil {
					t.Fatal(err)
				}
				took := time.Since(start)
				t.Logf("%v: %d listings, %d deletes, %d at once", took, s.requests, s.deletes, s.deleteMax)
				if s.gone != len(keys) || s.deletes != c.deletes || s.deleteMax > c.most || took > c.longest {
					t.Errorf("%d keys by %d requests, %d at once, in %v; want %d, %d, %v", s.gone, s.deletes, s.deleteMax, took, c.deletes, c.most, c.longest)
				}
			})
		})
	}
}
