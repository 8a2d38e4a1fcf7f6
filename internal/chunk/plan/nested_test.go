package plan

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// nested returns a shard of 32 × 8 uint8 in transposed inner shards of 8 × 8, in chunks of 2 × 4.
func nested(t *testing.T, gap, longest int64) (*Plan, *Object) {
	t.Helper()
	plain := []codec.Spec{codec.Bytes(dtype.Little)}
	inner := codec.Sharding(codec.ShardingOptions{Chunk: []int{4, 2}, Index: plain, AtStart: true})
	return shard(t, []int{32, 8}, gap, longest, codec.Sharding(codec.ShardingOptions{Chunk: []int{8, 8}, Codecs: []codec.Spec{codec.Transpose(1, 0), inner}, Index: plain}))
}

// rows selects n whole rows of a chunk of 8 columns.
func rows(n int) grid.Box { return grid.Box{Parts: []grid.Part{{Step: 1, N: n}, {Step: 1, N: 8}}} }

func TestNestedCuts(t *testing.T) {
	_, o := nested(t, 10, 1000)
	below := o.Chunk.Inner
	if deepest(o.Chunk) != below.Inner || below.Inner.Shards != nil || below.Inner.Bytes != 8 || !slices.Equal(below.Shards.Chunk, []int{2, 4}) || !slices.Equal(below.Shards.Grid, []int{4, 2}) {
		t.Fatalf("%+v", below)
	}
	// Rows 7 and 8, columns 3 to 5 select two chunks of each of two inner shards.
	box := grid.Box{Parts: []grid.Part{{Off: 7, Step: 1, N: 2}, {Off: 3, Step: 1, N: 3}}}
	if n := touched(o.Chunk, below.Inner, box); n != 4 {
		t.Errorf("%d chunks touched", n)
	}
	outer := cut(o.Chunk, box)
	if outer.Len() != 2 {
		t.Fatalf("%+v", outer)
	}
	// Each pair is the row in the inner shard and the row in the region.
	for i, rows := range [][2]int{{7, 0}, {0, 1}} {
		in := cut(below, outer.Box(i))
		if in.Len() != 2 {
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
	whole := cut(o.Chunk, grid.All(o.Chunk.Shape))
	if whole.Len() != 4 || touched(o.Chunk, below.Inner, rows(32)) != 32 || touched(o.Chunk, below, rows(32)) != 4 || o.Touched() != 32 {
		t.Errorf("all is %d", whole.Len())
	}
	for i := range whole.Len() {
		if b := whole.Box(i); !b.Full(o.Chunk.Shards.Chunk) || b.Coord[0] != i {
			t.Errorf("%d of all: %+v", i, b)
		}
	}
}

// TestWholeWithin checks that an inner shard is read whole depending on its length and the share of
// its chunks that are selected.
func TestWholeWithin(t *testing.T) {
	tests := []struct {
		name         string
		gap, longest int64
		rows         int // number of 8 rows in eight chunks
		size         int64
		whole        bool
	}{
		{"all of it", 128, 300, 8, 300, true},
		{"longer than can be had at once", 128, 299, 8, 300, false},
		{"no gap to pay the index with", 127, 300, 8, 300, false},
		{"three quarters", 128 + 78, 300, 6, 304 - 8, true}, // 76 bytes are unwanted
		{"a byte more", 128 + 75, 300, 6, 304 - 8, false},
		{"one chunk of many bytes", 1 << 20, 1 << 40, 1, 1 << 40, false},
		{"one chunk of few", 1 << 20, 1 << 40, 1, 1 << 10, true},
	}
	_, o := nested(t, 0, 0)
	for _, tt := range tests {
		c := &Cost{Gap: tt.gap, Max: tt.longest}
		if got := c.wholeWithin(o.Chunk.Inner, rows(tt.rows), tt.size); got != tt.whole {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	// The outer shard counts all innermost chunks.
	c := &Cost{Gap: 64 + 32*9, Max: 1 << 10}
	if b := (grid.Box{Parts: []grid.Part{{Step: 1, N: 1}, {Step: 1, N: 1}}}); !c.wholeWithin(o.Chunk, b, 32*8) || c.wholeWithin(o.Chunk, b, 32*10) {
		t.Error("of shards in shards")
	}
}

func TestPacked(t *testing.T) {
	_, o := nested(t, 0, 0)
	if n := Packed(o.Chunk); n != 4*(8*8+8*16)+4*16 {
		t.Errorf("%d bytes", n)
	}
	_, o = shard(t, []int{16}, 0, 0, shards([]int{8}))
	if n := Packed(o.Chunk); n != 2*8+2*16 {
		t.Errorf("%d bytes", n)
	}
	const far = math.MaxInt>>32 + 1 // 1 if an int has 32 bits, so that no length overflows
	chain, err := codec.Builtin().Chain([]codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{far}, Codecs: []codec.Spec{{Name: "vlen-utf8"}}})}, codec.Repr{Shape: []int{2 * far}, Type: dtype.String})
	if err != nil {
		t.Fatal(err)
	}
	vary := &pipeline.Chunk{Shards: chain.Shards(), Inner: &pipeline.Chunk{Chain: chain.Shards().Inner}}
	if n := Packed(vary); far > 1 && n != math.MaxInt64 {
		t.Errorf("%d bytes of elements that vary", n)
	}
}

// TestLongInnerShards checks that only inner chunks that are not shards are limited to the output
// of their codecs.
func TestLongInnerShards(t *testing.T) {
	_, o := nested(t, 0, 1<<30)
	x := index(t, o.Chunk, 1<<30, [][2]int64{{0, 1 << 28}, {1 << 29, 64}, {0, -1}, {0, 64}})
	pieces, missing, err := o.Inner().Locate(x, 0)
	if err != nil || len(pieces) != 3 || len(missing) != 1 || pieces[0].Len != 1<<28 {
		t.Errorf("%v, %v, %v", pieces, missing, err)
	}
}

// TestNestedPoints checks that every selected point is found once, in the right chunk of the right
// inner shard.
func TestNestedPoints(t *testing.T) {
	_, o := nested(t, 0, 0)
	below := o.Chunk.Inner
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		n := 1 + r.IntN(20)
		rows, cols := make([]int, n), make([]int, n)
		in := map[[2]int]bool{}
		for i := range n {
			rows[i], cols[i] = r.IntN(32), r.IntN(8)
			in[[2]int{rows[i] / 2, cols[i] / 4}] = true
		}
		seen := make([]int, n)
		for b := range grid.NewPoints([][]int{rows, cols}, n, grid.Even([]int{32, 8})).Chunks(nil) {
			if got := touched(o.Chunk, below.Inner, b); got != len(in) {
				t.Fatalf("%d chunks touched, want %d", got, len(in))
			}
			outer := cut(o.Chunk, b)
			for i := range outer.Len() {
				box := outer.Box(i)
				if got := outer.Place(i); got != o.Chunk.Shards.Position(box.Coord) {
					t.Fatalf("place %d of %v", got, box.Coord)
				}
				in := cut(below, box)
				for k := range in.Len() {
					b := in.Box(k)
					for _, p := range b.Pairs {
						seen[p.To]++
						row, col := box.Coord[0]*8+b.Coord[0]*2+p.Off/4, b.Coord[1]*4+p.Off%4
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

// levels returns the levels below a stored shard whose index has these pairs of offset and length.
func levels(t *testing.T, o *Object, size int64, memory int, pairs [][2]int64) (all []*Level) {
	t.Helper()
	s, err := expand(o, index(t, o.Chunk, size, pairs))
	if err != nil {
		t.Fatal(err)
	}
	if s.Reads.Len() != 0 {
		t.Fatalf("reads %v", s.Reads)
	}
	for l := range s.Next(memory) {
		all = append(all, l)
	}
	return all
}

// TestNestedIndexes checks that unknown indexes of inner shards are requested in merged ranges of
// one version of the object.
func TestNestedIndexes(t *testing.T) {
	// An inner shard has an index of 128 bytes at its start, and 64 bytes of chunks.
	pairs := [][2]int64{{0, 192}, {192, 192}, {0, -1}, {1000, 192}}
	_, o := nested(t, 64, 400)
	all := levels(t, o, 1500, 1<<20, pairs)
	if len(all) != 1 || all[0].Len() != 3 || all[0].Depth() != 1 {
		t.Fatalf("%+v", all)
	}
	l := all[0]
	ids := map[IndexID]bool{l.ID(0): true, l.ID(1): true, l.ID(2): true, o.Shard().ID(0): true}
	if len(ids) != 4 || !ids[IndexID{"c/0/0", 1, 192, 192}] {
		t.Errorf("%v", ids)
	}
	known := make([]codec.ShardIndex, 3)
	reads, err := l.Indexes(known)
	if err != nil || reads.String() != "get c/0/0 0+320\nget c/0/0 1000+128\n" || reads.Bytes() != 448 {
		t.Errorf("%v, %v", reads, err)
	}
	for r := range reads.All() {
		if r.Role != InnerIndex || r.Version != "v" || r.Options().IfVersion != "v" || !r.Exact {
			t.Errorf("%+v", r)
		}
	}
	missing := index(t, o.Chunk.Inner, 192, slices.Repeat([][2]int64{{0, -1}}, 8))
	known[0] = missing
	if reads, err := l.Indexes(known); err != nil || reads.String() != "get c/0/0 192+128\nget c/0/0 1000+128\n" {
		t.Errorf("%v, %v", reads, err)
	}
	s, err := l.Expand("v", []codec.ShardIndex{missing, missing, index(t, o.Chunk.Inner, 192, [][2]int64{{128, 8}, {136, 8}, {0, -1}, {0, -1}, {0, -1}, {0, -1}, {0, -1}, {0, -1}})})
	if err != nil || s.Reads.String() != "get c/0/0 1128+16\n" || len(s.Missing) != 22 {
		t.Errorf("%v, %d missing, %v", s.Reads, len(s.Missing), err)
	}
}

// TestWholeInnerShards checks that an inner shard is read whole if most of it is wanted, together
// with inner chunks of the others, and that its index is not requested.
func TestWholeInnerShards(t *testing.T) {
	p, _ := nested(t, 128, 1000)
	// The selection has one row of the first inner shard and all rows of the second.
	p.Select = grid.Region{{Start: 7, Step: 1, Count: 9}, {Start: 0, Step: 1, Count: 8}}
	for o := range p.Objects() {
		l := levels(t, o, 1500, 1<<20, [][2]int64{{0, 192}, {192, 192}, {0, -1}, {1000, 192}})[0]
		if l.Len() != 1 || l.ID(0) != (IndexID{"c/0/0", 1, 0, 192}) {
			t.Fatalf("%d shards in parts", l.Len())
		}
		x := index(t, o.Chunk.Inner, 192, slices.Repeat([][2]int64{{184, 8}}, 8))
		for range 2 { // the second run checks that Expand does not modify the level
			s, err := l.Expand("v", []codec.ShardIndex{x})
			if err != nil || s.Reads.String() != "get c/0/0 184+200\n" {
				t.Fatalf("%v, %v", s.Reads, err)
			}
			for r := range s.Reads.All() {
				if len(r.Pieces) != 3 || r.Pieces[2].Chunk() != o.Chunk.Inner || r.Pieces[2].Touched() != 8 || r.Pieces[0].Chunk() != o.Chunk.Inner.Inner {
					t.Errorf("%+v", r.Pieces)
				}
			}
		}
	}
}

// TestHostileNestedIndexes checks that errors mention the inner shard.
func TestHostileNestedIndexes(t *testing.T) {
	_, o := nested(t, 0, 1000)
	l := levels(t, o, 1500, 1<<20, [][2]int64{{0, 192}, {0, -1}, {0, -1}, {700, 127}})[0]
	_, err := l.Indexes(make([]codec.ShardIndex, 2))
	if !errors.Is(err, fault.Corrupt) || !strings.Contains(err.Error(), "inner chunk [3 0]: corrupt data: the shard has 127 bytes, fewer than the 128 of its index") {
		t.Errorf("%v", err)
	}
	l = levels(t, o, 1500, 1<<20, [][2]int64{{0, -1}, {300, 192}, {0, -1}, {0, -1}})[0]
	_, err = l.Expand("v", []codec.ShardIndex{index(t, o.Chunk.Inner, 192, slices.Repeat([][2]int64{{190, 8}}, 8))})
	if !errors.Is(err, fault.Corrupt) || !strings.Contains(err.Error(), "inner chunk [1 0]: corrupt data: index of the shard") {
		t.Errorf("%v", err)
	}
	if _, err = l.Decode(0, make([]byte, 127), 0); !errors.Is(err, fault.Corrupt) || !strings.Contains(err.Error(), "inner chunk [1 0]: index of the shard") {
		t.Errorf("%v", err)
	}
}

// TestSlices checks that nested shards are processed in slices that fit in the planned memory, and
// that each shard is processed once, in order.
func TestSlices(t *testing.T) {
	_, o := nested(t, 0, 1000)
	pairs := [][2]int64{{0, 192}, {192, 192}, {384, 192}, {576, 192}}
	for memory, want := range map[int]string{0: "[1 1 1 1]", 2*8*nestedBytes - 1: "[1 1 1 1]", 2 * 8 * nestedBytes: "[2 2]", 3 * 8 * nestedBytes: "[3 1]", 1 << 20: "[4]"} {
		var sizes []int
		var offs []int64
		for _, l := range levels(t, o, 1000, memory, pairs) {
			sizes = append(sizes, l.Len())
			for i := range l.Len() {
				offs = append(offs, l.ID(i).Off)
			}
		}
		if fmt.Sprint(sizes) != want || !slices.Equal(offs, []int64{0, 192, 384, 576}) {
			t.Errorf("%d bytes: %v, %v", memory, sizes, offs)
		}
	}
}
