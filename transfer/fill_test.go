package transfer_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// chunksAsked counts the requests to a target for chunks, and the listings of chunks.
type chunksAsked struct {
	mu sync.Mutex
	n  map[store.Op]int
}

func (c *chunksAsked) around(st store.Store) store.Store {
	return store.Observe(st, func(_ context.Context, e store.Event) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if strings.HasPrefix(e.Key, "out/c") {
			c.n[e.Op]++
		}
	})
}

func (c *chunksAsked) String() string {
	var all []string
	for _, op := range slices.Sorted(maps.Keys(c.n)) {
		all = append(all, fmt.Sprintf("%d %s", c.n[op], op))
	}
	clear(c.n)
	return strings.Join(all, ", ")
}

// TestAllFill checks the number of requests to the target for chunks and shards that contain only
// the fill value, and are not stored. If a listing proves the target's chunks absent, it is the
// only request. Otherwise the transfer sends a delete for each chunk. Existing chunks of the target
// are deleted in both cases.
func TestAllFill(t *testing.T) {
	const n = 100
	for _, c := range []struct {
		name       string
		shards     []int
		values     []int // chunks with other values
		stale      []int // objects in the target before the run
		incomplete bool
		count      int // number of processes, of which only the first runs; 0 calls RunTask for each task
		want       string
	}{
		{"a new target", nil, nil, nil, false, 1, "1 list"},
		{"some have values", nil, []int{3, 50, 99}, nil, false, 1, "1 list, 3 put"},
		{"some are there", nil, []int{3}, []int{3, 7, 98}, false, 1, "2 delete, 1 list, 1 put"},
		{"shards", []int{4}, []int{3}, []int{0, 24}, false, 1, "2 delete, 1 list, 1 put"},
		{"listings that prove no absence", nil, nil, []int{7}, true, 1, "100 delete"},
		{"one process of ten", nil, nil, nil, false, 10, "1 list"},
		{"one process of twenty", nil, nil, nil, false, 20, "5 get"}, // absent, so no deletes
		{"tasks one by one", nil, nil, []int{7}, false, 0, "100 delete"},
	} {
		src, dst := mem.New(), mem.New()
		a := must(zarr.Create(t.Context(), src, "in", zarr.Spec{Shape: []int{2 * n}, Chunks: []int{2}, DType: dtype.Uint16, Fill: uint16(9)}))
		for _, i := range c.values {
			check(t, zarr.Write(t.Context(), a, []uint16{1, 2}, zarr.Range(2*i, 2*i+2)))
		}
		o := transfer.Options{Source: transfer.Place{Store: "src"}, Target: transfer.Place{Store: "dst", Path: "out"}, Codecs: []codec.Spec{codec.CRC32C()}}
		if c.shards != nil {
			o.Grid = func(*zarr.Array) (chunks, shards []int, err error) { return []int{2}, c.shards, nil }
		}
		p := must(transfer.NewPlan(t.Context(), a, dst, o))
		p.Stages[0].Steps[0].Block = []int{1}
		for _, i := range c.stale {
			must(dst.Put(t.Context(), fmt.Sprintf("out/c/%d", i), []byte("stale"), store.PutOptions{}))
		}
		asked := &chunksAsked{n: map[store.Op]int{}}
		st := (&counted{Store: dst, complete: !c.incomplete}).around()
		opened := map[string]store.Store{"src": src, "dst": asked.around(st)}
		open := func(_ context.Context, name string) (store.Store, error) { return opened[name], nil }
		if c.count == 0 {
			for i := range p.Tasks() {
				check(t, transfer.RunTask(t.Context(), p, i, open))
			}
		} else {
			check(t, transfer.Run(t.Context(), p, open, transfer.RunOptions{Parallel: 1, Count: c.count}))
		}
		if got := asked.String(); got != c.want {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
		if c.count > 1 {
			check(t, transfer.Run(t.Context(), p, open, transfer.RunOptions{Parallel: 1}))
		}
		equal(t, a, must(zarr.OpenArray(t.Context(), dst, "out")))
		if got := len(all(t, dst, "out/c")); got != len(c.values) {
			t.Errorf("%s: %d objects are stored, not %d", c.name, got, len(c.values))
		}
	}
}

// TestStagesOfFill checks a copy through intermediate arrays whose first chunks contain only the
// fill value. The first delete of such a chunk lists the array. Chunks that are put after that
// listing must be found.
func TestStagesOfFill(t *testing.T) {
	dst := mem.New()
	w := newWorld(t, mem.New(), dst)
	a := must(zarr.Create(t.Context(), w.src, "a", zarr.Spec{Shape: []int{1024, 64, 64}, Chunks: []int{1, 64, 64}, DType: dtype.Uint16, Fill: uint16(3)}))
	for i := 700; i < 1024; i += 3 {
		values := make([]uint16, 64*64)
		for k := range values {
			values[k] = uint16(i + k)
		}
		check(t, zarr.Write(t.Context(), a, values, zarr.At(i)))
	}
	p := w.plan(a, series(transfer.Options{}))
	if len(p.Stages) < 3 {
		t.Fatalf("%d stages", len(p.Stages))
	}
	deletes := &chunksAsked{n: map[store.Op]int{}}
	watched := store.Observe((&counted{Store: dst, complete: true}).around(), func(_ context.Context, e store.Event) {
		deletes.mu.Lock()
		defer deletes.mu.Unlock()
		if e.Op == store.OpDelete && strings.Contains(e.Key, "/c/") {
			deletes.n[e.Op]++
		}
	})
	opened := map[string]store.Store{"src": w.src, "dst": watched}
	open := func(_ context.Context, name string) (store.Store, error) { return opened[name], nil }
	check(t, transfer.Run(t.Context(), p, open, transfer.RunOptions{Parallel: 1}))
	if n := deletes.n[store.OpDelete]; n != 0 {
		t.Errorf("%d chunks of new arrays were deleted", n)
	}
	equal(t, a, must(zarr.OpenArray(t.Context(), dst, "")))
}
