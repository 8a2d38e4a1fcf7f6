package diff_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/cmd/zargo/internal/diff"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestRequestsAcross counts the requests for two arrays whose chunks overlap in different ways.
// Each object is read once if the stored objects fit in memory, and otherwise once for each block
// that it overlaps.
func TestRequestsAcross(t *testing.T) {
	zstd, none := []codec.Spec{codec.Zstd(1)}, []codec.Spec{}
	tests := []struct {
		name   string
		a, b   zarr.Spec
		memory int64 // the arrays have 120,000 bytes of elements
		want   string
	}{
		{"all in memory", zarr.Spec{Chunks: []int{1, 30, 40}}, zarr.Spec{Chunks: []int{100, 3, 4}}, 0, "100 get; 100 get"},
		{"compressed", zarr.Spec{Chunks: []int{1, 30, 40}, Codecs: zstd}, zarr.Spec{Chunks: []int{100, 3, 4}, Codecs: zstd}, 100_000, "100 get; 100 get"},
		{"the other way", zarr.Spec{Chunks: []int{100, 3, 4}, Codecs: zstd}, zarr.Spec{Chunks: []int{1, 30, 40}, Codecs: zstd}, 100_000, "100 get; 100 get"},
		{"shards", zarr.Spec{Chunks: []int{1, 30, 40}, Codecs: zstd}, zarr.Spec{Chunks: []int{10, 3, 4}, Shards: []int{100, 15, 20}, Codecs: zstd}, 200_000, "100 get; 4 get"},
		{"lengths without a common multiple", zarr.Spec{Chunks: []int{7, 30, 40}, Codecs: zstd}, zarr.Spec{Chunks: []int{9, 30, 40}, Codecs: zstd}, 100_000, "15 get; 12 get"},
		{"uneven", zarr.Spec{Chunks: []int{10, 30, 40}, Codecs: zstd}, zarr.Spec{ChunkEdges: [][]int{{1, 9, 55, 35}, {30}, {17, 23}}, Codecs: zstd}, 200_000, "10 get; 8 get"},
		{"more than memory", zarr.Spec{Chunks: []int{1, 30, 40}, Codecs: none}, zarr.Spec{Chunks: []int{100, 3, 4}, Codecs: none}, 100_000, "100 get; 424 get"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var opened [2]*zarr.Array
			var counts [2]*requests
			for i, s := range []zarr.Spec{tt.a, tt.b} {
				s.Shape, s.DType = []int{100, 30, 40}, dtype.Uint8
				a := array(t, s)
				values := make([]uint8, 120_000)
				for i := range values {
					values[i] = uint8(1 + i/5000)
				}
				put(t, a, values...)
				opened[i], counts[i] = counted(t, a, false, false)
			}
			r, err := diff.Run(t.Context(), opened[0], opened[1], diff.Options{SkipMetadata: true, Memory: tt.memory})
			if err != nil || !r.Equal() || r.Elements != 120_000 {
				t.Fatalf("%+v, %v", r, err)
			}
			if got := counts[0].String() + "; " + counts[1].String(); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// TestRequestsLarge checks that chunks of 24 MiB, which are read in two requests, are read once. In
// 32 MiB, blocks would be smaller.
func TestRequestsLarge(t *testing.T) {
	var opened [2]*zarr.Array
	var counts [2]*requests
	for i := range opened {
		a := array(t, zarr.Spec{Shape: []int{24 << 20}, Chunks: []int{24 << 20}, DType: dtype.Uint8, Codecs: []codec.Spec{}})
		put(t, a, slices.Repeat([]uint8{1}, 24<<20)...)
		opened[i], counts[i] = counted(t, a, false, false)
	}
	r, err := diff.Run(t.Context(), opened[0], opened[1], diff.Options{SkipMetadata: true})
	if got := counts[0].String() + "; " + counts[1].String(); err != nil || !r.Equal() || got != "2 get; 2 get" {
		t.Errorf("%s, %+v, %v", got, r, err)
	}
}

// TestAcrossFindsTheSame checks, for random grids and memory, that all different elements are found
// in stored and in missing chunks.
func TestAcrossFindsTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 3))
	for range 150 {
		shape := []int{1 + r.IntN(12), 1 + r.IntN(12), 1 + r.IntN(12)}
		total := shape[0] * shape[1] * shape[2]
		var of [2]*zarr.Array
		values := make([][]int32, 2)
		for i := range of {
			s := zarr.Spec{Shape: shape, DType: dtype.Int32, Chunks: []int{1 + r.IntN(6), 1 + r.IntN(6), 1 + r.IntN(6)}}
			if r.IntN(2) == 0 {
				s.Codecs = []codec.Spec{}
			}
			if r.IntN(3) == 0 {
				for _, c := range s.Chunks {
					s.Shards = append(s.Shards, c*(1+r.IntN(3)))
				}
			}
			of[i] = array(t, s)
			values[i] = make([]int32, total)
		}
		for i := range total {
			if r.IntN(40) == 0 {
				values[0][i] = int32(r.IntN(3))
				values[1][i] = values[0][i]
			}
			if r.IntN(200) == 0 {
				values[1][i] = 9
			}
		}
		want := map[string]bool{}
		for i := range total {
			if values[0][i] != values[1][i] {
				want[fmt.Sprint([]int{i / shape[2] / shape[1], i / shape[2] % shape[1], i % shape[2]})] = true
			}
		}
		for i, a := range of {
			put(t, a, values[i]...)
			of[i], _ = counted(t, a, false, r.IntN(2) == 0)
		}
		v, err := diff.Run(t.Context(), of[0], of[1], diff.Options{SkipMetadata: true, First: total, Memory: int64(1 << r.IntN(16))})
		if err != nil || v.Elements != int64(total) {
			t.Fatalf("%+v, %v", v, err)
		}
		got := map[string]bool{}
		for _, n := range v.Nodes {
			for _, e := range n.Values.First {
				got[fmt.Sprint(e.At)] = true
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("shape %v: %v, want %v", shape, got, want)
		}
	}
}

// TestHardlyStored checks that large sparse arrays are refused without All, and that chunks that a
// listing proves absent are not compared.
func TestHardlyStored(t *testing.T) {
	a := array(t, zarr.Spec{Shape: []int{1 << 30}, Chunks: []int{1 << 10}, DType: dtype.Uint8})
	put2 := func(at int, v uint8) {
		if err := zarr.Write(t.Context(), a, []uint8{v}, zarr.At(at)); err != nil {
			t.Fatal(err)
		}
	}
	put2(0, 1)
	put2(1<<29, 2)
	one, n := counted(t, a, false, true)
	if r := run(t, one, one, diff.Options{}); !r.Equal() || r.Elements != 1<<30 {
		t.Errorf("%+v", r)
	}
	if got := n.String(); got != "4 get, 2 list" {
		t.Errorf("%s", got)
	}
	one, _ = counted(t, a, false, false)
	if _, err := diff.Run(t.Context(), one, one, diff.Options{}); err == nil {
		t.Error("no error")
	}
}

// TestAbsentLongChunks compares arrays with a few chunks of many elements that are not stored. The
// store does not promise complete listings. The time must not depend on the number of elements.
func TestAbsentLongChunks(t *testing.T) {
	const long = 1 << (20 + 20*(^uint(0)>>63)) // 2^40, or 2^20 if an int has 32 bits
	for _, spec := range []zarr.Spec{
		{Format: 2, Shape: []int{long}, Chunks: []int{long}, DType: dtype.Int8},
		{Shape: []int{long >> 6}, Chunks: []int{long >> 9}, DType: dtype.String},
		{Shape: []int{2, long}, Chunks: []int{1, long / 2}, DType: dtype.Float64},
		{Shape: []int{math.MaxInt}, Chunks: []int{math.MaxInt}, DType: dtype.Int8}, // more blocks than can be counted
	} {
		a := array(t, spec)
		one, _ := counted(t, a, false, false)
		if r := run(t, one, one, diff.Options{}); !r.Equal() || r.Elements != int64(a.Len()) {
			t.Errorf("%v: %+v", a, r)
		}
		key := a.ChunkKey(make([]int, len(spec.Shape))...)
		if _, err := a.Store().Put(t.Context(), key, []byte("no chunk"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		if r, err := diff.Run(t.Context(), one, one, diff.Options{}); err == nil {
			t.Errorf("%v: a damaged chunk is no error: %+v", a, r)
		}
	}
}
