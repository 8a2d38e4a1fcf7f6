package walk_test

import (
	"iter"
	"math"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/internal/walk"
)

// slice selects count elements along an axis: start, start+step, …, or those in list.
type slice struct {
	start, step, count int
	list               []int
}

func (s slice) at(i int) int {
	if s.list != nil {
		return s.list[i]
	}
	return s.start + i*s.step
}

// region is a selection.
type region []slice

// even returns the axes of a region of an array with chunks of one shape.
func (r region) even(chunk ...int) []walk.Axis {
	axes := make([]walk.Axis, len(r))
	for k, s := range r {
		axes[k] = walk.Axis{Count: s.count, Position: s.at, List: s.list != nil}.Even(chunk[k])
	}
	return axes
}

// bands divides a region into bands of elements of 8 bytes.
func bands(axes []walk.Axis, target, limit int64) iter.Seq[walk.Box] {
	b := walk.Bands{Axes: axes, Each: 8, Target: walk.Always(target), Limit: walk.Always(limit)}
	return b.Of(b.Whole())
}

// in returns the part of a region in a box.
func (r region) in(b walk.Box) region {
	out := slices.Clone(r)
	for k := range r {
		out[k].count = b.Shape[k]
		if r[k].list != nil {
			out[k].list = r[k].list[b.At[k]:][:b.Shape[k]]
		} else {
			out[k].start = r[k].at(b.At[k])
		}
	}
	return out
}

// TestBands checks that bands are consecutive, cover the selection, do not exceed the requested
// size and do not divide chunks.
func TestBands(t *testing.T) {
	for _, r := range []struct {
		name   string
		region region
		chunks []int
		target int64
	}{
		{"rows of one chunk", region{{0, 1, 100, nil}, {0, 1, 10, nil}}, []int{10, 10}, 100 * 8},
		{"several chunks", region{{0, 1, 100, nil}, {0, 1, 10, nil}}, []int{10, 10}, 350 * 8},
		{"less than a chunk", region{{0, 1, 100, nil}, {0, 1, 10, nil}}, []int{10, 10}, 8},
		{"off the grid", region{{3, 1, 94, nil}, {0, 1, 10, nil}}, []int{10, 3}, 250 * 8},
		{"steps", region{{3, 4, 20, nil}, {0, 1, 10, nil}}, []int{10, 10}, 50 * 8},
		{"steps longer than chunks", region{{3, 13, 7, nil}, {0, 1, 10, nil}}, []int{10, 10}, 20 * 8},
		{"backwards", region{{99, -1, 100, nil}, {0, 1, 10, nil}}, []int{10, 10}, 250 * 8},
		{"backwards with steps", region{{97, -4, 20, nil}, {0, 1, 10, nil}}, []int{10, 10}, 50 * 8},
		{"backwards, less than a chunk", region{{93, -1, 90, nil}, {9, -1, 10, nil}}, []int{10, 10}, 8},
		{"backwards, steps longer than chunks", region{{98, -13, 7, nil}, {0, 1, 10, nil}}, []int{10, 10}, 20 * 8},
		{"list", region{{0, 1, 12, []int{1, 2, 2, 4, 15, 16, 30, 31, 32, 55, 51, 50}}, {0, 1, 10, nil}}, []int{10, 10}, 50 * 8},
		{"list, less than a chunk", region{{0, 1, 7, []int{9, 8, 7, 25, 26, 3, 4}}, {0, 1, 10, nil}}, []int{10, 10}, 8},
		{"first axis an index", region{{5, 1, 1, nil}, {0, 1, 100, nil}}, []int{10, 10}, 25 * 8},
		{"all at once", region{{0, 1, 100, nil}, {0, 1, 10, nil}}, []int{10, 10}, 1 << 20},
		{"scalar", region{}, []int{}, 100},
	} {
		t.Run(r.name, func(t *testing.T) {
			checkBands(t, r.region, r.region.even(r.chunks...), func(k, i int) int { return i / r.chunks[k] }, r.target)
		})
	}
}

// TestBandsOfUnevenChunks is like TestBands, for chunks that differ in length.
func TestBandsOfUnevenChunks(t *testing.T) {
	edges := []int{5, 20, 3, 1, 1, 30, 40}
	chunkOf := func(_, i int) (n int) {
		for ; i >= edges[n]; n++ {
			i -= edges[n]
		}
		return n
	}
	chunk := func(i int) (start, length int) {
		n := chunkOf(0, i)
		for _, length := range edges[:n] {
			start += length
		}
		return start, edges[n]
	}
	for _, r := range []struct {
		name   string
		region region
		target int64
	}{
		{"all", region{{0, 1, 100, nil}, {0, 1, 10, nil}}, 310 * 8},
		{"a part", region{{3, 1, 40, nil}, {0, 1, 10, nil}}, 8},
		{"steps", region{{3, 4, 20, nil}, {0, 1, 10, nil}}, 50 * 8},
		{"steps longer than chunks", region{{3, 33, 3, nil}, {0, 1, 10, nil}}, 8},
		{"backwards", region{{99, -1, 100, nil}, {0, 1, 10, nil}}, 350 * 8},
		{"backwards with steps", region{{97, -7, 14, nil}, {0, 1, 10, nil}}, 8},
	} {
		t.Run(r.name, func(t *testing.T) {
			var axes []walk.Axis
			for _, s := range r.region {
				axes = append(axes, walk.Axis{Count: s.count, Position: s.at, Chunk: chunk})
			}
			checkBands(t, r.region, axes, chunkOf, r.target)
		})
	}
}

// checkBands divides a region into bands. chunkOf returns the number of the chunk that contains an
// element along an axis.
func checkBands(t *testing.T, whole region, axes []walk.Axis, chunkOf func(k, i int) int, target int64) {
	t.Helper()
	var positions []int // along the axis that is divided
	sum, k := int64(0), slices.IndexFunc(whole, func(a slice) bool { return a.count > 1 })
	lastChunk := -1
	total := int64(8)
	for _, s := range whole {
		total *= int64(s.count)
	}
	for b := range bands(axes, target, 1<<30) {
		n := b.Bytes(8)
		sum += n
		if k < 0 {
			continue
		}
		a := whole.in(b)[k]
		for i := range a.count {
			positions = append(positions, a.at(i))
		}
		first, last := chunkOf(k, a.at(0)), chunkOf(k, a.at(a.count-1))
		if first == lastChunk {
			t.Errorf("chunk %d is in two bands", first)
		}
		if n > target && first != last {
			t.Errorf("a band of %d bytes, more than %d, has chunks %d to %d", n, target, first, last)
		}
		lastChunk = last
	}
	if sum != total {
		t.Errorf("%d bytes of %d", sum, total)
	}
	if k >= 0 {
		a := whole[k]
		for i, p := range positions {
			if p != a.at(i) {
				t.Fatalf("position %d is %d", i, p)
			}
		}
	}
}

// TestBandsOfLists checks that a list that selects more elements of one chunk than the limit allows
// is divided within the chunk, and that a selection of nothing has no bands.
func TestBandsOfLists(t *testing.T) {
	for b := range bands(region{{0, 1, 0, nil}, {0, 1, 1000, nil}}.even(1, 1), 1, 1) {
		t.Error("a band of nothing", b)
	}
	again := region{{0, 1, 1000, make([]int, 1000)}, {0, 1, 10, nil}}
	var counts []int
	for b := range bands(again.even(100, 10), 80, 300*10*8) {
		counts = append(counts, b.Shape[0])
	}
	if !slices.Equal(counts, []int{300, 300, 300, 100}) {
		t.Error(counts)
	}
}

// TestBandsWithinChunks checks that if a row of chunks exceeds the limit, bands are divided along
// any axis, are consecutive in C order, and do not exceed the limit.
func TestBandsWithinChunks(t *testing.T) {
	list := []int{5, 5, 1, 9, 2}
	for name, r := range map[string]region{
		"all":       {{0, 1, 11, nil}, {0, 1, 7, nil}, {0, 1, 9, nil}},
		"steps":     {{1, 2, 5, nil}, {6, -1, 7, nil}, {8, -2, 4, nil}},
		"an index":  {{3, 1, 1, nil}, {0, 1, 7, nil}, {0, 1, 9, nil}},
		"lists":     {{0, 1, 5, list}, {0, 1, 7, nil}, {0, 1, 3, []int{8, 0, 8}}},
		"one axis":  {{0, 1, 11, nil}},
		"no axis":   {},
		"nothing":   {{0, 1, 11, nil}, {0, 1, 0, nil}},
		"last axis": {{0, 1, 1, nil}, {0, 1, 1, nil}, {0, 1, 9, nil}},
	} {
		for _, chunk := range []int{1, 2, 3, 4, 100} {
			for limit := int64(1); limit < 800*8; limit += 1 + limit/3 {
				var got [][]int
				for b := range bands(r.even([]int{chunk, chunk, chunk}...), limit, limit) {
					if n := b.Bytes(8); n > max(limit, 8) {
						t.Fatalf("%s: a band of %d bytes, limit %d", name, n, limit)
					}
					got = append(got, r.in(b).positions()...)
				}
				if want := r.positions(); !slices.EqualFunc(got, want, slices.Equal) {
					t.Fatalf("%s in chunks of %d, limit %d: %v, want %v", name, chunk, limit, got, want)
				}
			}
		}
	}
}

// positions returns the positions of the elements of a region, in C order.
func (r region) positions() [][]int {
	all := [][]int{{}}
	for _, a := range r {
		var next [][]int
		for _, p := range all {
			for i := range a.count {
				next = append(next, append(slices.Clone(p), a.at(i)))
			}
		}
		all = next
	}
	return all
}

// TestBandsOfLongAxes checks the bands of axes that are too long to visit element by element.
func TestBandsOfLongAxes(t *testing.T) {
	const n = math.MaxInt
	for name, tt := range map[string]struct {
		axis  slice
		chunk int
		want  []int
	}{
		"one chunk":            {slice{0, 1, n, nil}, n, []int{n}},
		"two chunks":           {slice{0, 1, n, nil}, n/2 + 1, []int{n/2 + 1, n}},
		"two chunks backwards": {slice{n - 1, -1, n, nil}, n/2 + 1, []int{n / 2, n}},
		"steps":                {slice{1, 2, n / 2, nil}, n/2 + 1, []int{n/4 + 1, n / 2}},
	} {
		var got []int
		axis := region{tt.axis}.even(tt.chunk)[0]
		for from := 0; from < axis.Count; from = got[len(got)-1] {
			got = append(got, axis.End(from, n/8, n))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: cut at %v, want %v", name, got, tt.want)
		}
	}
}
