package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/limit"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// oneByOne is a store without batches. Each delete takes a second.
type oneByOne struct {
	*mem.Store
	requests int // Requests of its Tuning

	mu      sync.Mutex
	deletes []string
	now     int
	most    int
	fails   func(key string) error
}

func (s *oneByOne) DeleteAll(context.Context, []string) error { return errors.ErrUnsupported }

func (s *oneByOne) Provide(target any) bool {
	t, ok := target.(*store.Tuning)
	if ok {
		*t = store.Local()
		t.Requests = s.requests
	}
	return ok
}

func (s *oneByOne) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	s.mu.Lock()
	s.deletes = append(s.deletes, key)
	s.now++
	s.most = max(s.most, s.now)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.now--
		s.mu.Unlock()
	}()
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.fails != nil {
		if err := s.fails(key); err != nil {
			return err
		}
	}
	return s.Store.Delete(ctx, key, o)
}

func keysOf(t *testing.T, s store.Store, n int) []string {
	t.Helper()
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("c/%03d", i)
		if _, err := s.Put(t.Context(), keys[i], []byte("v"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}

func left(t *testing.T, s store.Store) (n int) {
	t.Helper()
	for _, err := range s.List(t.Context(), "", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// TestDeleteAllAtOnce checks that keys are deleted by one request each, and that at most 64
// requests are in flight and at most the Requests of the store's Tuning.
func TestDeleteAllAtOnce(t *testing.T) {
	for _, c := range []struct{ requests, keys, most, seconds int }{
		{8, 200, 8, 25}, {128, 200, 64, 4}, {1, 3, 1, 3}, {0, 2, 1, 2}, {128, 1, 1, 1},
	} {
		t.Run(fmt.Sprint(c.requests, " requests, ", c.keys, " keys"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &oneByOne{Store: mem.New(), requests: c.requests}
				keys := keysOf(t, s, c.keys)
				start := time.Now()
				if err := store.DeleteAll(t.Context(), s, keys); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took != time.Duration(c.seconds)*time.Second || s.most != c.most {
					t.Errorf("%v with %d at once, want %d s with %d", took, s.most, c.seconds, c.most)
				}
				if len(s.deletes) != c.keys || left(t, s) != 0 {
					t.Errorf("%d deletes of %d keys, %d are left", len(s.deletes), c.keys, left(t, s))
				}
			})
		})
	}
}

// TestDeleteAllLimited checks that DeleteAll does not exceed a lower request limit of the store.
func TestDeleteAllLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &oneByOne{Store: mem.New(), requests: 128}
		l := limit.New(s, limit.Options{InFlight: 3})
		if err := store.DeleteAll(t.Context(), l, keysOf(t, s, 30)); err != nil || s.most != 3 {
			t.Errorf("%d at once, %v", s.most, err)
		}
	})
}

// TestDeleteAllFails checks that no further delete starts after a failure. The error is that of the
// first failed key and has the number of the others.
func TestDeleteAllFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &oneByOne{Store: mem.New(), requests: 4, fails: func(key string) error {
			if key >= "c/008" {
				return &fault.KeyError{Op: "delete", Key: key, Kind: fault.Refused}
			}
			return nil
		}}
		err := store.DeleteAll(t.Context(), s, keysOf(t, s, 100))
		var at *fault.KeyError
		if !errors.Is(err, fault.Refused) || !errors.As(err, &at) || at.Key != "c/008" || !strings.Contains(err.Error(), "3 more of 100 keys") {
			t.Errorf("got %v", err)
		}
		if len(s.deletes) != 12 || left(t, s) != 92 {
			t.Errorf("%d deletes were begun, %d keys are left", len(s.deletes), left(t, s))
		}
	})
}

func TestDeleteAllCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &oneByOne{Store: mem.New(), requests: 4}
		keys := keysOf(t, s, 100)
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		if err := store.DeleteAll(ctx, s, keys); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if len(s.deletes) != 12 || left(t, s) != 92 {
			t.Errorf("%d deletes were begun, %d keys are left", len(s.deletes), left(t, s))
		}
	})
}
