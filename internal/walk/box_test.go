package walk_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/internal/walk"
)

// TestTiles checks that tiles contain each element once, and checks their sizes.
func TestTiles(t *testing.T) {
	for _, tt := range []struct {
		name                string
		region              region
		chunk               []int
		want, most, largest int
		tiles               int
	}{
		{"chunk by chunk", region{{0, 1, 40, nil}, {0, 1, 60, nil}}, []int{10, 20}, 100, 400, 200, 12},
		{"several chunks", region{{0, 1, 40, nil}, {0, 1, 60, nil}}, []int{2, 3}, 300, 1000, 240, 10},
		{"rows of chunks", region{{0, 1, 40, nil}, {0, 1, 60, nil}}, []int{10, 60}, 100, 600, 600, 4},
		{"large chunks", region{{0, 1, 40, nil}, {0, 1, 60, nil}}, []int{40, 60}, 10, 100, 60, 40},
		{"reverse", region{{39, -1, 40, nil}, {0, 1, 60, nil}}, []int{7, 20}, 100, 400, 140, 18},
		{"steps", region{{0, 5, 40, nil}, {0, 1, 60, nil}}, []int{10, 20}, 40, 400, 40, 60},
		{"nothing", region{{0, 1, 0, nil}, {0, 1, 60, nil}}, []int{10, 20}, 100, 400, 0, 0},
		{"three axes", region{{0, 1, 6, nil}, {0, 1, 40, nil}, {0, 1, 60, nil}}, []int{1, 10, 20}, 800, 1000, 600, 24},
		{"one axis", region{{0, 1, 100, nil}}, []int{7}, 20, 50, 16, 7},
		{"no axis", region{}, nil, 20, 50, 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			seen := map[[3]int]int{}
			largest, n := 0, 0
			for b := range walk.Tiles(tt.region.even(tt.chunk...), tt.want, tt.most) {
				n++
				largest = max(largest, b.Len())
				for _, p := range tt.region.in(b).positions() {
					var at [3]int
					copy(at[:], p)
					seen[at]++
				}
			}
			for at, k := range seen {
				if k != 1 {
					t.Fatalf("element %v is in %d tiles", at, k)
				}
			}
			if total := len(tt.region.positions()); len(seen) != total {
				t.Errorf("%d elements of %d", len(seen), total)
			}
			if largest != tt.largest || n != tt.tiles {
				t.Errorf("%d tiles of at most %d elements, want %d of %d", n, largest, tt.tiles, tt.largest)
			}
		})
	}
}

// TestTilesAgainstOracle checks that tiles of random selections cover them once and within bounds,
// and that no chunk that fits is in two tiles.
func TestTilesAgainstOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(36, 1))
	for range 500 {
		var of region
		var chunk []int
		inChunk := 1
		for range 1 + r.IntN(3) {
			of = append(of, slice{0, 1, 1 + r.IntN(12), nil})
			chunk = append(chunk, 1+r.IntN(5))
			inChunk *= chunk[len(chunk)-1]
		}
		most := 1 + r.IntN(200)
		want := 1 + r.IntN(most)
		tiles, total := map[[3]int]int{}, 0
		n := 0
		for b := range walk.Tiles(of.even(chunk...), want, most) {
			n++
			total += b.Len()
			if b.Len() > most {
				t.Fatalf("%v in %v: a tile of %v, more than %d", of, chunk, b.Shape, most)
			}
			for _, p := range of.in(b).positions() {
				var c [3]int
				for k := range p {
					c[k] = p[k] / chunk[k]
				}
				if was, ok := tiles[c]; ok && was != n && inChunk <= most {
					t.Fatalf("%v in %v, %d of %d: chunk %v is in two tiles", of, chunk, want, most, c)
				}
				tiles[c] = n
			}
		}
		if all := len(of.positions()); total != all {
			t.Fatalf("%v: %d elements of %d", of, total, all)
		}
	}
}

// TestLattice checks the boxes of a lattice and their order.
func TestLattice(t *testing.T) {
	shape := []int{5, 3}
	var got [][2][]int
	for b := range walk.Lattice(shape, walk.Steps(shape, []int{4, 2})) {
		got = append(got, [2][]int{b.At, b.Shape})
	}
	want := [][2][]int{{{0, 0}, {4, 2}}, {{0, 2}, {4, 1}}, {{4, 0}, {1, 2}}, {{4, 2}, {1, 1}}}
	if !slices.EqualFunc(got, want, func(a, b [2][]int) bool { return slices.Equal(a[0], b[0]) && slices.Equal(a[1], b[1]) }) {
		t.Errorf("%v", got)
	}
	long := []int{math.MaxInt, math.MaxInt}
	n := 0
	for b := range walk.Lattice(long, walk.Steps(long, []int{math.MaxInt - 1, math.MaxInt})) {
		n++
		if b.Bytes(8) != math.MaxInt64 && b.Shape[0] > 1 {
			t.Errorf("%v has %d bytes", b, b.Bytes(8))
		}
	}
	if n != 2 {
		t.Errorf("%d boxes", n)
	}
	for range walk.Lattice([]int{3, 0}, nil) {
		t.Error("a box of nothing")
	}
}

// TestCommon compares the ends of common chunks with those that both axes have.
func TestCommon(t *testing.T) {
	const n = 48
	uneven := func(ends ...int) func(int) (int, int) {
		return func(i int) (start, length int) {
			k, _ := slices.BinarySearch(ends, i+1)
			if k > 0 {
				start = ends[k-1]
			}
			return start, ends[k] - start
		}
	}
	all := walk.Axis{Count: n, Position: func(i int) int { return i }}
	axes := []walk.Axis{all.Even(4), all.Even(6), all.Even(5), all.Even(7), all.Even(100), all, all}
	axes[5].Chunk, axes[6].Chunk = uneven(5, 12, 20, 24, 48), uneven(8, 20, 50)
	for i, a := range axes {
		for j, b := range axes {
			common := a.Common(n, b)
			for p, from := 1, 0; p <= n; p++ {
				end := func(x walk.Axis) bool {
					start, length := x.Chunk(p - 1)
					return p == n || start+length == p
				}
				if got, want := end(common), end(a) && end(b); got != want {
					t.Errorf("axes %d and %d: %d is an end: %v, want %v", i, j, p, got, want)
				}
				if start, _ := common.Chunk(p - 1); start != from {
					t.Errorf("axes %d and %d: the chunk of %d starts at %d, want %d", i, j, p-1, start, from)
				}
				if end(common) {
					from = p
				}
			}
		}
	}
	huge := walk.Axis{Count: 1 << 30, Position: all.Position, Chunk: func(i int) (int, int) { return i, 1 }}
	if start, length := huge.Common(1<<30, huge).Chunk(9); start != 9 || length != 1 {
		t.Error(start, length)
	}
}
