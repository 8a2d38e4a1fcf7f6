package grid

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// edges has the length of each chunk along an axis. It is the simple equivalent of an Axis.
type edges []int

// randomEdges divides an axis of n elements, regularly or not, sometimes with chunks beyond its
// end.
func randomEdges(r *rand.Rand, n int) (edges, Axis) {
	var e edges
	if r.IntN(3) == 0 {
		every := 1 + r.IntN(n+3)
		for sum := 0; sum < n; sum += every {
			e = append(e, every)
		}
		return e, Even([]int{every})[0]
	}
	var runs []Run
	for sum := 0; sum < n || r.IntN(3) == 0; {
		run := Run{1 + r.IntN(5), 1 + r.IntN(4)}
		runs = append(runs, run)
		for range run.Count {
			e, sum = append(e, run.Edge), sum+run.Edge
		}
	}
	return e, Uneven(n, runs)
}

// randomEdgesBy is randomEdges with lengths that are multiples of inner.
func randomEdgesBy(r *rand.Rand, n, inner int) (edges, Axis) {
	e, _ := randomEdges(r, n)
	var runs []Run
	for i := range e {
		e[i] *= inner
		runs = append(runs, Run{e[i], 1})
	}
	return e, Uneven(n, runs)
}

// start returns the index of the first element of chunk i.
func (e edges) start(i int) (n int) {
	for _, edge := range e[:i] {
		n += edge
	}
	return n
}

// of returns the chunk that contains an element, and the offset of the element in it.
func (e edges) of(pos int) (chunk, off int) {
	for pos >= e[chunk] {
		pos -= e[chunk]
		chunk++
	}
	return chunk, pos
}

func TestAxisAgainstOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 3000 {
		n := r.IntN(30)
		e, a := randomEdges(r, n)
		name := fmt.Sprint(n, e)
		longest, divisor, count := 1, 0, 0
		for pos := range n {
			chunk, off := e.of(pos)
			c, edge, o := a.Locate(pos)
			if c != chunk || edge != e[chunk] || o != off || a.number(pos) != chunk {
				t.Fatalf("%s: element %d is %d of chunk %d of length %d, want %d of %d", name, pos, o, c, edge, off, chunk)
			}
			count = chunk + 1
		}
		for i := range count {
			if start, edge := a.Chunk(i); start != e.start(i) || edge != e[i] {
				t.Fatalf("%s: chunk %d is %d+%d", name, i, start, edge)
			}
			longest = max(longest, e[i])
			for divisor = max(divisor, e[i]); slices.ContainsFunc(e[:i+1], func(n int) bool { return n%divisor != 0 }); divisor-- {
			}
		}
		if a.Count(n) != count {
			t.Fatalf("%s: %d chunks, want %d", name, a.Count(n), count)
		}
		if n > 0 && (a.Longest() != longest || a.Divisor() != divisor) {
			t.Fatalf("%s: longest %d, divisor %d, want %d and %d", name, a.Longest(), a.Divisor(), longest, divisor)
		}
		one := len(slices.Compact(slices.Clone(e[:count]))) <= 1
		if edge, ok := a.Edge(); ok != one || ok && n > 0 && edge != e[0] || (Shape([]Axis{a}) != nil) != one {
			t.Fatalf("%s: Edge is %d, %v", name, edge, ok)
		}
		if count > 0 {
			i := r.IntN(count)
			if got := ShapeOf([]Axis{a, a}, []int{i, 0}); !slices.Equal(got, []int{e[i], e[0]}) {
				t.Fatalf("%s: shape of chunk %d is %v", name, i, got)
			}
		}
	}
}

// TestHostileRuns checks that no number in a document makes arithmetic overflow or memory grow.
func TestHostileRuns(t *testing.T) {
	const (
		most = math.MaxInt
		half = 1 << (bits.UintSize / 2) // its square overflows to 0
	)
	tests := []struct {
		name  string
		n     int
		runs  []Run
		count int
		last  [2]int // start and length of the last chunk
	}{
		{"many small chunks", most, []Run{{1, most / 2}, {3, most}}, most/2 + (most-most/2+2)/3, [2]int{most/2 + (most-most/2-1)/3*3, 3}},
		{"more than any axis", 10, []Run{{1, most}, {1, most}, {2, most}}, 10, [2]int{9, 1}},
		{"products that wrap", 10, []Run{{half, half}, {5, 1}}, 1, [2]int{0, half}},
		{"sums that wrap", most, []Run{{most - 1, 1}, {most, most}}, 2, [2]int{most - 1, most}},
		{"no elements", 0, []Run{{most, most}}, 0, [2]int{}},
		{"nothing at all", 0, nil, 0, [2]int{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := Uneven(tt.n, tt.runs)
			if len(a.runs) > len(tt.runs) {
				t.Errorf("%d runs", len(a.runs))
			}
			if got := a.Count(tt.n); got != tt.count {
				t.Fatalf("%d chunks, want %d", got, tt.count)
			}
			if tt.count == 0 {
				return
			}
			start, edge := a.Chunk(tt.count - 1)
			if start != tt.last[0] || edge != tt.last[1] {
				t.Errorf("the last is %d+%d, want %v", start, edge, tt.last)
			}
			if c, _, off := a.Locate(tt.n - 1); c != tt.count-1 || off != tt.n-1-start {
				t.Errorf("the last element is %d of chunk %d", off, c)
			}
			whole := Whole([]int{tt.n})
			if got := whole.Touched([]Axis{a}); got != tt.count {
				t.Errorf("%d touched", got)
			}
			back := Region{{Start: tt.n - 1, Step: -1, Count: tt.n}}
			if got := back.Touched([]Axis{a}); got != tt.count {
				t.Errorf("%d touched backwards", got)
			}
			for b := range back.Chunks([]Axis{a}) {
				if p := b.Parts[0]; p.Chunk != tt.count-1 || p.Off != tt.n-1-start || p.N != tt.n-start {
					t.Errorf("backwards first %+v", p)
				}
				break
			}
		})
	}
}

// TestManyRuns locates chunks among as many runs as a large document has.
func TestManyRuns(t *testing.T) {
	runs := make([]Run, 100_000)
	n := 0
	for i := range runs {
		runs[i] = Run{1 + i%7, 1 + i%3}
		n += runs[i].Edge * runs[i].Count
	}
	a := Uneven(n, runs)
	pos, i := 0, 0
	for _, r := range runs {
		for range r.Count {
			if start, edge := a.Chunk(i); start != pos || edge != r.Edge {
				t.Fatalf("chunk %d is %d+%d, want %d+%d", i, start, edge, pos, r.Edge)
			}
			if c, edge, off := a.Locate(pos + r.Edge - 1); c != i || edge != r.Edge || off != r.Edge-1 {
				t.Fatalf("element %d is %d of chunk %d", pos+r.Edge-1, off, c)
			}
			pos += r.Edge
			i++
		}
	}
	if got := (Region{{Step: 1, Count: n}}).Touched([]Axis{a}); got != i || a.Count(n) != i {
		t.Errorf("%d and %d chunks, want %d", got, a.Count(n), i)
	}
}
