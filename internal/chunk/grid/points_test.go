package grid

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestPointsAgainstOracle moves random points through chunks, and through inner chunks of those,
// and compares the result with element-wise indexing.
func TestPointsAgainstOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	whole, twice := 0, 0 // chunks of which every element is a point, and chunks in which a point occurs twice
	for range 3000 {
		var shape, inner []int
		var cut []edges
		var axes []Axis
		for range r.IntN(4) {
			n, in := 1+r.IntN(9), 1+r.IntN(3)
			e, a := randomEdgesBy(r, n, in)
			shape, inner, cut, axes = append(shape, n), append(inner, in), append(cut, e), append(axes, a)
		}
		n, size := r.IntN(12), []int{1, 3, 8}[r.IntN(3)]
		at := make([][]int, len(shape))
		for d := range at {
			for range n {
				at[d] = append(at[d], r.IntN(shape[d]))
			}
		}
		name := fmt.Sprint(shape, cut, inner, at, size)
		place := func(i int) int { // index of a point in the array
			pos := make([]int, len(shape))
			for d := range pos {
				pos[d] = at[d][i]
			}
			return index(shape, pos)
		}
		array, src := make([]byte, product(shape)*size), make([]byte, n*size)
		for i := range array {
			array[i] = byte(r.Uint32())
		}
		for i := range src {
			src[i] = byte(r.Uint32())
		}
		p := NewPoints(at, n, axes)
		if got := fmt.Sprint(p.Shape()); got != fmt.Sprint([]int{n}) {
			t.Fatalf("%s: shape %s", name, got)
		}
		// startOf returns the first element of a chunk of the grid.
		startOf := func(coord []int) []int {
			start := make([]int, len(coord))
			for d := range coord {
				start[d] = cut[d].start(coord[d])
			}
			return start
		}
		// chunkAt copies a chunk with lengths by out of the array, or back into it if put is set.
		chunkAt := func(start, by []int, b []byte, put bool) {
			for i := range product(by) {
				pos, inside := position(by, i), true
				for d := range pos {
					pos[d] += start[d]
					inside = inside && pos[d] < shape[d]
				}
				if k := index(shape, pos) * size; inside && put {
					copy(array[k:k+size], b[i*size:])
				} else if inside {
					copy(b[i*size:(i+1)*size], array[k:])
				}
			}
		}
		want, got, parts := make([]byte, n*size), make([]byte, n*size), make([]byte, n*size)
		for i := range n {
			copy(want[i*size:(i+1)*size], array[place(i)*size:])
		}
		seen := map[string]bool{}
		fill := bytes.Repeat([]byte{7}, size)
		filled := make([]byte, n*size)
		for b := range p.Chunks(axes) {
			chunk := ShapeOf(axes, b.Coord)
			if seen[fmt.Sprint(b.Coord)] {
				t.Fatalf("%s: chunk %v twice", name, b.Coord)
			}
			seen[fmt.Sprint(b.Coord)] = true
			if _, ok := b.Contiguous(p.Shape()); ok || b.Full(chunk) {
				t.Fatalf("%s: a box of points is taken for a block", name)
			}
			covers, offs := covering(shape, chunk, at, n, startOf(b.Coord))
			if got := b.Covers(shape, axes); got != covers {
				t.Fatalf("%s: covers %v: %v", name, b.Coord, got)
			}
			if covers {
				whole++
				if offs < len(b.Pairs) {
					twice++
				}
			}
			buf := make([]byte, product(chunk)*size)
			chunkAt(startOf(b.Coord), chunk, buf, false)
			b.FromChunk(got, buf, p.Shape(), chunk, size)
			b.FillRegion(filled, p.Shape(), fill)
			inside := b.CutPairs(chunk, inner)
			k := 0
			for in := range inside.Chunks(nil) {
				k++
				buf := make([]byte, product(inner)*size)
				start := startOf(b.Coord)
				for d := range start {
					start[d] += in.Coord[d] * inner[d]
				}
				if seen["in"+fmt.Sprint(start)] {
					t.Fatalf("%s: inner chunk at %v twice", name, start)
				}
				seen["in"+fmt.Sprint(start)] = true
				chunkAt(start, inner, buf, false)
				in.FromChunk(parts, buf, p.Shape(), inner, size)
			}
			if k != inside.Touched(nil) {
				t.Fatalf("%s: %d inner chunks, Touched is %d", name, k, inside.Touched(nil))
			}
		}
		if !bytes.Equal(got, want) || !bytes.Equal(parts, want) {
			t.Fatalf("%s: got %v, and through inner chunks %v, want %v", name, got, parts, want)
		}
		if !bytes.Equal(filled, bytes.Repeat(fill, n)) {
			t.Fatalf("%s: filled %v", name, filled)
		}
		wantArray := bytes.Clone(array)
		for i := range n {
			copy(wantArray[place(i)*size:(place(i)+1)*size], src[i*size:])
		}
		touched := 0
		for b := range p.Chunks(axes) {
			touched++
			chunk := ShapeOf(axes, b.Coord)
			buf := make([]byte, product(chunk)*size)
			chunkAt(startOf(b.Coord), chunk, buf, false)
			b.ToChunk(buf, src, p.Shape(), chunk, size)
			chunkAt(startOf(b.Coord), chunk, buf, true)
		}
		if !bytes.Equal(array, wantArray) {
			t.Fatalf("%s: the array is %v, want %v", name, array, wantArray)
		}
		if touched != p.Touched(axes) {
			t.Fatalf("%s: %d chunks, Touched is %d", name, touched, p.Touched(axes))
		}
	}
	if whole < 100 || twice < 10 {
		t.Errorf("%d chunks were covered, %d of them with an element twice", whole, twice)
	}
}

// covering reports, element by element, whether points cover the part of a chunk that is inside the
// array, and the number of elements of that part.
func covering(shape, chunk []int, at [][]int, points int, start []int) (covers bool, n int) {
	covers = true
	for i := range product(chunk) {
		pos, inside := position(chunk, i), true
		for d := range pos {
			pos[d] += start[d]
			inside = inside && pos[d] < shape[d]
		}
		if !inside {
			continue
		}
		n++
		there := false
		for k := range points {
			same := true
			for d := range pos {
				same = same && at[d][k] == pos[d]
			}
			there = there || same
		}
		covers = covers && there
	}
	return covers, n
}

// TestPointsCoverLongChunk checks that points in a chunk that is much longer than the array cover
// only themselves.
func TestPointsCoverLongChunk(t *testing.T) {
	chunk := []int{1 << 15, 1 << 15}
	axes := Even(chunk)
	p := NewPoints([][]int{{1, 0}, {0, 0}}, 2, axes)
	for b := range p.Chunks(nil) {
		if !b.Covers([]int{2, 1}, axes) || b.Covers([]int{2, 2}, axes) || b.Covers([]int{1 << 20, 1 << 20}, axes) {
			t.Error("two points cover what they are")
		}
	}
}
