package transfer_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zargo-io/zargo/internal/copying/rehearsal"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestPlanRequests rehearses copies between two stores, and checks that the requests of the copy
// are within the bounds of the rehearsal and of Plan.Requests, and that neither changes the target.
func TestPlanRequests(t *testing.T) {
	for name, tt := range map[string]struct {
		stored int // of 60 chunks
		o      transfer.Options
	}{
		"as stored":        {60, transfer.Options{}},
		"without listings": {59, transfer.Options{}},
		"sparse":           {7, transfer.Options{}},
		"empty":            {0, transfer.Options{}},
		"to other codecs":  {60, transfer.Options{Codecs: []codec.Spec{codec.Gzip(1)}}},
		"sparse to shards": {40, transfer.Options{Grid: func(*zarr.Array) ([]int, []int, error) { return []int{3}, []int{30}, nil }}},
		"a part":           {60, transfer.Options{Ranges: func(*zarr.Array) ([][2]int, error) { return [][2]int{{11, 77}}, nil }}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, dst := t.Context(), mem.New()
			var src store.Store = mem.New()
			if name == "without listings" {
				src = store.Around(src, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
					if c.Op == store.OpList {
						return ctx, zarr.ErrRefused
					}
					return ctx, nil
				}})
			}
			a, err := zarr.Create(ctx, src, "a", zarr.Spec{Shape: []int{120}, Chunks: []int{2}, DType: dtype.Int8, Codecs: []codec.Spec{}})
			if err != nil {
				t.Fatal(err)
			}
			for i := range tt.stored {
				if _, err := src.Put(ctx, fmt.Sprintf("a/c/%d", i), []byte{byte(i % 3), 0}, store.PutOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			o := tt.o
			o.Source, o.Target = transfer.Place{Store: "src"}, transfer.Place{Store: "dst", Path: "b"}
			p, err := transfer.NewPlan(ctx, a, nil, o)
			if err != nil {
				t.Fatal(err)
			}
			tasks, err := p.Requests(ctx, opener(src, dst))
			if err != nil {
				t.Fatal(err)
			}
			dry := run(t, p, rehearsal.New(src), rehearsal.New(dst), transfer.RunOptions{Rehearse: true})
			for e, err := range dst.List(ctx, "", store.ListOptions{}) {
				t.Errorf("the rehearsal stored %s: %v", e.Key, err)
			}
			got := run(t, p, src, dst, transfer.RunOptions{})
			least, most := dry, dry
			for _, b := range []transfer.Bounds{tasks.Objects, tasks.Markers, tasks.Clean} {
				least, most = least.Add(b.Least), most.Add(b.Most)
			}
			if over := most.Sub(got); over.Gets < 0 || over.Puts < 0 || over.Lists < 0 || over.BytesRead < 0 || over.BytesWritten < 0 {
				t.Errorf("%+v, planned at most %+v", got, most)
			}
			if under := got.Sub(least); under.Gets < 0 || under.Puts < 0 || under.Lists < 0 || under.BytesRead < 0 || under.BytesWritten < 0 {
				t.Errorf("%+v, planned at least %+v", got, least)
			}
		})
	}
}

func opener(src, dst store.Store) transfer.Opener {
	return func(_ context.Context, name string) (store.Store, error) {
		return map[string]store.Store{"src": src, "dst": dst}[name], nil
	}
}

// run runs a plan and cleans the target, and returns the requests.
func run(t *testing.T, p *transfer.Plan, src, dst store.Store, o transfer.RunOptions) store.Amount {
	t.Helper()
	var report zarr.Report
	count := zarr.WithReport(&report)
	src, _ = count.Count(src)
	dst, _ = count.Count(dst)
	err := transfer.Run(t.Context(), p, opener(src, dst), o)
	if err == nil {
		err = transfer.Clean(t.Context(), p, opener(src, dst))
	}
	if err != nil {
		t.Fatal(err)
	}
	return report.Amount()
}

// TestRehearsalOfManyTasks checks that the time of a rehearsal does not depend on the number of
// tasks.
func TestRehearsalOfManyTasks(t *testing.T) {
	ctx, src := t.Context(), mem.New()
	a, err := zarr.Create(ctx, src, "a", zarr.Spec{Shape: []int{1_000_000_000}, Chunks: []int{1}, DType: dtype.Int8})
	if err != nil {
		t.Fatal(err)
	}
	p, err := transfer.NewPlan(ctx, a, nil, transfer.Options{Source: transfer.Place{Store: "src"}, Target: transfer.Place{Store: "dst", Path: "b"}})
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	dst := mem.New()
	tasks, err := p.Requests(ctx, opener(src, dst))
	if err != nil {
		t.Fatal(err)
	}
	run(t, p, rehearsal.New(src), rehearsal.New(dst), transfer.RunOptions{Rehearse: true})
	if took := time.Since(begun); took > 5*time.Second || tasks.Objects.Most.Gets < 1_000_000_000 || tasks.Markers.Most.Puts < 20_000_000 || tasks.Objects.Least.Gets != 0 {
		t.Errorf("%v, %+v", took, tasks)
	}
}

// TestReport checks that a Report has every request of a plan and of its run, once.
func TestReport(t *testing.T) {
	ctx := t.Context()
	w := newWorld(t, mem.New(), mem.New())
	g := must(zarr.CreateGroup(ctx, w.src, "in", zarr.Spec{}))
	check(t, zarr.Write(ctx, must(g.CreateArray(ctx, "a", zarr.Spec{Shape: []int{4}, Chunks: []int{1}, DType: dtype.Int8})), []int8{1, 2, 3, 4}))
	var sent atomic.Int64
	counted := func(st store.Store) store.Store {
		return store.Around(st, store.Hooks{After: func(_ context.Context, _ store.Call, r store.Result) {
			if !r.Unsupported {
				sent.Add(1)
			}
		}})
	}
	for _, grid := range []int{1, 2} { // copied as stored, and rechunked
		sent.Store(0)
		var r zarr.Report
		opts := []zarr.Option{zarr.WithReport(&r)}
		src, dst := counted(w.src), counted(w.dst)
		p := must(transfer.NewPlanAt(ctx, src, "in", dst, transfer.Options{
			Source: transfer.Place{Store: "src"}, Target: transfer.Place{Store: "dst", Path: string(rune('0' + grid))}, Zarr: opts,
			Grid: func(*zarr.Array) (chunks, shards []int, err error) { return []int{grid}, nil, nil },
		}))
		open := func(_ context.Context, name string) (store.Store, error) {
			return map[string]store.Store{"src": src, "dst": dst}[name], nil
		}
		check(t, transfer.Run(ctx, p, open, transfer.RunOptions{Zarr: opts}))
		all := r.Gets.Load() + r.Puts.Load() + r.Deletes.Load() + r.Lists.Load() + r.Parts.Load() + r.Copies.Load()
		if all != sent.Load() || all == 0 {
			t.Errorf("chunks of %d: %d requests, reported %v", grid, sent.Load(), &r)
		}
	}
}
