package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/engine"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/internal/chunk/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// measured is a store in a cloud with measurements of its requests.
type measured struct{ store.Store }

func (measured) Provide(target any) bool {
	switch t := target.(type) {
	case *store.Measured:
		*t = store.Measured{Latency: 10 * time.Millisecond, Bandwidth: 4e6}
		return true
	case *store.Tuning:
		*t = store.Local()
		t.Requests, t.RangeGap, t.RangeMax = 8, 1<<20, 16<<20
		return true
	}
	return false
}

// recorded records the requests of a call.
type recorded struct {
	mu    sync.Mutex
	lines []string                    // requests in the format of a plan
	of    map[string]map[store.Op]int // number of requests by key
}

func (r *recorded) around(s store.Store) store.Store {
	return store.Around(s, store.Hooks{After: func(_ context.Context, c store.Call, res store.Result) {
		if res.Unsupported {
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.lines = append(r.lines, plan.Request{Op: c.Op, Key: c.Key, Range: c.Range}.String())
		if r.of == nil {
			r.of = map[string]map[store.Op]int{}
		}
		if r.of[c.Key] == nil {
			r.of[c.Key] = map[store.Op]int{}
		}
		r.of[c.Key][c.Op]++
	}})
}

// TestRequestsArePlanned checks that the requests of 300 random reads and writes are within their
// plans, for each object and in sum, and that a read sends the requests that Resolve yields.
func TestRequestsArePlanned(t *testing.T) {
	const inner, shard, length = 4 * kib, 1 << 20, 5<<20 + 1000
	sharding := func(codecs ...codec.Spec) codec.Spec {
		return codec.Sharding(codec.ShardingOptions{Chunk: []int{inner}, Codecs: append([]codec.Spec{codec.Bytes(dtype.NoOrder)}, codecs...)})
	}
	chunks, raw, zstd := codec.Bytes(dtype.NoOrder), sharding(), sharding(codec.Zstd(1))
	for i, kind := range []struct {
		name   string
		spec   codec.Spec
		budget int64
		around func(store.Store) store.Store
		with   func(*engine.Options)
	}{
		{"chunks", chunks, 64 << 20, nil, nil},
		{"shards", raw, 64 << 20, nil, nil},
		{"measured", raw, 64 << 20, func(s store.Store) store.Store { return measured{s} }, nil},
		{"streamed", raw, 768 * kib, nil, nil},
		{"streamed, compressed", zstd, 768 * kib, nil, nil},
		{"streamed, without parts", zstd, 768 * kib, func(s store.Store) store.Store { return fourVerbs{s} }, nil},
		{"guarded", raw, 64 << 20, nil, func(o *engine.Options) { o.Guard = func(context.Context) error { return nil } }},
		{"guarded and streamed", raw, 768 * kib, nil, func(o *engine.Options) { o.Guard = func(context.Context) error { return nil } }},
		{"single writer", raw, 768 * kib, nil, func(o *engine.Options) { o.SingleWriter = true }},
		{"guarded chunks", chunks, 64 << 20, nil, func(o *engine.Options) { o.Guard = func(context.Context) error { return nil } }},
	} {
		t.Run(kind.name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(25, uint64(i)))
			var st store.Store = mem.New()
			if kind.around != nil {
				st = kind.around(st)
			}
			all := make([]byte, length)
			for range 30 {
				pipe, err := pipeline.New(codec.Builtin(), []codec.Spec{kind.spec}, codec.Repr{Type: dtype.Uint8, Fill: []byte{0}}, grid.Even([]int{shard}), pipeline.Options{ChunkLimit: 1 << 30, IndexLimit: 1 << 20})
				if err != nil {
					t.Fatal(err)
				}
				a := shards(t, st, length, kind.budget, kind.spec)
				a.Layout.Axes, a.Layout.Pipe = grid.Even([]int{shard}), pipe
				if kind.with != nil {
					kind.with(&a.Options)
				}
				lo := rnd.IntN(length)
				if rnd.IntN(2) == 0 {
					lo = lo / shard * shard
				}
				n := 1 + rnd.IntN(length-lo)
				b := make([]byte, n)
				if rnd.IntN(4) > 0 {
					b = noise(n)
				}
				sel := from(lo, n)
				var rec recorded
				p := a.Plan(sel, a.WriteOptions())
				a.Store = rec.around(st)
				succeed(t, a.Write(t.Context(), memory(b), sel))
				copy(all[lo:], b)
				rec.inPlan(t, p)

				a.State, a.Options.Guard = &engine.State{}, nil
				step := 1 + rnd.IntN(3*inner)
				strided := grid.Region{{Start: lo, Step: step, Count: (n-1)/step + 1}}
				p = a.Plan(strided, nil)
				var want []string
				for r, err := range a.Resolve(t.Context(), p) {
					if err != nil {
						t.Fatal(err)
					}
					want = append(want, r.String())
				}
				rec = recorded{}
				a.State = &engine.State{}
				got := make([]byte, strided[0].Count)
				succeed(t, a.Read(t.Context(), memory(got), strided))
				for i, v := range got {
					if v != all[lo+i*step] {
						t.Fatalf("%v: element %d is %d", strided, i, v)
					}
				}
				slices.Sort(want)
				slices.Sort(rec.lines)
				if !slices.Equal(rec.lines, want) {
					t.Errorf("%v: sent %q, planned %q", strided, rec.lines, want)
				}
				rec.inPlan(t, p)
				if t.Failed() {
					return
				}
			}
		})
	}
}

// fourVerbs is a store that does not support values in parts.
type fourVerbs struct{ store.Store }

// inPlan checks that the number of requests is within the plan: for each kind of request of each
// object, and in sum. A delete replaces a put.
func (r *recorded) inPlan(t *testing.T, p *plan.Plan) {
	t.Helper()
	planned := map[string]map[store.Op]plan.Span{}
	ranged := map[string]bool{} // read by an index
	for q := range p.Requests() {
		if planned[q.Key] == nil {
			planned[q.Key] = map[store.Op]plan.Span{}
		}
		s, n := planned[q.Key][q.Op], q.Times()
		planned[q.Key][q.Op] = plan.Span{Least: s.Least + n.Least, Most: s.Most + n.Most}
		ranged[q.Key] = ranged[q.Key] || p.Write == nil && q.Role == plan.Index
	}
	var got store.Amount
	for key, of := range r.of {
		for op, n := range of {
			if op == store.OpGet {
				got.Gets += int64(n)
			} else {
				got.Puts += int64(n)
			}
			if op == store.OpDelete {
				op, n = store.OpPut, n+of[store.OpPut]
			}
			if most := planned[key][op].Most; int64(n) > most && !ranged[key] {
				t.Errorf("%v: %d %q of %s, at most %d are planned", p.Select, n, op, key, most)
			}
		}
	}
	for key, of := range planned {
		for op, n := range of {
			// An object that is all fill value is not put.
			if sent := int64(r.of[key][op]); sent < n.Least && op == store.OpGet {
				t.Errorf("%v: %d %q of %s, at least %d are planned", p.Select, sent, op, key, n.Least)
			}
		}
	}
	if least, most := p.Bounds(); got.Gets < least.Gets || got.Gets > most.Gets || got.Puts < least.Puts || got.Puts > most.Puts {
		t.Errorf("%v: %+v, planned are %+v to %+v", p.Select, got, least, most)
	}
}

// TestStreamedIsPlanned checks that the plan of a shard of 8 MiB in a budget of 4 MiB has its
// parts.
func TestStreamedIsPlanned(t *testing.T) {
	var rec recorded
	a := shards(t, rec.around(mem.New()), 8<<20, 4<<20, sharding(false))
	pipe, err := pipeline.New(codec.Builtin(), []codec.Spec{sharding(false)}, codec.Repr{Type: dtype.Uint8, Fill: []byte{0}}, grid.Even([]int{8 << 20}), pipeline.Options{ChunkLimit: 1 << 30, IndexLimit: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	a.Layout.Axes, a.Layout.Pipe = grid.Even([]int{8 << 20}), pipe
	p := a.Plan(grid.Whole(a.Layout.Shape), a.WriteOptions())
	succeed(t, a.Write(t.Context(), memory(noise(8<<20)), grid.Whole(a.Layout.Shape)))
	if len(rec.lines) != 35 {
		t.Errorf("%d requests", len(rec.lines))
	}
	rec.inPlan(t, p)
	if got := p.String(); got != "parts c/0\npart c/0 × 0–33\ncommit c/0\nabort c/0\nput c/0\n" {
		t.Errorf("printed as\n%s", got)
	}
}

// TestProbesArePlanned checks that a guarded write of an existing object reads its version.
func TestProbesArePlanned(t *testing.T) {
	st := mem.New()
	if _, err := st.Put(t.Context(), "c/0", chunk(7, 0), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	var rec recorded
	a := array(t, rec.around(st), 16)
	a.Options.Guard = func(context.Context) error { return nil }
	p := a.Plan(grid.Whole(a.Layout.Shape), a.WriteOptions())
	if err := a.Write(t.Context(), memory(noise(16)), grid.Whole(a.Layout.Shape)); err != nil && !errors.Is(err, fault.Exists) {
		t.Fatal(err)
	}
	if got := fmt.Sprint(rec.lines); got != "[put c/0 get c/0 0+1 put c/0]" {
		t.Error(got)
	}
	rec.inPlan(t, p)
	if got := p.String(); got != "put c/0\nget c/0 0+1\nput c/0\n" {
		t.Errorf("printed as\n%s", got)
	}
}

// TestBudgetOfNothing checks that a shard can be written and changed if the budget has no bytes.
func TestBudgetOfNothing(t *testing.T) {
	a := sharded(t, mem.New(), 32)
	a.Options.Limits.Bytes = concurrency.NewBudget(0)
	ones := slices.Repeat([]byte{1}, 32)
	for _, n := range []int{32, 3} {
		succeed(t, a.Write(t.Context(), memory(ones[:n]), grid.Region{{Start: 0, Step: 1, Count: n}}))
	}
	free(t, a)
}
