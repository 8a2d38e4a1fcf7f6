package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// latency is the delay of every request of the slow store. A bucket in the same region responds
// within 5 to 30 ms.
const latency = 5 * time.Millisecond

// stores are a store in memory, and a store in memory with delays and with the tuning of a bucket.
var stores = []struct {
	name string
	slow func(store.Store) store.Store
}{
	{"mem", func(s store.Store) store.Store { return s }},
	{"latency", func(s store.Store) store.Store {
		return store.Around(s, store.Hooks{
			Before: func(ctx context.Context, _ store.Call) (context.Context, error) {
				time.Sleep(latency)
				return ctx, nil
			},
			Provide: func(target any) bool {
				t, ok := target.(*store.Tuning)
				if ok {
					*t = store.Local()
					t.Requests, t.RangeGap, t.RangeMax = 128, 1<<20, 16<<20
				}
				return ok
			},
		})
	}},
}

// side is the length of both axes of the arrays: 4 MiB of float32 in chunks of 64 KiB.
const side = 1024

func spec(shards []int) zarr.Spec {
	return zarr.Spec{Shape: []int{side, side}, Chunks: []int{128, 128}, Shards: shards, DType: dtype.Float32, Codecs: []codec.Spec{codec.Zstd(1)}}
}

// values returns elements that compress to about half.
func values(n int) []float32 {
	r := rand.New(rand.NewPCG(1, 1))
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(r.IntN(1 << 10))
	}
	return out
}

// over runs a benchmark for each store, for arrays of chunks and of shards.
func over(b *testing.B, run func(b *testing.B, st store.Store, s zarr.Spec)) {
	for _, st := range stores {
		for _, layout := range []string{"chunks", "shards"} {
			s := spec(nil)
			if layout == "shards" {
				s = spec([]int{512, 512})
			}
			b.Run(fmt.Sprintf("store=%s/layout=%s", st.name, layout), func(b *testing.B) { run(b, st.slow(mem.New()), s) })
		}
	}
}

func create(b *testing.B, st store.Store, path string, s zarr.Spec) *zarr.Array {
	b.Helper()
	a, err := zarr.Create(b.Context(), st, path, s)
	if err != nil {
		b.Fatal(err)
	}
	return a
}

func filled(b *testing.B, st store.Store, s zarr.Spec) *zarr.Array {
	b.Helper()
	a := create(b, st, "a", s)
	if err := zarr.Write(b.Context(), a, values(side*side)); err != nil {
		b.Fatal(err)
	}
	return a
}

func BenchmarkRead(b *testing.B) {
	over(b, func(b *testing.B, st store.Store, s zarr.Spec) {
		a := filled(b, st, s)
		dst := make([]float32, side*side)
		b.SetBytes(4 * side * side)
		b.ReportAllocs()
		for b.Loop() {
			if err := zarr.ReadInto(b.Context(), a, dst); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	over(b, func(b *testing.B, st store.Store, s zarr.Spec) {
		a, src := create(b, st, "a", s), values(side*side)
		b.SetBytes(4 * side * side)
		b.ReportAllocs()
		for b.Loop() {
			if err := zarr.Write(b.Context(), a, src); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkPoints reads 1000 single elements in random order.
func BenchmarkPoints(b *testing.B) {
	over(b, func(b *testing.B, st store.Store, s zarr.Spec) {
		a := filled(b, st, s)
		r := rand.New(rand.NewPCG(2, 2))
		coords := make([][]int, 2)
		for range 1000 {
			coords[0], coords[1] = append(coords[0], r.IntN(side)), append(coords[1], r.IntN(side))
		}
		dst := make([]float32, 1000)
		b.ReportAllocs()
		for b.Loop() {
			if err := zarr.ReadInto(b.Context(), a, dst, zarr.Points(coords...)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkAppend appends 128 rows, which is one row of chunks. It replaces the array with an empty
// one after eight appends.
func BenchmarkAppend(b *testing.B) {
	over(b, func(b *testing.B, st store.Store, s zarr.Spec) {
		s.Shape = []int{0, side}
		src := values(128 * side)
		var a *zarr.Array
		var err error
		b.SetBytes(4 * 128 * side)
		b.ReportAllocs()
		for n := 0; b.Loop(); n++ {
			if n%8 == 0 {
				if a, err = zarr.Replace(b.Context(), st, "a", s); err != nil {
					b.Fatal(err)
				}
			}
			if a, err = zarr.Append(b.Context(), a, 0, src, zarr.AppendOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkOpen opens one array.
func BenchmarkOpen(b *testing.B) {
	for _, st := range stores {
		b.Run("store="+st.name, func(b *testing.B) {
			s := st.slow(mem.New())
			create(b, s, "g/a", spec(nil))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := zarr.OpenArray(b.Context(), s, "g/a"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkList walks a group of 100 arrays, with consolidated metadata and without it.
func BenchmarkList(b *testing.B) {
	for _, st := range stores {
		for _, consolidated := range []bool{false, true} {
			b.Run(fmt.Sprintf("store=%s/consolidated=%v", st.name, consolidated), func(b *testing.B) {
				fast := mem.New()
				for i := range 100 {
					create(b, fast, fmt.Sprintf("g/a%d", i), spec(nil))
				}
				if consolidated {
					g, err := zarr.OpenGroup(b.Context(), fast, "g")
					if err != nil {
						b.Fatal(err)
					}
					if _, err := g.Consolidate(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
				s := st.slow(fast)
				b.ReportAllocs()
				for b.Loop() {
					g, err := zarr.OpenGroup(b.Context(), s, "g")
					if err != nil {
						b.Fatal(err)
					}
					n := 0
					for _, err := range g.Walk(b.Context()) {
						if err != nil {
							b.Fatal(err)
						}
						n++
					}
					if n != 100 {
						b.Fatalf("%d nodes, want 100", n)
					}
				}
			})
		}
	}
}

// BenchmarkManyChunks reads and writes 100,000 chunks of 1 KiB. Its CPU profile shows the share of
// the work that one call does in one goroutine or under a shared lock: the producer of the plan
// (concurrency.each without its tasks) and the locks of the budget and of the slots.
func BenchmarkManyChunks(b *testing.B) {
	s := zarr.Spec{Shape: []int{250 * 16, 400 * 16}, Chunks: []int{16, 16}, DType: dtype.Float32, Codecs: []codec.Spec{codec.Zstd(1)}}
	v := values(s.Shape[0] * s.Shape[1])
	a := create(b, mem.New(), "a", s)
	if err := zarr.Write(b.Context(), a, v); err != nil {
		b.Fatal(err)
	}
	for _, op := range []struct {
		name string
		call func() error
	}{
		{"read", func() error { return zarr.ReadInto(b.Context(), a, v) }},
		{"write", func() error { return zarr.Write(b.Context(), a, v) }},
	} {
		b.Run(op.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := op.call(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
