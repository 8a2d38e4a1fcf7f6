package concurrency

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestEachInSharesSlots checks that concurrent calls together run as many tasks as there are slots,
// and that no slot is held after an error.
func TestEachInSharesSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := NewSlots(3)
		begin, tasks := time.Now(), make([]int, 12)
		err := EachN(t.Context(), 4, 4, func(ctx context.Context, _ int) error {
			return EachIn(ctx, slots, slices.Values(tasks), func(context.Context, int) error {
				time.Sleep(time.Second)
				return nil
			})
		})
		if err != nil || slots.Peak() != 3 || slots.Held() != 0 || time.Since(begin) != 16*time.Second {
			t.Errorf("%v, %d at once, %d held, took %v", err, slots.Peak(), slots.Held(), time.Since(begin))
		}
		boom := errors.New("boom")
		err = EachIn(t.Context(), slots, slices.Values(tasks), func(ctx context.Context, _ int) error {
			time.Sleep(time.Second)
			return boom
		})
		if !errors.Is(err, boom) || slots.Held() != 0 {
			t.Errorf("%v, %d held", err, slots.Held())
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err = EachIn(ctx, slots, slices.Values(tasks), func(context.Context, int) error { t.Error("started"); return nil })
		if !errors.Is(err, context.Canceled) || slots.Held() != 0 {
			t.Errorf("%v, %d held", err, slots.Held())
		}
	})
}
