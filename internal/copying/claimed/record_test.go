package claimed_test

import (
	"errors"
	"testing"

	"github.com/zargo-io/zargo/internal/copying/claimed"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestRetry changes a record that a rival changes during the first attempts.
func TestRetry(t *testing.T) {
	for _, c := range []struct {
		name                   string
		rivals, attempts, want int
		err                    error
	}{{"no rival", 0, 1, 10, nil}, {"two rivals", 2, 3, 12, nil}, {"a rival in each attempt", 9, 4, 4, fault.Conflict}} {
		r, attempts, sum, text := claimed.Record{Store: mem.New(), Key: "a", Max: 8, Turns: 4}, 0, 0, ""
		_, created := r.Put(t.Context(), 0, store.PutOptions{IfAbsent: true})
		_, twice := r.Put(t.Context(), 0, store.PutOptions{IfAbsent: true})
		err := r.Retry(func() error {
			at, found, err := r.Read(t.Context(), &sum)
			if attempts++; attempts <= c.rivals {
				_, err = r.Put(t.Context(), sum+1, store.PutOptions{IfVersion: at})
			}
			_, lost := r.Put(t.Context(), sum+10, store.PutOptions{IfVersion: at})
			if err != nil || !found {
				t.Error(c.name, err, found)
			}
			return lost
		})
		_, _, bad := r.Read(t.Context(), &text)
		_, _, read := r.Read(t.Context(), &sum)
		if sum != c.want || attempts != c.attempts || !errors.Is(err, c.err) || created != nil || read != nil || !errors.Is(twice, claimed.ErrChanged) || !errors.Is(bad, fault.Metadata) {
			t.Error(c.name, sum, attempts, err, created, read, twice, bad)
		}
	}
}
