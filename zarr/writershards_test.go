package zarr_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// largeShards are arrays with shards of 4 MiB, two of them side by side, in inner chunks of 4 rows.
// If memory is tight, the shards are streamed.
var largeShards = []struct {
	name string
	axis int
	spec zarr.Spec
}{
	{"rows", 0, zarr.Spec{Shape: []int{0, 1 << 17}, Chunks: []int{4, 1 << 14}, Shards: []int{64, 1 << 16}}},
	{"columns", 1, zarr.Spec{Shape: []int{1 << 17, 0}, Chunks: []int{1 << 14, 4}, Shards: []int{1 << 16, 64}}},
	{"begun", 0, zarr.Spec{Shape: []int{9, 3 << 15}, Chunks: []int{4, 1 << 14}, Shards: []int{64, 1 << 16}}},
}

// tight returns limits that are too small to encode a shard of largeShards in memory. Parts have
// 384 KiB.
func tight() (*concurrency.Limits, zarr.Option) {
	l := &concurrency.Limits{CPU: concurrency.NewCPU(2), Bytes: concurrency.NewBudget(8 << 20)}
	return l, zarr.Limit(zarr.Limits{Shared: l})
}

// calls counts the requests of a store.
type calls struct{ parts, begun, commits, aborts atomic.Int64 }

func (c *calls) around(st store.Store) store.Store {
	return store.Around(st, store.Hooks{After: func(_ context.Context, call store.Call, r store.Result) {
		switch {
		case call.Op == store.OpPart:
			c.parts.Add(1)
		case call.Op == store.OpBegin && r.Err == nil:
			c.begun.Add(1)
		case call.Op == store.OpCommit && r.Err == nil:
			c.commits.Add(1)
		case call.Op == store.OpAbort:
			c.aborts.Add(1)
		}
	}})
}

// TestWriterStreams appends a few rows at a time and flushes some of them. It checks that shards
// are sent in parts within their memory, and that all rows are stored.
func TestWriterStreams(t *testing.T) {
	seeds := uint64(4)
	if race.Enabled {
		seeds = 1
	}
	for _, tt := range largeShards {
		t.Run(tt.name, func(t *testing.T) {
			for seed := range seeds {
				r := rand.New(rand.NewPCG(seed, 5))
				var c calls
				st := c.around(mem.New())
				limits, tight := tight()
				spec := tt.spec
				spec.DType, spec.Codecs = dtype.Uint8, []codec.Spec{}
				a := mustCreate(t, st, "a", spec, tight)
				want := newRows(spec.Shape, tt.axis)
				succeed(t, zarr.Write(t.Context(), a, want.add(r, spec.Shape[tt.axis])))
				for range 2 {
					w, err := zarr.NewWriter[uint8](t.Context(), a, tt.axis, zarr.AppendOptions{})
					if err != nil {
						t.Fatal(err)
					}
					for until := w.Next() + 70 + r.IntN(60); w.Next() < until; {
						succeed(t, w.Write(t.Context(), want.add(r, 1+r.IntN(9))))
						if w.Next() != want.n {
							t.Fatalf("the next row is %d, want %d", w.Next(), want.n)
						}
						if r.IntN(12) == 0 {
							succeed(t, w.Flush(t.Context()))
							if n := onStore(t, a, st).Shape()[tt.axis]; n != want.n {
								t.Fatalf("%d rows are readable of %d", n, want.n)
							}
							want.check(t, onStore(t, a, st))
						}
					}
					if a, err = w.Close(t.Context()); err != nil {
						t.Fatal(err)
					}
					want.check(t, a)
				}
				if c.parts.Load() < 20 || c.commits.Load() < 4 || c.begun.Load() != c.commits.Load() {
					t.Errorf("%d values in parts, %d parts, %d commits", c.begun.Load(), c.parts.Load(), c.commits.Load())
				}
				if used, peak := limits.Bytes.Used(); used != 0 || peak > limits.Bytes.Size() {
					t.Errorf("%d bytes are reserved, %d at most", used, peak)
				}
				if n := claims(t, st); n != 0 {
					t.Errorf("%d claims are left", n)
				}
			}
		})
	}
}

// rows are the rows of an array of uint8 with two axes.
type rows struct {
	axis, n, width int
	of             [][]byte
}

func newRows(shape []int, axis int) *rows { return &rows{axis: axis, width: shape[1-axis]} }

// add adds n rows and returns them in C order.
func (w *rows) add(r *rand.Rand, n int) []byte {
	some := make([][]byte, n)
	for i := range some {
		some[i] = make([]byte, w.width)
		if r.IntN(5) > 0 {
			_, _ = rand.NewChaCha8([32]byte{byte(r.Uint32()), byte(r.Uint32()), byte(w.n + i)}).Read(some[i])
		}
	}
	w.of, w.n = append(w.of, some...), w.n+n
	return w.block(some)
}

func (w *rows) block(some [][]byte) []byte {
	if w.axis == 0 {
		return bytes.Join(some, nil)
	}
	out := make([]byte, 0, len(some)*w.width)
	for k := range w.width {
		for _, row := range some {
			out = append(out, row[k])
		}
	}
	return out
}

// check compares the visible rows.
func (w *rows) check(t *testing.T, a *zarr.Array) {
	t.Helper()
	got := mustRead[uint8](t, a)
	if !bytes.Equal(got, w.block(w.of[:a.Shape()[w.axis]])) {
		t.Fatal("other values are read than written")
	}
}

// TestWriterStreamsOnce checks that without a flush each large shard is sent once, in parts, after
// one request for its old version, and that the document is put once for each row of shards.
func TestWriterStreamsOnce(t *testing.T) {
	spec := largeShards[0].spec
	spec.DType, spec.Codecs = dtype.Uint8, []codec.Spec{}
	var c calls
	_, tight := tight()
	var report zarr.Report
	a := mustCreate(t, c.around(mem.New()), "a", spec, tight, zarr.WithReport(&report))
	before := report.BytesWritten.Load()
	want := newRows(spec.Shape, 0)
	r := rand.New(rand.NewPCG(1, 1))
	w, err := zarr.NewWriter[uint8](t.Context(), a, 0, zarr.AppendOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for range 128 {
		succeed(t, w.Write(t.Context(), want.add(r, 1)))
	}
	if a, err = w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c.commits.Load() != 4 || report.Rewritten.Load() != 0 {
		t.Errorf("%d shards were sent, %d of them again", c.commits.Load(), report.Rewritten.Load())
	}
	if n := report.BytesWritten.Load() - before; n > 128<<17*101/100 {
		t.Errorf("%d bytes were written for %d", n, 128<<17)
	}
	want.check(t, a)
}

// TestWriterStreamsBesideOthers checks that writes of another process to flushed rows are not lost
// when their chunks and shards become full.
func TestWriterStreamsBesideOthers(t *testing.T) {
	for _, flushed := range []int{8, 10} { // between inner chunks, and within one
		t.Run(fmt.Sprint(flushed), func(t *testing.T) {
			spec := largeShards[0].spec
			spec.DType, spec.Codecs = dtype.Uint8, []codec.Spec{}
			st := mem.New()
			_, tight := tight()
			a := mustCreate(t, st, "a", spec, tight)
			want := newRows(spec.Shape, 0)
			r := rand.New(rand.NewPCG(2, 2))
			w, err := zarr.NewWriter[uint8](t.Context(), a, 0, zarr.AppendOptions{})
			if err == nil {
				err = w.Write(t.Context(), want.add(r, flushed))
			}
			if err == nil {
				err = w.Flush(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range []int{0, flushed - 1} {
				succeed(t, zarr.Write(t.Context(), onStore(t, a, st), []uint8{77}, zarr.At(row), zarr.At(5)))
				want.of[row][5] = 77
			}
			succeed(t, w.Write(t.Context(), want.add(r, 64)))
			if a, err = w.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			want.check(t, a)
		})
	}
}

// TestWriterStreamsAndFails fails a request in the middle of a shard, and checks that none of its
// rows are visible, that its parts are removed, and that flushed rows remain visible.
func TestWriterStreamsAndFails(t *testing.T) {
	spec := largeShards[0].spec
	spec.DType, spec.Codecs = dtype.Uint8, []codec.Spec{}
	for op, n := range map[store.Op]int64{store.OpBegin: 3, store.OpPart: 30, store.OpCommit: 3} {
		t.Run(string(op), func(t *testing.T) {
			boom := errors.New("boom")
			var c calls
			var seen atomic.Int64
			inner := mem.New()
			st := store.Around(c.around(inner), store.Hooks{Before: func(ctx context.Context, call store.Call) (context.Context, error) {
				if call.Op == op && seen.Add(1) == n {
					return ctx, boom
				}
				return ctx, nil
			}})
			limits, tight := tight()
			a := mustCreate(t, st, "a", spec, tight)
			want := newRows(spec.Shape, 0)
			r := rand.New(rand.NewPCG(3, 3))
			w, err := zarr.NewWriter[uint8](t.Context(), a, 0, zarr.AppendOptions{})
			for i := 0; err == nil && i < 32; i++ {
				err = w.Write(t.Context(), want.add(r, 4))
			}
			if !errors.Is(err, boom) {
				t.Fatal(err)
			}
			if _, err := w.Close(t.Context()); !errors.Is(err, boom) {
				t.Errorf("Close: %v", err)
			}
			seenNow := onStore(t, a, inner)
			if n := seenNow.Shape()[0]; n != 64 {
				t.Fatalf("%d rows are readable, want 64", n)
			}
			want.check(t, seenNow)
			if c.begun.Load() != c.commits.Load()+c.aborts.Load() {
				t.Errorf("of %d values in parts %d were committed and %d removed", c.begun.Load(), c.commits.Load(), c.aborts.Load())
			}
			if used, _ := limits.Bytes.Used(); used != 0 {
				t.Errorf("%d bytes are reserved", used)
			}
			next, err := zarr.NewWriter[uint8](t.Context(), seenNow, 0, zarr.AppendOptions{})
			if err != nil {
				t.Fatal(err)
			}
			want.of, want.n = want.of[:64], 64
			succeed(t, next.Write(t.Context(), want.add(r, 5)))
			if a, err = next.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			want.check(t, a)
		})
	}
}

// TestWriterStreamsAfterConflict lets another process write flushed rows of a shard while they are
// copied into the full shard. It checks that these writes are kept, and that the Writer fails.
func TestWriterStreamsAfterConflict(t *testing.T) {
	spec := largeShards[0].spec
	spec.DType, spec.Codecs = dtype.Uint8, []codec.Spec{}
	inner := mem.New()
	var armed atomic.Bool
	var a *zarr.Array
	want := newRows(spec.Shape, 0)
	st := store.Around(inner, store.Hooks{Before: func(ctx context.Context, call store.Call) (context.Context, error) {
		if call.Op == store.OpCommit && call.Key == "a/c/0/0" && armed.CompareAndSwap(true, false) {
			if err := zarr.Write(ctx, onStore(t, a, inner), []uint8{77}, zarr.At(3), zarr.At(5)); err != nil {
				t.Error(err)
			}
			want.of[3][5] = 77
		}
		return ctx, nil
	}})
	_, tight := tight()
	a, err := zarr.Create(t.Context(), st, "a", spec, tight)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(4, 4))
	w, err := zarr.NewWriter[uint8](t.Context(), a, 0, zarr.AppendOptions{})
	if err == nil {
		err = w.Write(t.Context(), want.add(r, 8))
	}
	if err == nil {
		err = w.Flush(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	armed.Store(true)
	if err := w.Write(t.Context(), want.add(r, 56)); !errors.Is(err, zarr.ErrConflict) {
		t.Fatalf("%v, want ErrConflict", err)
	}
	if _, err := w.Close(t.Context()); !errors.Is(err, zarr.ErrConflict) {
		t.Errorf("%v, want ErrConflict", err)
	}
	now := onStore(t, a, inner)
	if n := now.Shape()[0]; n != 8 {
		t.Errorf("%d rows are readable", n)
	}
	want.check(t, now)
}
