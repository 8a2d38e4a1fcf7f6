package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
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

const (
	kib      = 1 << 10
	shardLen = 4 << 20
	innerLen = 16 * kib
	// small is a budget that is too small to make such a shard in memory. Parts then have 256 KiB.
	small = 2 << 20
)

// sharding returns a codec for shards of shardLen uint8 in inner chunks of innerLen.
func sharding(atStart bool, codecs ...codec.Spec) codec.Spec {
	return codec.Sharding(codec.ShardingOptions{
		Chunk: []int{innerLen}, Codecs: append([]codec.Spec{codec.Bytes(dtype.NoOrder)}, codecs...), AtStart: atStart,
	})
}

func shards(t *testing.T, st store.Store, n int, budget int64, spec codec.Spec) *engine.Array {
	t.Helper()
	axes := grid.Even([]int{shardLen})
	pipe, err := pipeline.New(codec.Builtin(), []codec.Spec{spec}, codec.Repr{Type: dtype.Uint8, Fill: []byte{0}}, axes, pipeline.Options{ChunkLimit: 1 << 30, IndexLimit: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return &engine.Array{
		Store:  st,
		Layout: plan.Layout{Shape: []int{n}, Axes: axes, Key: func(c []int) string { return fmt.Sprint("c/", c[0]) }, Pipe: pipe},
		Options: engine.Options{
			Limits:     &concurrency.Limits{CPU: concurrency.NewCPU(2), Bytes: concurrency.NewBudget(budget)},
			ChunkLimit: 1 << 30,
		},
		State: &engine.State{},
	}
}

// noise returns bytes that do not compress.
func noise(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{byte(n)}).Read(b)
	return b
}

func from(start, n int) grid.Region { return grid.Region{{Start: start, Step: 1, Count: n}} }

func read(t *testing.T, a *engine.Array) []byte {
	t.Helper()
	other := *a
	other.Options.Limits = &concurrency.Limits{CPU: concurrency.NewCPU(2), Bytes: concurrency.NewBudget(1 << 30)}
	a = &other
	b := make([]byte, a.Layout.Shape[0])
	succeed(t, a.Read(t.Context(), memory(b), grid.Whole(a.Layout.Shape)))
	return b
}

func stored(t *testing.T, st store.Store, key string) []byte {
	t.Helper()
	v, err := st.Get(t.Context(), key, store.GetOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v.Bytes
}

// count counts requests by verb.
type count struct {
	mu sync.Mutex
	of map[store.Op]int
}

func (c *count) around(s store.Store) store.Store {
	c.of = map[store.Op]int{}
	return store.Around(s, store.Hooks{After: func(_ context.Context, call store.Call, r store.Result) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.of[call.Op]++
	}})
}

// within checks that no more than the budget was reserved.
func within(t *testing.T, a *engine.Array) {
	t.Helper()
	free(t, a)
	if _, peak := a.Options.Limits.Bytes.Used(); peak > a.Options.Limits.Bytes.Size() {
		t.Errorf("%d bytes were reserved, of %d", peak, a.Options.Limits.Bytes.Size())
	}
}

// TestStreamedAsPacked checks that a shard that is sent in parts has the same bytes as one that is
// made in memory, and stays within the budget.
func TestStreamedAsPacked(t *testing.T) {
	nested := codec.Sharding(codec.ShardingOptions{Chunk: []int{8 * innerLen}, Codecs: []codec.Spec{sharding(false, codec.Zstd(1))}})
	for name, spec := range map[string]codec.Spec{
		"raw": sharding(false), "zstd": sharding(false, codec.Zstd(1)), "index at the start": sharding(true, codec.Zstd(1)), "nested": nested,
	} {
		t.Run(name, func(t *testing.T) {
			var c count
			packed, parted := mem.New(), mem.New()
			n := 2*shardLen - 3*innerLen/2 // the last shard is not full
			want := noise(n)
			clear(want[5*innerLen : 7*innerLen]) // missing
			large, little := shards(t, packed, n, 1<<30, spec), shards(t, c.around(parted), n, small, spec)
			for _, a := range []*engine.Array{large, little} {
				succeed(t, a.Write(t.Context(), memory(want), grid.Whole([]int{n})))
				if got := read(t, a); !bytes.Equal(got, want) {
					t.Error("other values are read than written")
				}
			}
			for _, key := range []string{"c/0", "c/1"} {
				if !bytes.Equal(stored(t, packed, key), stored(t, parted, key)) {
					t.Errorf("%s is stored otherwise in parts", key)
				}
			}
			if c.of[store.OpPut] != 0 || c.of[store.OpBegin] != 2 || c.of[store.OpCommit] != 2 || c.of[store.OpPart] < 30 {
				t.Errorf("%v", c.of)
			}
			within(t, little)
		})
	}
}

// TestStreamedShort checks that a shard that turns out to be short is put by one request, and that
// one that is all fill value is deleted.
func TestStreamedShort(t *testing.T) {
	for _, atStart := range []bool{false, true} {
		var c count
		st := mem.New()
		a := shards(t, c.around(st), shardLen, small, sharding(atStart, codec.Zstd(1)))
		want := bytes.Repeat([]byte{7}, shardLen)
		for range 2 {
			succeed(t, a.Write(t.Context(), memory(want), grid.Whole([]int{shardLen})))
			if got := read(t, a); !bytes.Equal(got, want) {
				t.Error("other values are read than written")
			}
			clear(want)
		}
		if _, err := st.Get(t.Context(), "c/0", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
			t.Error(err)
		}
		if c.of[store.OpPut] != 1 || c.of[store.OpDelete] != 1 || c.of[store.OpBegin] != 0 {
			t.Errorf("%v", c.of)
		}
		within(t, a)
	}
}

// TestStreamedSwap writes part of a large shard within the budget, and checks that other elements
// remain. Their inner chunks are read in stored form, except those that are wholly written.
func TestStreamedSwap(t *testing.T) {
	for _, tt := range []struct {
		name string
		sel  grid.Region
	}{
		{"whole inner chunks", from(8*innerLen, 100*innerLen)},
		{"parts of inner chunks", from(8*innerLen+100, 100*innerLen)},
		{"one element", from(77777, 1)},
		{"every third, backwards", grid.Region{{Start: shardLen - 1, Step: -3, Count: shardLen / 3}}},
	} {
		for name, spec := range map[string]codec.Spec{"end": sharding(false, codec.Zstd(1)), "start": sharding(true, codec.Zstd(1))} {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				var c count
				st := mem.New()
				want := noise(shardLen)
				clear(want[3*innerLen : 9*innerLen]) // missing
				succeed(t, shards(t, st, shardLen, 1<<30, spec).Write(t.Context(), memory(want), grid.Whole([]int{shardLen})))
				a := shards(t, c.around(st), shardLen, small, spec)
				src := noise(tt.sel[0].Count)
				succeed(t, a.Write(t.Context(), memory(src), tt.sel))
				for i, v := range src {
					want[tt.sel[0].Start+i*tt.sel[0].Step] = v
				}
				if got := read(t, a); !bytes.Equal(got, want) {
					t.Error("other values are read than written")
				}
				if c.of[store.OpPart] == 0 || c.of[store.OpPut] != 0 {
					t.Errorf("%v", c.of)
				}
				within(t, a)
			})
		}
	}
}

// TestStreamedSwapAbsent writes part of a shard that is absent.
func TestStreamedSwapAbsent(t *testing.T) {
	a := shards(t, mem.New(), shardLen, small, sharding(false))
	src, want := noise(shardLen-1), make([]byte, shardLen)
	copy(want[1:], src)
	succeed(t, a.Write(t.Context(), memory(src), from(1, shardLen-1)))
	if got := read(t, a); !bytes.Equal(got, want) {
		t.Error("other values are read than written")
	}
	succeed(t, a.Write(t.Context(), memory(make([]byte, shardLen-1)), from(1, shardLen-1)))
	if _, err := a.Store.Get(t.Context(), "c/0", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
		t.Error(err)
	}
	within(t, a)
}

// TestStreamedWriters checks that concurrent writers of parts of one large shard lose no elements.
// Each has its own State, like a process.
func TestStreamedWriters(t *testing.T) {
	st := mem.New()
	want := noise(shardLen)
	succeed(t, shards(t, st, shardLen, 1<<30, sharding(false)).Write(t.Context(), memory(make([]byte, shardLen)), grid.Whole([]int{shardLen})))
	const writers = 6
	err := concurrency.EachN(t.Context(), writers, writers, func(ctx context.Context, i int) error {
		a := shards(t, st, shardLen, small, sharding(false))
		lo, hi := i*shardLen/writers, (i+1)*shardLen/writers
		return a.Write(ctx, memory(want[lo:hi]), from(lo, hi-lo))
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, shards(t, st, shardLen, 1<<30, sharding(false))); !bytes.Equal(got, want) {
		t.Error("a write was lost")
	}
}

// TestOpenShard puts inner chunks in any order, from several goroutines, encoded or not.
func TestOpenShard(t *testing.T) {
	for _, atStart := range []bool{false, true} {
		var c count
		st := mem.New()
		n := shardLen + shardLen/2 + 5
		a := shards(t, c.around(st), n, small, sharding(atStart))
		want := noise(n)
		w, err := a.OpenShard(t.Context(), []int{1}, engine.ShardOptions{Put: store.PutOptions{IfAbsent: true}})
		if err != nil {
			t.Fatal(err)
		}
		const each = 4 * innerLen
		var starts []int
		for at := shardLen; at < n; at += each {
			starts = append(starts, at)
		}
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(starts), func(i, j int) { starts[i], starts[j] = starts[j], starts[i] })
		err = concurrency.EachN(t.Context(), 4, len(starts), func(ctx context.Context, i int) error {
			lo, hi := starts[i], min(starts[i]+each, n)
			if i%3 == 0 && hi-lo == each {
				for at := lo; at < hi; at += innerLen {
					if err := w.PutStored(ctx, []int{(at - shardLen) / innerLen}, want[at:at+innerLen]); err != nil {
						return err
					}
				}
				return nil
			}
			return w.Put(ctx, memory(want[lo:hi]), from(lo, hi-lo))
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := st.Get(t.Context(), "c/1", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
			t.Errorf("it is visible before Commit: %v", err)
		}
		succeed(t, w.Commit(t.Context()))
		if err := w.Abort(t.Context()); err != nil {
			t.Errorf("after Commit: %v", err)
		}
		clear(want[:shardLen])
		if got := read(t, a); !bytes.Equal(got, want) {
			t.Error("other values are read than written")
		}
		if c.of[store.OpPut] != 0 || c.of[store.OpBegin] != 1 {
			t.Errorf("%v", c.of)
		}
		within(t, a)
	}
}

func TestOpenShardRefuses(t *testing.T) {
	a := shards(t, mem.New(), 2*shardLen, small, sharding(false))
	for _, coord := range [][]int{nil, {-1}, {2}, {0, 0}} {
		if _, err := a.OpenShard(t.Context(), coord, engine.ShardOptions{}); !errors.Is(err, fault.Selection) {
			t.Errorf("%v: %v", coord, err)
		}
	}
	if _, err := array(t, mem.New(), 100).OpenShard(t.Context(), []int{0}, engine.ShardOptions{}); !errors.Is(err, fault.Selection) {
		t.Error(err)
	}
	for name, put := range map[string]func(w *engine.ShardWriter) error{
		"another shard": func(w *engine.ShardWriter) error {
			return w.Put(t.Context(), memory(noise(innerLen)), from(shardLen, innerLen))
		},
		"part of an inner chunk": func(w *engine.ShardWriter) error {
			return w.Put(t.Context(), memory(noise(innerLen)), from(1, innerLen))
		},
		"twice": func(w *engine.ShardWriter) error {
			if err := w.PutStored(t.Context(), []int{0}, noise(innerLen)); err != nil {
				t.Error(err)
			}
			return w.Put(t.Context(), memory(noise(innerLen)), from(0, innerLen))
		},
		"outside": func(w *engine.ShardWriter) error { return w.PutStored(t.Context(), []int{shardLen}, noise(1)) },
	} {
		w, err := a.OpenShard(t.Context(), []int{0}, engine.ShardOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := put(w); !errors.Is(err, fault.Selection) {
			t.Errorf("%s: %v", name, err)
		}
		if err := errors.Join(w.Abort(t.Context())); err != nil {
			t.Error(err)
		}
	}
	within(t, a)
}

// TestPutShardsFails refuses one shard of several during PutShards, and checks that the call ends
// and releases its memory.
func TestPutShardsFails(t *testing.T) {
	a := shards(t, mem.New(), 2*shardLen, 64<<20, sharding(false))
	src := noise(2 * innerLen)
	for i := range 4000 {
		w, err := a.OpenShard(t.Context(), []int{i % 2}, engine.ShardOptions{})
		if err != nil {
			t.Fatal(err)
		}
		err = a.PutShards(t.Context(), memory(src), from(shardLen-innerLen, 2*innerLen), func(coord []int) *engine.ShardWriter {
			if coord[0] == i%2 {
				return w
			}
			return nil
		})
		if !errors.Is(err, fault.Selection) {
			t.Fatal(err)
		}
		succeed(t, w.Abort(t.Context()))
	}
	within(t, a)
}

// TestOpenShardConflict checks that the condition is evaluated at the commit, and that the parts
// are removed if it fails.
func TestOpenShardConflict(t *testing.T) {
	for name, large := range map[string]bool{"in parts": true, "one put": false} {
		t.Run(name, func(t *testing.T) {
			var c count
			st := mem.New()
			a := shards(t, c.around(st), shardLen, small, sharding(false))
			n := innerLen
			if large {
				n = shardLen
			}
			var ws [2]*engine.ShardWriter
			for i := range ws {
				w, err := a.OpenShard(t.Context(), []int{0}, engine.ShardOptions{Put: store.PutOptions{IfAbsent: true}})
				if err != nil {
					t.Fatal(err)
				}
				succeed(t, w.Put(t.Context(), memory(noise(n)), from(0, n)))
				ws[i] = w
			}
			if err := ws[0].Commit(t.Context()); err != nil {
				t.Error(err)
			}
			if err := ws[1].Commit(t.Context()); !errors.Is(err, fault.Exists) {
				t.Error(err)
			}
			if large && c.of[store.OpAbort] != 1 {
				t.Errorf("%v", c.of)
			}
			guard := errors.New("not any more")
			w, err := a.OpenShard(t.Context(), []int{0}, engine.ShardOptions{Guard: func(context.Context) error { return guard }})
			if err != nil {
				t.Fatal(err)
			}
			succeed(t, w.Put(t.Context(), memory(make([]byte, n)), from(0, n)))
			if err := w.Commit(t.Context()); !errors.Is(err, guard) {
				t.Error(err)
			}
			if !bytes.Equal(read(t, a)[:n], noise(n)) {
				t.Error("what was written first is not there")
			}
			within(t, a)
		})
	}
}

// TestStreamedCancelled cancels a write in the middle of a shard, and checks that nothing is
// visible and the parts are removed.
func TestStreamedCancelled(t *testing.T) {
	var c count
	st := mem.New()
	ctx, cancel := context.WithCancel(t.Context())
	var parts atomic.Int32
	cut := store.Around(c.around(st), store.Hooks{Before: func(ctx context.Context, call store.Call) (context.Context, error) {
		if call.Op == store.OpPart && parts.Add(1) == 5 {
			cancel()
		}
		return ctx, nil
	}})
	a := shards(t, cut, shardLen, small, sharding(false))
	if err := a.Write(ctx, memory(noise(shardLen)), grid.Whole([]int{shardLen})); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := st.Get(t.Context(), "c/0", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
		t.Error(err)
	}
	if c.of[store.OpAbort] != 1 || c.of[store.OpCommit] != 0 {
		t.Errorf("%v", c.of)
	}
	within(t, a)
}

// TestStreamedFails checks that the error of a part ends the write.
func TestStreamedFails(t *testing.T) {
	for _, op := range []store.Op{store.OpBegin, store.OpPart, store.OpCommit} {
		boom := errors.New("boom")
		var c count
		st := mem.New()
		a := shards(t, store.Around(c.around(st), store.Hooks{Before: func(ctx context.Context, call store.Call) (context.Context, error) {
			if call.Op == op && (op != store.OpPart || call.Part == 7) {
				return ctx, boom
			}
			return ctx, nil
		}}), shardLen, small, sharding(false))
		err := a.Write(t.Context(), memory(noise(shardLen)), grid.Whole([]int{shardLen}))
		if !errors.Is(err, boom) || !strings.Contains(err.Error(), "c/0") {
			t.Errorf("%s: %v", op, err)
		}
		if _, err := st.Get(t.Context(), "c/0", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
			t.Error(err)
		}
		if op != store.OpBegin && c.of[store.OpAbort] != 1 {
			t.Errorf("%s: %v", op, c.of)
		}
		within(t, a)
	}
}

// four is a store that does not support values in parts.
type four struct{ store.Store }

// TestWithoutParts checks that a shard is made in memory if the store does not support parts. A
// ShardWriter then refuses a shard of more than half of the budget.
func TestWithoutParts(t *testing.T) {
	want := noise(shardLen)
	a := shards(t, four{mem.New()}, shardLen, small, sharding(false))
	succeed(t, a.Write(t.Context(), memory(want), grid.Whole([]int{shardLen})))
	succeed(t, a.Write(t.Context(), memory(want[:innerLen]), from(innerLen, innerLen)))
	copy(want[innerLen:], want[:innerLen])
	if got := read(t, a); !bytes.Equal(got, want) {
		t.Error("other values are read than written")
	}
	free(t, a)
	for _, tt := range []struct {
		budget int64
		want   error
	}{{small, fault.Limit}, {3 * shardLen, nil}} {
		a := shards(t, four{mem.New()}, shardLen, tt.budget, sharding(false))
		w, err := a.OpenShard(t.Context(), []int{0}, engine.ShardOptions{})
		if err != nil {
			t.Fatal(err)
		}
		err = w.Put(t.Context(), memory(want), from(0, shardLen))
		if !errors.Is(err, tt.want) || err != nil && !strings.Contains(err.Error(), fmt.Sprint(tt.budget)) {
			t.Error(err)
		}
		if commit := w.Commit(t.Context()); (commit == nil) != (err == nil) {
			t.Error(commit)
		}
		if err == nil && !bytes.Equal(read(t, a), want) {
			t.Error("other values are read than written")
		}
		free(t, a)
	}
}

// later delays each request by a second.
func later(s store.Store) store.Store {
	return store.Around(s, store.Hooks{Before: func(ctx context.Context, _ store.Call) (context.Context, error) {
		return ctx, concurrency.Sleep(ctx, time.Second)
	}})
}

// TestManyShardsOpen checks that shards which one goroutine keeps open block neither each other nor
// other calls on the budget.
func TestManyShardsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const open = 6
		a := shards(t, later(mem.New()), open*shardLen, small, sharding(false))
		want := noise(open * shardLen)
		var ws []*engine.ShardWriter
		for i := range open {
			w, err := a.OpenShard(t.Context(), []int{i}, engine.ShardOptions{})
			if err != nil {
				t.Fatal(err)
			}
			ws = append(ws, w)
		}
		other := shards(t, later(mem.New()), shardLen, small, sharding(false))
		other.Options.Limits = a.Options.Limits
		for step := 0; step < shardLen; step += shardLen / 4 {
			for i, w := range ws {
				lo := i*shardLen + step
				succeed(t, w.Put(t.Context(), memory(want[lo:lo+shardLen/4]), from(lo, shardLen/4)))
			}
			succeed(t, other.Write(t.Context(), memory(want[:shardLen]), from(0, shardLen)))
		}
		err := concurrency.EachN(t.Context(), open, open, func(ctx context.Context, i int) error { return ws[i].Commit(ctx) })
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(read(t, a), want) {
			t.Error("other values are read than written")
		}
		within(t, a)
	})
}

// TestPutsAtOnce checks that concurrent Puts to one shard and other writers, each with its own
// Task, wait for each other only as long as their requests take.
func TestPutsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const open = 3
		a := shards(t, later(mem.New()), (open+1)*shardLen, small, sharding(true))
		want := noise((open + 1) * shardLen)
		err := concurrency.EachN(t.Context(), open+1, open+1, func(ctx context.Context, i int) error {
			if i == open {
				return a.Write(ctx, memory(want[i*shardLen:]), from(i*shardLen, shardLen))
			}
			w, err := a.OpenShard(ctx, []int{i}, engine.ShardOptions{})
			if err != nil {
				return err
			}
			err = concurrency.EachN(ctx, 8, 16, func(ctx context.Context, k int) error {
				lo := i*shardLen + k*shardLen/16
				return w.Put(ctx, memory(want[lo:lo+shardLen/16]), from(lo, shardLen/16))
			})
			if err != nil {
				return err
			}
			return w.Commit(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(read(t, a), want) {
			t.Error("other values are read than written")
		}
		within(t, a)
	})
}
