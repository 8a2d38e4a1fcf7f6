package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// renewed creates a store with an empty array "a".
func renewed(t *testing.T, format int) store.Store {
	t.Helper()
	st := mem.New()
	succeed(t, second(zarr.Create(t.Context(), st, "a", zarr.Spec{Format: format, Shape: []int{0}, Chunks: []int{4}, DType: dtype.Int8, Codecs: []codec.Spec{}})))
	return st
}

func reopened(t *testing.T, st store.Store) *zarr.Array {
	t.Helper()
	// Limits of the process belong to no bubble.
	own := &concurrency.Limits{CPU: concurrency.NewCPU(2), Bytes: concurrency.NewBudget(1 << 20)}
	a := mustOpen(t, st, "a", zarr.Limit(zarr.Limits{Shared: own}))
	return a
}

// TestRenewal checks that a claim is renewed while its append lives, however slow it is, so that no
// other append takes it over. Two minutes after the process has died, the next append does.
func TestRenewal(t *testing.T) {
	over := zarr.AppendOptions{TakeOver: 2 * time.Minute}
	for _, format := range []int{2, 3} {
		synctest.Test(t, func(t *testing.T) { // alive and slow
			st := renewed(t, format)
			done := make(chan error, 1)
			go func() {
				_, err := reopened(t, st).AppendFunc(t.Context(), 0, 2, func(ctx context.Context, view *zarr.Array, from int) error {
					time.Sleep(3 * time.Hour)
					return zarr.Write(ctx, view, []int8{1, 2}, zarr.Range(from, zarr.End))
				}, zarr.AppendOptions{})
				done <- err
			}()
			for range 10 {
				time.Sleep(10 * time.Minute)
				_, err := zarr.Append(t.Context(), reopened(t, st), 0, []int8{9}, over)
				if !errors.Is(err, zarr.ErrConflict) || !strings.Contains(err.Error(), "last renewed") {
					t.Errorf("v%d: %v", format, err)
				}
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
			if v, err := zarr.Read[int8](t.Context(), reopened(t, st)); err != nil || !slices.Equal(v, []int8{1, 2}) {
				t.Errorf("%v, %v", v, err)
			}
		})
		synctest.Test(t, func(t *testing.T) { // dead, or paused and late
			st := renewed(t, format)
			var paused atomic.Bool
			wake := make(chan struct{})
			slow := store.Around(st, store.Hooks{Before: func(ctx context.Context, _ store.Call) (context.Context, error) {
				if paused.Load() {
					<-wake
				}
				return ctx, nil
			}})
			done := make(chan error, 1)
			go func() {
				_, err := reopened(t, slow).AppendFunc(t.Context(), 0, 2, func(ctx context.Context, view *zarr.Array, from int) error {
					paused.Store(true)
					return zarr.Write(ctx, view, []int8{1, 2}, zarr.Range(from, zarr.End))
				}, zarr.AppendOptions{})
				done <- err
			}()
			time.Sleep(time.Minute)
			if _, err := zarr.Append(t.Context(), reopened(t, st), 0, []int8{9}, over); !errors.Is(err, zarr.ErrConflict) {
				t.Errorf("v%d: after a minute: %v", format, err)
			}
			time.Sleep(time.Minute)
			if _, err := zarr.Append(t.Context(), reopened(t, st), 0, []int8{7, 8, 9}, over); err != nil {
				t.Errorf("v%d: after two minutes: %v", format, err)
			}
			paused.Store(false)
			close(wake)
			if err := <-done; !errors.Is(err, zarr.ErrConflict) {
				t.Errorf("v%d: the late owner returns %v", format, err)
			}
			if v, err := zarr.Read[int8](t.Context(), reopened(t, st)); err != nil || !slices.Equal(v, []int8{7, 8, 9}) {
				t.Errorf("v%d: %v, %v", format, v, err)
			}
		})
		synctest.Test(t, func(t *testing.T) { // an idle Writer, while others set attributes
			st := renewed(t, format)
			w, err := zarr.NewWriter[int8](t.Context(), reopened(t, st), 0, zarr.AppendOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range 20 {
				time.Sleep(time.Minute)
				succeed(t, w.Write(t.Context(), []int8{int8(i)}))
				if i%5 == 0 {
					_, err := reopened(t, st).SetAttrs(t.Context(), map[string]any{"i": i})
					if err != nil {
						t.Error(err)
					}
				}
				if _, err := zarr.Append(t.Context(), reopened(t, st), 0, []int8{9}, over); !errors.Is(err, zarr.ErrConflict) {
					t.Errorf("v%d: %v", format, err)
				}
			}
			if _, err := w.Close(t.Context()); err != nil {
				t.Error(err)
			}
			if n := reopened(t, st).Shape()[0]; n != 20 {
				t.Errorf("v%d: %d rows", format, n)
			}
		})
	}
}

// TestRemainingClaim fills the disk during an append. The error names the claim and how to end it,
// and the next append replaces it.
func TestRemainingClaim(t *testing.T) {
	full := errors.New("no space left on device")
	synctest.Test(t, func(t *testing.T) {
		st := renewed(t, 3)
		isFull := false
		disk := store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
			if isFull && c.Op == "put" {
				return ctx, full
			}
			return ctx, nil
		}})
		_, err := reopened(t, disk).AppendFunc(t.Context(), 0, 2, func(ctx context.Context, view *zarr.Array, from int) error {
			isFull = true
			return zarr.Write(ctx, view, []int8{1, 2}, zarr.Range(from, zarr.End))
		}, zarr.AppendOptions{})
		if !errors.Is(err, full) || !strings.Contains(err.Error(), "an append of axis 0 from 0 to 2") || !strings.Contains(err.Error(), "--take-over") {
			t.Errorf("got %v", err)
		}
		isFull = false
		time.Sleep(2 * time.Minute)
		if _, err := zarr.Append(t.Context(), reopened(t, st), 0, []int8{7}, zarr.AppendOptions{TakeOver: 2 * time.Minute}); err != nil {
			t.Error(err)
		}
	})
}

// TestAttrsMeetRenewal renews the claim of an append between the read and the put of SetAttrs. The
// attributes are stored, and the append ends.
func TestAttrsMeetRenewal(t *testing.T) {
	for _, format := range []int{2, 3} {
		synctest.Test(t, func(t *testing.T) {
			st := renewed(t, format)
			done := make(chan error, 1)
			go func() {
				_, err := reopened(t, st).AppendFunc(t.Context(), 0, 1, func(ctx context.Context, view *zarr.Array, from int) error {
					time.Sleep(3 * time.Minute)
					return zarr.Write(ctx, view, []int8{1}, zarr.Range(from, zarr.End))
				}, zarr.AppendOptions{})
				done <- err
			}()
			time.Sleep(time.Minute + time.Second)
			a := reopened(t, st)
			time.Sleep(time.Minute) // two renewals
			if _, err := a.SetAttrs(t.Context(), map[string]any{"i": 1}); err != nil {
				t.Errorf("v%d: %v", format, err)
			}
			if _, err := a.SetAttrs(t.Context(), map[string]any{"i": 2}); !errors.Is(err, zarr.ErrConflict) {
				t.Errorf("v%d: after another change: %v", format, err)
			}
			if err := <-done; err != nil {
				t.Errorf("v%d: %v", format, err)
			}
			if a := reopened(t, st); fmt.Sprint(a.Attrs()["i"]) != "1" || a.Shape()[0] != 1 {
				t.Errorf("v%d: %v %v", format, a.Attrs(), a.Shape())
			}
		})
	}
}
