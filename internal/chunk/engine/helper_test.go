package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/engine"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/internal/chunk/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// padded is a codec whose encoded form is the input, optionally followed by padding of any length.
// It declares that the form is rarely more than four bytes longer than the input. Its encoder adds
// no padding.
type padded struct{}

func (padded) EncodedSize(int64) int64 { return -1 }
func (padded) Typical(n int64) int64   { return n + 4 }
func (padded) Worst(n int64) int64     { return 64 * min(n, math.MaxInt64/64) }

func (padded) Encode(dst, src []byte) ([]byte, error) { return append(dst, src...), nil }

func (padded) Decode(dst, src []byte, limit int) ([]byte, error) {
	if len(src) < limit {
		return dst, fault.Newf(fault.Corrupt, "%d bytes of %d", len(src), limit)
	}
	return append(dst, src[:limit]...), nil
}

// array returns an array of n uint8 in chunks of 16, with its own limits.
func array(t *testing.T, st store.Store, n int) *engine.Array {
	t.Helper()
	return arrayOf(t, st, n, 16, codec.Bytes(dtype.NoOrder), codec.Spec{Name: "padded"})
}

// sharded is array in shards of 32 with inner chunks of 4. Shards are read in parts unless all of
// one is wanted.
func sharded(t *testing.T, st store.Store, n int) *engine.Array {
	t.Helper()
	a := arrayOf(t, st, n, 32, codec.Sharding(codec.ShardingOptions{Chunk: []int{4}, Codecs: []codec.Spec{codec.Bytes(dtype.NoOrder), {Name: "padded"}}}))
	a.Store = inParts{st}
	return a
}

// inParts is a store in which requests are cheaper than reading gaps.
type inParts struct{ store.Store }

// Provide replaces the store's tuning.
func (s inParts) Provide(target any) bool {
	t, ok := target.(*store.Tuning)
	if ok {
		*t = store.Local()
		t.RangeGap, t.RangeMax = 0, 64
	}
	return ok
}

func arrayOf(t *testing.T, st store.Store, n, chunk int, codecs ...codec.Spec) *engine.Array {
	t.Helper()
	table := codec.Builtin().With("padded", func(json.RawMessage, codec.Repr) (any, error) { return padded{}, nil })
	axes := grid.Even([]int{chunk})
	pipe, err := pipeline.New(table, codecs, codec.Repr{Type: dtype.Uint8, Fill: []byte{0}}, axes, pipeline.Options{ChunkLimit: 1 << 20, IndexLimit: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return &engine.Array{
		Store:  st,
		Layout: plan.Layout{Shape: []int{n}, Axes: axes, Key: func(c []int) string { return fmt.Sprint("c/", c[0]) }, Pipe: pipe},
		Options: engine.Options{
			Limits:     &concurrency.Limits{CPU: concurrency.NewCPU(1), Bytes: concurrency.NewBudget(1 << 20)},
			ChunkLimit: 1 << 20,
		},
		State: &engine.State{},
	}
}

func memory(b []byte) pipeline.Memory {
	return pipeline.Memory{Block: codec.Block{Bytes: b}, Shape: []int{len(b)}}
}

// free checks that a call which has ended holds neither memory nor a CPU slot.
func free(t *testing.T, a *engine.Array) {
	t.Helper()
	if now, _ := a.Options.Limits.Bytes.Used(); now != 0 {
		t.Errorf("%d bytes are held", now)
	}
	var slots []*concurrency.Slot
	for range a.Options.Limits.CPU.Slots() {
		s, ok := a.Options.Limits.CPU.Try()
		if !ok {
			t.Error("a CPU slot is held")
			break
		}
		slots = append(slots, s)
	}
	for _, s := range slots {
		s.Release()
	}
}

// requests records the requests to a store.
type requests struct {
	mu   sync.Mutex
	seen []string
}

func (r *requests) record(_ context.Context, e store.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	line := fmt.Sprint(e.Op, " ", e.Key)
	if e.Err != nil {
		line += " failed"
	}
	r.seen = append(r.seen, line)
}

func succeed(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
