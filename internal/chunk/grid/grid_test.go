package grid

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// position returns the coordinates of the i-th element of shape in C order.
func position(shape []int, i int) []int {
	p := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		p[d] = i % shape[d]
		i /= shape[d]
	}
	return p
}

func product(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

func index(shape, pos []int) int {
	i := 0
	for d := range shape {
		i = i*shape[d] + pos[d]
	}
	return i
}

// randomCase returns random shapes, grids and regions, with partial edge chunks, steps, single rows
// and empty axes.
func randomCase(r *rand.Rand) (shape []int, cut []edges, axes []Axis, region Region) {
	for range r.IntN(4) {
		n := 1 + r.IntN(9)
		shape = append(shape, n)
		e, a := randomEdges(r, n)
		cut, axes = append(cut, e), append(axes, a)
		region = append(region, randomSlice(r, n))
	}
	return shape, cut, axes, region
}

func randomSlice(r *rand.Rand, n int) Slice {
	if r.IntN(4) == 0 {
		list := make([]int, r.IntN(2*n))
		for i := range list {
			list[i] = r.IntN(n)
		}
		return Slice{Count: len(list), Index: list}
	}
	step, start := 1+r.IntN(4), r.IntN(n)
	if r.IntN(3) == 0 {
		return Slice{Start: start, Step: -step, Count: r.IntN(start/step + 2)}
	}
	return Slice{Start: start, Step: step, Count: r.IntN((n-start-1)/step + 2)}
}

// at returns the index on the axis of the j-th element of the slice.
func (s Slice) at(j int) int {
	if s.Index != nil {
		return s.Index[j]
	}
	return s.Start + j*s.Step
}

// TestReadAndWriteAgainstOracle moves every element of random regions through chunks and compares
// with element-wise indexing.
func TestReadAndWriteAgainstOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		shape, cut, axes, region := randomCase(r)
		size := []int{1, 2, 4, 8, 3}[r.IntN(5)]
		name := fmt.Sprint(shape, cut, region, size)
		array := make([]byte, product(shape)*size)
		for i := range array {
			array[i] = byte(r.Uint32())
		}
		element := func(buf []byte, i int) []byte { return buf[i*size : (i+1)*size] }
		rs := region.Shape()

		want := make([]byte, product(rs)*size)
		for i := range product(rs) {
			p := position(rs, i)
			for d := range p {
				p[d] = region[d].at(p[d])
			}
			copy(element(want, i), element(array, index(shape, p)))
		}

		// chunkOf copies a chunk out of the array, with 0xEE beyond the edge.
		chunkOf := func(coord, chunk []int) []byte {
			c := bytes.Repeat([]byte{0xEE}, product(chunk)*size)
			for i := range product(chunk) {
				p := position(chunk, i)
				in := true
				for d := range p {
					p[d] += cut[d].start(coord[d])
					in = in && p[d] < shape[d]
				}
				if in {
					copy(element(c, i), element(array, index(shape, p)))
				}
			}
			return c
		}

		got := bytes.Repeat([]byte{0x55}, len(want))
		seen := map[string]bool{}
		elements := 0
		for b := range region.Chunks(axes) {
			chunk := ShapeOf(axes, b.Coord)
			if seen[fmt.Sprint(b.Coord)] {
				t.Fatalf("%s: chunk %v twice", name, b.Coord)
			}
			seen[fmt.Sprint(b.Coord)] = true
			n := 1
			for _, p := range b.Parts {
				n *= p.N
			}
			elements += n
			src := chunkOf(b.Coord, chunk)
			b.FromChunk(got, src, rs, chunk, size)

			if off, ok := b.Contiguous(rs); ok {
				packed := make([]byte, n*size)
				one := Box{Coord: b.Coord, Parts: slices.Clone(b.Parts)}
				dims := make([]int, len(rs))
				for d := range one.Parts {
					one.Parts[d].Out = 0
					dims[d] = one.Parts[d].N
				}
				one.FromChunk(packed, src, dims, chunk, size)
				if !bytes.Equal(packed, got[off*size:off*size+len(packed)]) {
					t.Fatalf("%s: chunk %v is not contiguous at %d", name, b.Coord, off)
				}
			}

			back := slices.Clone(src)
			b.ToChunk(back, want, rs, chunk, size)
			if !bytes.Equal(back, src) {
				t.Fatalf("%s: ToChunk changed chunk %v", name, b.Coord)
			}
			covered := true
			for i := range product(chunk) {
				p := position(chunk, i)
				in, hit := true, true
				for d := range p {
					q := p[d] + cut[d].start(b.Coord[d])
					in = in && q < shape[d]
					one := false
					for j := range region[d].Count {
						one = one || region[d].at(j) == q
					}
					hit = hit && one
				}
				covered = covered && (!in || hit)
			}
			if b.Covers(shape, axes) != covered {
				t.Fatalf("%s: Covers(%v) is %v", name, b.Coord, !covered)
			}
			if full := b.Full(chunk); full && (n != product(chunk) || !covered) || !full && n == product(chunk) && ascending(region) {
				t.Fatalf("%s: Full(%v) is %v with %d of %d", name, b.Coord, full, n, product(chunk))
			}
		}
		if elements != product(rs) || !bytes.Equal(got, want) {
			t.Fatalf("%s: %d elements, got %x, want %x", name, elements, got, want)
		}

		fill := []byte{1, 2, 3, 4, 5, 6, 7, 8}[:size]
		for b := range region.Chunks(axes) {
			b.FillRegion(got, rs, fill)
		}
		if !IsFill(got, fill) {
			t.Fatalf("%s: fill left %x", name, got)
		}
	}
}

// ascending reports whether no axis goes backwards or has a list.
func ascending(r Region) bool {
	for _, s := range r {
		if s.Index != nil || s.Step < 0 {
			return false
		}
	}
	return true
}

func TestTouchedIsTheNumberOfChunks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		_, cut, axes, region := randomCase(r)
		n := 0
		for range region.Chunks(axes) {
			n++
		}
		if region.Touched(axes) != n {
			t.Fatalf("%v in %v: Touched is %d, there are %d", region, cut, region.Touched(axes), n)
		}
	}
}

// TestCutOfParts checks that dividing by chunks, and then by inner chunks that divide them, has the
// same result as dividing by inner chunks.
func TestCutOfParts(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 3000 {
		n := 1 + r.IntN(30)
		inner := 1 + r.IntN(4)
		e, outer := randomEdgesBy(r, n, inner)
		s := randomSlice(r, n)
		got, want := map[[2]int]int{}, map[[2]int]int{} // how often an element is copied to a position
		count := func(m map[[2]int]int, p Part, from int) {
			for j := range p.N {
				at, to := p.Off+j*p.Step, p.Out+j
				if p.At != nil {
					at, to = p.At[j], p.To[j]
				}
				if at < 0 || at >= inner {
					t.Fatalf("%v: element %d of an inner chunk of %d", s, at, inner)
				}
				m[[2]int{from + p.Chunk*inner + at, to}]++
			}
		}
		for b := range (Region{s}).Chunks([]Axis{outer}) {
			if p := b.Parts[0]; p.Touched(inner) != len(p.AppendCut(nil, inner)) {
				t.Fatalf("%+v by %d: Touched is %d", p, inner, p.Touched(inner))
			}
			for _, p := range b.Parts[0].AppendCut(nil, inner) {
				count(got, p, e.start(b.Coord[0]))
			}
		}
		for b := range (Region{s}).Chunks(Even([]int{inner})) {
			count(want, b.Parts[0], 0)
		}
		if !maps.Equal(got, want) {
			t.Fatalf("%v by %v by %d: %v, want %v", s, e, inner, got, want)
		}
	}
}

func TestIsFill(t *testing.T) {
	tests := []struct {
		name    string
		b, fill []byte
		want    bool
	}{
		{"nothing", nil, []byte{1}, true},
		{"one", []byte{1, 2}, []byte{1, 2}, true},
		{"last differs", []byte{1, 2, 1, 2, 1, 3}, []byte{1, 2}, false},
		{"first differs", []byte{0, 2, 1, 2}, []byte{1, 2}, false},
		{"negative zero is not zero", []byte{0, 0, 0, 0x80}, []byte{0, 0, 0, 0}, false},
		{"uniform but other", []byte{2, 2}, []byte{1}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := IsFill(tt.b, tt.fill); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestCount(t *testing.T) {
	if got := Count([]int{0, 1, 4, 5}, []int{4, 4, 4, 4}); !slices.Equal(got, []int{0, 1, 1, 2}) {
		t.Errorf("got %v", got)
	}
}
