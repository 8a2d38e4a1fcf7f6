package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestOneWorker compares the requests of a worker that saves, runs and cleans a plan with those of
// the functions.
func TestOneWorker(t *testing.T) {
	sent := func(copied func(ctx context.Context, p *transfer.Plan, open transfer.Opener, dst store.Store) error) int64 {
		var n atomic.Int64
		dst := mem.New()
		seen := store.Observe(dst, func(context.Context, store.Event) { n.Add(1) })
		w := newWorld(t, mem.New(), seen)
		a := must(forest(t, w.src, 3).OpenArray(t.Context(), "time")) // one task, so one read confirms all markers
		p := w.plan(a, transfer.Options{Target: transfer.Place{Path: "out"}})
		n.Store(0)
		check(t, copied(t.Context(), p, w.open, seen))
		total := n.Load()
		b := must(zarr.OpenArray(t.Context(), dst, "out"))
		if was, is := must(zarr.ReadAs[int64](t.Context(), a)), must(zarr.ReadAs[int64](t.Context(), b)); !slices.Equal(was, is) {
			t.Errorf("the copy has the elements %v", is)
		}
		for e, err := range store.ListAll(t.Context(), dst, "out/__zargo_transfer", store.ListOptions{}) {
			t.Error(e.Key, "remains", err)
		}
		return total
	}
	apart := sent(func(ctx context.Context, p *transfer.Plan, open transfer.Opener, dst store.Store) error {
		check(t, transfer.Save(ctx, dst, p))
		check(t, transfer.Run(ctx, p, open, transfer.RunOptions{}))
		return transfer.Clean(ctx, p, open)
	})
	var o transfer.RunOptions
	one := sent(func(ctx context.Context, p *transfer.Plan, open transfer.Opener, _ store.Store) error {
		w := must(transfer.Start(ctx, p, open, o))
		check(t, w.Save(ctx))
		check(t, w.Run(ctx, o))
		return errors.Join(w.Clean(ctx), w.Close())
	})
	if apart-one < 3 { // the claim twice, and the markers
		t.Errorf("one worker sends %d requests, the functions %d", one, apart)
	}
}

// TestOneWorkerTooLate saves a plan, and continues after another process has run and cleaned it, or
// has only cleaned it. The worker fails, and leaves nothing at the target.
func TestOneWorkerTooLate(t *testing.T) {
	for name, others := range map[string]func(ctx context.Context, p *transfer.Plan, open transfer.Opener) error{
		"run and cleaned": func(ctx context.Context, p *transfer.Plan, open transfer.Opener) error {
			return errors.Join(transfer.Run(ctx, p, open, transfer.RunOptions{}), transfer.Clean(ctx, p, open))
		},
		"cleaned": transfer.Clean,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, mem.New(), mem.New())
			p := w.plan(forest(t, w.src, 3), transfer.Options{Target: transfer.Place{Path: "out"}})
			one := must(transfer.Start(t.Context(), p, w.open, transfer.RunOptions{}))
			check(t, one.Save(t.Context()))
			check(t, others(t.Context(), p, w.open))
			if err := one.Run(t.Context(), transfer.RunOptions{}); !errors.Is(err, fault.Conflict) && !errors.Is(err, fault.Exists) {
				t.Errorf("Run: %v", err)
			}
			check(t, one.Clean(t.Context()))
			for e, err := range store.ListAll(t.Context(), w.dst, "out/__zargo_transfer", store.ListOptions{}) {
				t.Error(e.Key, "remains", err)
			}
		})
	}
}

// TestSaveVacant saves plans whose target had no object when they were made, and has others since.
func TestSaveVacant(t *testing.T) {
	for name, others := range map[string]func(w *world, n zarr.Node){
		"another plan": func(w *world, n zarr.Node) {
			p := w.plan(n, transfer.Options{Target: transfer.Place{Path: "out"}, Memory: 1 << 28})
			check(w.t, transfer.Save(w.t.Context(), w.dst, p))
		},
		"a copy": func(w *world, n zarr.Node) {
			p := w.plan(n, transfer.Options{Target: transfer.Place{Path: "out"}})
			w.run(p)
			check(w.t, transfer.Clean(w.t.Context(), p, w.open))
		},
		"a node": func(w *world, _ zarr.Node) {
			must(zarr.CreateGroup(w.t.Context(), w.dst, "out", zarr.Spec{Format: 2}))
		},
	} {
		for _, conditional := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/%v", name, conditional), func(t *testing.T) {
				w := newWorld(t, mem.New(), mem.New())
				n := forest(t, w.src, 3)
				target := w.dst
				if !conditional {
					target = plainPuts{store.Forward{Store: w.dst}}
				}
				p := must(transfer.NewPlan(t.Context(), n, target, transfer.Options{Source: transfer.Place{Store: "src"}, Target: transfer.Place{Store: "dst", Path: "out"}}))
				others(w, n)
				before := keys(t, w.dst)
				if err := transfer.Save(t.Context(), target, p); !errors.Is(err, fault.Exists) {
					t.Errorf("Save: %v", err)
				}
				if after := keys(t, w.dst); conditional && !slices.Equal(before, after) {
					t.Errorf("the target had %q and has %q", before, after)
				}
			})
		}
	}
}

// plainPuts is a store without conditional puts.
type plainPuts struct{ store.Forward }

func (p plainPuts) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	if o != (store.PutOptions{}) {
		return "", errors.ErrUnsupported
	}
	return p.Store.Put(ctx, key, value, o)
}

// keys returns the keys of a store and their versions.
func keys(t *testing.T, st store.Store) (all []string) {
	t.Helper()
	for e, err := range store.ListAll(t.Context(), st, "", store.ListOptions{}) {
		check(t, err)
		all = append(all, e.Key+" "+string(e.Version))
	}
	return all
}
