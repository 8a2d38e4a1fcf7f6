package shard

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// nested is of shards of 32 × 8 uint8 in inner shards of 8 × 8, transposed, in chunks of 2 × 4.
func nested(t *testing.T, gap, longest int64) *Layout {
	t.Helper()
	plain := []codec.Spec{codec.Bytes(dtype.Little)}
	inner := codec.Sharding(codec.ShardingOptions{Chunk: []int{4, 2}, Index: plain, AtStart: true})
	chain, err := codec.Builtin().Chain([]codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{8, 8}, Codecs: []codec.Spec{codec.Transpose(1, 0), inner}, Index: plain})},
		codec.Repr{Shape: []int{32, 8}, Type: dtype.Uint8, Fill: []byte{0}})
	if err != nil {
		t.Fatal(err)
	}
	return New(chain.Shards(), 64, gap, longest)
}

func TestNestedLayout(t *testing.T) {
	l := nested(t, 10, 1000)
	below := l.Deepest()
	if l.Below != below || below.Below != nil || below.ChunkBytes != 8 || !slices.Equal(below.Chunk, []int{2, 4}) || !slices.Equal(below.Grid, []int{4, 2}) {
		t.Fatalf("%+v", below)
	}
	if below.Gap != 10 || below.Max != 1000 {
		t.Errorf("gap %d, max %d", below.Gap, below.Max)
	}
	if n, atStart := below.IndexSize(); n != 128 || !atStart {
		t.Errorf("an index of %d bytes, at the start: %v", n, atStart)
	}
	// Rows 7 and 8, columns 3 to 5: chunks of two inner shards, two of each.
	box := grid.Box{Parts: []grid.Part{{Off: 7, Step: 1, N: 2}, {Off: 3, Step: 1, N: 3}}}
	if n := l.Touched(box); n != 4 {
		t.Errorf("%d chunks touched", n)
	}
	cut := l.Cut(box)
	if cut.Layout() != l || cut.Len() != 2 {
		t.Fatalf("%+v", cut)
	}
	for i, rows := range [][2]int{{7, 0}, {0, 1}} { // the row in the inner shard, and where in the region
		in := below.Cut(cut.Box(i))
		if in.Layout() != below || in.Len() != 2 {
			t.Fatalf("%d: %+v", i, in)
		}
		for k, want := range []grid.Part{{Chunk: 0, Off: 3, Step: 1, N: 1, Out: 0}, {Chunk: 1, Off: 0, Step: 1, N: 2, Out: 1}} {
			b := in.Box(k)
			if p := b.Parts[1]; p.Chunk != want.Chunk || p.Off != want.Off || p.N != want.N || p.Out != want.Out {
				t.Errorf("%d, %d: columns %+v", i, k, p)
			}
			if p := b.Parts[0]; p.Chunk != rows[0]/2 || p.Off != rows[0]%2 || p.N != 1 || p.Out != rows[1] {
				t.Errorf("%d, %d: rows %+v", i, k, p)
			}
		}
	}
	all := l.All()
	if all.Len() != 4 || l.Touched(grid.Box{Parts: []grid.Part{{Step: 1, N: 32}, {Step: 1, N: 8}}}) != 32 {
		t.Errorf("all is %d", all.Len())
	}
	for i := range all.Len() {
		if b := all.Box(i); !b.Full(l.Chunk) || b.Coord[0] != i {
			t.Errorf("%d of all: %+v", i, b)
		}
	}
}

// TestWholeOf: an inner shard is read as a whole by its length and the part of its chunks that is wanted.
func TestWholeOf(t *testing.T) {
	rows := func(n int) grid.Box { return grid.Box{Parts: []grid.Part{{Step: 1, N: n}, {Step: 1, N: 8}}} }
	tests := []struct {
		name         string
		gap, longest int64
		rows         int // of 8, in eight chunks
		size         int64
		whole        bool
	}{
		{"all of it", 128, 300, 8, 300, true},
		{"longer than can be had at once", 128, 299, 8, 300, false},
		{"no gap to pay the index with", 127, 300, 8, 300, false},
		{"three quarters", 128 + 78, 300, 6, 304 - 8, true}, // 38 bytes for each of the two that are not wanted
		{"a byte more", 128 + 75, 300, 6, 304 - 8, false},
		{"one chunk of many bytes", 1 << 20, 1 << 40, 1, 1 << 40, false},
		{"one chunk of few", 1 << 20, 1 << 40, 1, 1 << 10, true},
	}
	for _, tt := range tests {
		if got := nested(t, tt.gap, tt.longest).Below.WholeOf(rows(tt.rows), tt.size); got != tt.whole {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	// From outside all deepest chunks below count.
	three := &Layout{Shards: nested(t, 0, 0).Shards, Below: nested(t, 1<<10, 1<<10).Below, Gap: 64 + 32*9, Max: 1 << 10}
	if b := (grid.Box{Parts: []grid.Part{{Step: 1, N: 1}, {Step: 1, N: 1}}}); !three.WholeOf(b, 32*8) || three.WholeOf(b, 32*10) {
		t.Error("of shards in shards")
	}
}

func TestPacked(t *testing.T) {
	l := nested(t, 0, 0)
	if n := l.Packed(); n != 4*(8*8+8*16)+4*16 {
		t.Errorf("%d bytes", n)
	}
	if n := layout(t, []int{16}, []int{8}, 0, 0).Packed(); n != 2*8+2*16 {
		t.Errorf("%d bytes", n)
	}
	const far = math.MaxInt>>32 + 1 // 1 where an int has 32 bits, so that nothing is too long there
	chain, err := codec.Builtin().Chain([]codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{far}, Codecs: []codec.Spec{{Name: "vlen-utf8"}}})}, codec.Repr{Shape: []int{2 * far}, Type: dtype.String})
	if err != nil {
		t.Fatal(err)
	}
	if n := New(chain.Shards(), 8, 0, 0).Packed(); far > 1 && n != math.MaxInt64 {
		t.Errorf("%d bytes of elements that vary", n)
	}
}

// TestLongInnerShards: only those that are no shards are held to what their codecs make.
func TestLongInnerShards(t *testing.T) {
	l := nested(t, 0, 1<<30)
	x := index(t, l, 1<<30, [][2]int64{{0, 1 << 28}, {1 << 29, 64}, {0, -1}, {0, 64}})
	chunks, missing, err := l.All().Locate(x)
	if err != nil || len(chunks) != 3 || len(missing) != 1 || chunks[0].Len != 1<<28 {
		t.Errorf("%v, %v, %v", chunks, missing, err)
	}
}

// TestNestedPoints: every point of a selection is found once, in the chunk of the inner shard where it lies.
func TestNestedPoints(t *testing.T) {
	l := nested(t, 0, 0)
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		n := 1 + r.IntN(20)
		rows, cols := make([]int, n), make([]int, n)
		touched := map[[2]int]bool{}
		for i := range n {
			rows[i], cols[i] = r.IntN(32), r.IntN(8)
			touched[[2]int{rows[i] / 2, cols[i] / 4}] = true
		}
		seen := make([]int, n)
		for b := range grid.NewPoints([][]int{rows, cols}, n, grid.Even([]int{32, 8})).Chunks(nil) {
			if got := l.Touched(b); got != len(touched) {
				t.Fatalf("%d chunks touched, want %d", got, len(touched))
			}
			cut := l.Cut(b)
			for i := range cut.Len() {
				outer := cut.Box(i)
				if got := cut.place(i, make([]int, 2)); got != l.Place(outer.Coord) {
					t.Fatalf("place %d of %v", got, outer.Coord)
				}
				in := l.Below.Cut(outer)
				for k := range in.Len() {
					b := in.Box(k)
					for _, p := range b.Pairs {
						seen[p.To]++
						row, col := outer.Coord[0]*8+b.Coord[0]*2+p.Off/4, b.Coord[1]*4+p.Off%4
						if row != rows[p.To] || col != cols[p.To] {
							t.Fatalf("point %d is (%d, %d), found at (%d, %d)", p.To, rows[p.To], cols[p.To], row, col)
						}
					}
				}
			}
		}
		if slices.Max(seen) != 1 || slices.Min(seen) != 1 {
			t.Fatalf("points were found %v times", seen)
		}
	}
}
