package grid

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestPointsAgainstOracle moves random points through chunks, and through inner chunks of those, and compares with
// element-wise indexing.
func TestPointsAgainstOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	whole, twice := 0, 0 // chunks of which every element is a point, and those in which one comes twice
	for range 3000 {
		var shape, chunk, inner []int
		for range r.IntN(4) {
			shape, inner = append(shape, 1+r.IntN(9)), append(inner, 1+r.IntN(3))
			chunk = append(chunk, inner[len(inner)-1]*(1+r.IntN(3)))
		}
		n, size := r.IntN(12), []int{1, 3, 8}[r.IntN(3)]
		at := make([][]int, len(shape))
		for d := range at {
			for range n {
				at[d] = append(at[d], r.IntN(shape[d]))
			}
		}
		name := fmt.Sprint(shape, chunk, inner, at, size)
		place := func(i int) int { // of a point in the array
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
		p := NewPoints(at, n, chunk)
		if got := fmt.Sprint(p.Shape()); got != fmt.Sprint([]int{n}) {
			t.Fatalf("%s: shape %s", name, got)
		}
		// chunkAt takes a chunk, here one of chunk or of inner, out of the array, or puts it back.
		chunkAt := func(coord, by []int, b []byte, put bool) {
			for i := range product(by) {
				pos, inside := position(by, i), true
				for d := range pos {
					pos[d] += coord[d] * by[d]
					inside = inside && pos[d] < shape[d]
				}
				if k := index(shape, pos) * size; inside && put {
					copy(array[k:k+size], b[i*size:])
				} else if inside {
					copy(b[i*size:(i+1)*size], array[k:])
				}
			}
		}
		want, got, cut := make([]byte, n*size), make([]byte, n*size), make([]byte, n*size)
		for i := range n {
			copy(want[i*size:(i+1)*size], array[place(i)*size:])
		}
		seen := map[string]bool{}
		fill := bytes.Repeat([]byte{7}, size)
		filled := make([]byte, n*size)
		for b := range p.Chunks(chunk) {
			if seen[fmt.Sprint(b.Coord)] {
				t.Fatalf("%s: chunk %v twice", name, b.Coord)
			}
			seen[fmt.Sprint(b.Coord)] = true
			if _, ok := b.Contiguous(p.Shape()); ok || b.Full(chunk) {
				t.Fatalf("%s: a box of points is taken for a block", name)
			}
			covers, offs := covering(shape, chunk, at, n, b.Coord)
			if got := b.Covers(shape, chunk); got != covers {
				t.Fatalf("%s: covers %v: %v", name, b.Coord, got)
			}
			if covers {
				whole++
				if offs < len(b.Pairs) {
					twice++
				}
			}
			buf := make([]byte, product(chunk)*size)
			chunkAt(b.Coord, chunk, buf, false)
			b.FromChunk(got, buf, p.Shape(), chunk, size)
			b.FillRegion(filled, p.Shape(), fill)
			inside := b.CutPairs(chunk, inner)
			k := 0
			for in := range inside.Chunks(inner) {
				k++
				buf := make([]byte, product(inner)*size)
				coord := make([]int, len(shape))
				for d := range coord {
					coord[d] = b.Coord[d]*(chunk[d]/inner[d]) + in.Coord[d]
				}
				if seen["in"+fmt.Sprint(coord)] {
					t.Fatalf("%s: inner chunk %v twice", name, coord)
				}
				seen["in"+fmt.Sprint(coord)] = true
				chunkAt(coord, inner, buf, false)
				in.FromChunk(cut, buf, p.Shape(), inner, size)
			}
			if k != inside.Touched(inner) {
				t.Fatalf("%s: %d inner chunks, Touched is %d", name, k, inside.Touched(inner))
			}
		}
		if !bytes.Equal(got, want) || !bytes.Equal(cut, want) {
			t.Fatalf("%s: got %v, and through inner chunks %v, want %v", name, got, cut, want)
		}
		if !bytes.Equal(filled, bytes.Repeat(fill, n)) {
			t.Fatalf("%s: filled %v", name, filled)
		}
		wantArray := bytes.Clone(array)
		for i := range n {
			copy(wantArray[place(i)*size:(place(i)+1)*size], src[i*size:])
		}
		touched := 0
		for b := range p.Chunks(chunk) {
			touched++
			buf := make([]byte, product(chunk)*size)
			chunkAt(b.Coord, chunk, buf, false)
			b.ToChunk(buf, src, p.Shape(), chunk, size)
			chunkAt(b.Coord, chunk, buf, true)
		}
		if !bytes.Equal(array, wantArray) {
			t.Fatalf("%s: the array is %v, want %v", name, array, wantArray)
		}
		if touched != p.Touched(chunk) {
			t.Fatalf("%s: %d chunks, Touched is %d", name, touched, p.Touched(chunk))
		}
	}
	if whole < 100 || twice < 10 {
		t.Errorf("%d chunks were covered, %d of them with an element twice", whole, twice)
	}
}

// covering tells, element by element, whether points cover what lies inside the array of a chunk, and how many elements
// that is.
func covering(shape, chunk []int, at [][]int, points int, coord []int) (covers bool, n int) {
	covers = true
	for i := range product(chunk) {
		pos, inside := position(chunk, i), true
		for d := range pos {
			pos[d] += coord[d] * chunk[d]
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

// Points of a chunk that is far longer than the array: what is taken is what they take.
func TestPointsCoverLongChunk(t *testing.T) {
	chunk := []int{1 << 15, 1 << 15}
	p := NewPoints([][]int{{1, 0}, {0, 0}}, 2, chunk)
	for b := range p.Chunks(nil) {
		if !b.Covers([]int{2, 1}, chunk) || b.Covers([]int{2, 2}, chunk) || b.Covers([]int{1 << 20, 1 << 20}, chunk) {
			t.Error("two points cover what they are")
		}
	}
}
