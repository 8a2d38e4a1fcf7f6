package engine_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/engine"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// slow takes a second for each Put.
type slow struct{ store.Store }

func (s slow) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	time.Sleep(time.Second)
	return s.Store.Put(ctx, key, b, o)
}

// TestWaits checks that waits are reported with their duration, and that resources that are
// available immediately are not reported.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var seen []string
		ctx := store.WithTrace(t.Context(), &store.Trace{Wait: func(_ context.Context, w store.Wait) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, fmt.Sprint(w.For, " ", w.Took))
		}})
		a := array(t, slow{mem.New()}, 16)
		limits := a.Options.Limits
		src := make([]byte, 16)
		for i := range src {
			src[i] = byte(i + 1)
		}
		whole := func() error { return a.Write(ctx, memory(src), grid.Whole(a.Layout.Shape)) }
		part := func() error { return a.Write(ctx, memory(src[:3]), grid.Region{{Start: 1, Step: 1, Count: 3}}) }
		for _, tt := range []struct {
			name string
			do   func() error
			want []string
		}{
			{"nothing", whole, nil},
			{"memory", func() error {
				hold, ok := limits.Bytes.AcquireNow(concurrency.Task, limits.Bytes.Size())
				if !ok {
					t.Fatal("the budget is in use")
				}
				time.AfterFunc(2*time.Second, hold.Release)
				return whole()
			}, []string{"bytes 2s"}},
			{"a processor", func() error {
				slot, ok := limits.CPU.Try()
				if !ok {
					t.Fatal("the slot is in use")
				}
				time.AfterFunc(3*time.Second, slot.Release)
				return whole()
			}, []string{"cpu 3s"}},
			{"a key", func() error { return concurrency.EachN(ctx, 2, 2, func(context.Context, int) error { return part() }) }, []string{"key 1s"}},
			{"a wait that is given up", func() error {
				slot, ok := limits.CPU.Try()
				if !ok {
					t.Fatal("the slot is in use")
				}
				defer slot.Release()
				ctx, cancel := context.WithTimeout(ctx, 4*time.Second)
				defer cancel()
				if err := a.Write(ctx, memory(src), grid.Whole(a.Layout.Shape)); err == nil {
					t.Error("written without a processor")
				}
				return nil
			}, []string{"cpu 4s"}},
		} {
			seen = nil
			if err := tt.do(); err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			if !slices.Equal(seen, tt.want) {
				t.Errorf("%s: %q, want %q", tt.name, seen, tt.want)
			}
			free(t, a)
		}
	})
}

// slowGets delays each Get of a key.
type slowGets struct {
	store.Store
	took map[string]time.Duration
}

func (s slowGets) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	time.Sleep(s.took[key])
	return s.Store.Get(ctx, key, o, buf)
}

// TestWaitsForSlots checks that waits for slots of the call are reported, for requests of one shard
// and of others. The call has two slots. The first shard has one for its first read from 1 s on,
// and waits for another until 1.5 s, when the second shard is done. Its third read and the index of
// the third shard then wait, in either order, for the slots that are free at 2 s and at 2.5 s.
func TestWaitsForSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := mem.New()
		a := sharded(t, st, 96)
		succeed(t, a.Write(t.Context(), memory(slices.Repeat([]byte{7}, 96)), grid.Whole(a.Layout.Shape)))
		a.Store = inParts{slowGets{st, map[string]time.Duration{"c/0": time.Second, "c/1": 750 * time.Millisecond, "c/2": time.Second}}}
		a.Options.InFlight = 2
		var mu sync.Mutex
		var seen []time.Duration
		ctx := store.WithTrace(t.Context(), &store.Trace{Wait: func(_ context.Context, w store.Wait) {
			mu.Lock()
			defer mu.Unlock()
			if w.For == store.WaitSlot {
				seen = append(seen, w.Took)
			}
		}})
		// Three inner chunks of the first shard.
		some := grid.Region{{Index: []int{0, 8, 16, 32, 64}, Count: 5}}
		succeed(t, a.Read(ctx, memory(make([]byte, 5)), some))
		slices.Sort(seen)
		if want := []time.Duration{500 * time.Millisecond, 500 * time.Millisecond, time.Second}; !slices.Equal(seen, want) {
			t.Errorf("%v, want %v", seen, want)
		}
		free(t, a)
	})
}

// TestShardsInShards reads a nested shard twice, and checks that the indexes of both depths are
// hits the second time, that the deepest chunks are reported as chunks, and that a missing shard is
// one missing chunk, also within another shard.
func TestShardsInShards(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	add := func(line string) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, line)
	}
	ctx := store.WithTrace(t.Context(), &store.Trace{
		Hit: func(_ context.Context, h store.Hit) { add(fmt.Sprint("hit ", h.Key, " ", h.Bytes)) },
		Chunk: func(_ context.Context, c store.Chunk) {
			add(fmt.Sprint("chunk ", c.Key, c.Coord, " ", c.Encoded, " ", c.Decoded, " ", c.Used, " ", c.Missing))
		},
	})
	inner := codec.Sharding(codec.ShardingOptions{Chunk: []int{8}, Codecs: []codec.Spec{codec.Bytes(dtype.NoOrder), {Name: "padded"}}})
	a := arrayOf(t, inParts{mem.New()}, 256, 128, codec.Sharding(codec.ShardingOptions{Chunk: []int{32}, Codecs: []codec.Spec{inner}}))
	succeed(t, a.Write(t.Context(), memory(slices.Repeat([]byte{7}, 40)), grid.Region{{Step: 1, Count: 40}}))
	a.State = &engine.State{}
	for _, tt := range []struct {
		name    string
		from, n int
		want    []string
	}{
		{"first", 1, 6, []string{"chunk c/0[0] 8 8 6 false"}},
		{"again", 6, 4, []string{"chunk c/0[0] 8 8 2 false", "chunk c/0[1] 8 8 2 false", "hit c/0 68", "hit c/0 68"}},
		{"another within", 39, 2, []string{"chunk c/0[0] 8 8 1 false", "chunk c/0[1] 0 0 0 true", "hit c/0 68"}},
		{"missing within", 64, 64, []string{"chunk c/0[2] 0 0 0 true", "chunk c/0[3] 0 0 0 true", "hit c/0 68"}},
		{"missing", 128, 128, []string{"chunk c/1[1] 0 0 0 true"}},
	} {
		seen = nil
		succeed(t, a.Read(ctx, memory(make([]byte, tt.n)), grid.Region{{Start: tt.from, Step: 1, Count: tt.n}}))
		slices.Sort(seen)
		if !slices.Equal(seen, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, seen, tt.want)
		}
		free(t, a)
	}
}
