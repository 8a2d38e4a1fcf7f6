package grid

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestClasses compares the classes of slices with their pieces.
func TestClasses(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 1))
	for range 20_000 {
		n := 1 + r.IntN(120)
		axis := Even([]int{1 + r.IntN(20)})[0]
		if r.IntN(2) == 0 {
			var runs []Run
			for range 5 {
				runs = append(runs, Run{1 + r.IntN(9), 1 + r.IntN(6)})
			}
			axis = Uneven(n, append(runs, Run{7, n}))
		}
		s := Slice{Start: r.IntN(n), Step: 1 + r.IntN(r.IntN(25)+1)}
		room := (n - 1 - s.Start) / s.Step
		if r.IntN(2) == 0 {
			s.Step = -s.Step
			room = s.Start / -s.Step
		}
		s.Count = r.IntN(room + 2)
		want := map[alike]int{}
		if s.Count > 0 {
			for w := newWalker(s, axis); ; {
				start, edge := axis.Chunk(w.Chunk)
				want[alike{w.Off, w.Step, w.N, edge, min(edge, n-start)}]++
				if !w.next() {
					break
				}
			}
		}
		got := map[alike]int{}
		for _, c := range s.Classes(axis, n) {
			start, edge := axis.Chunk(c.Chunk)
			a := alike{c.Off, c.Step, c.N, edge, min(edge, n-start)}
			if got[a] > 0 {
				t.Fatalf("%+v: %+v is there twice", s, a)
			}
			got[a] = c.Like
		}
		if len(got) != len(want) {
			t.Fatalf("%+v of %d along %+v: %v, want %v", s, n, axis, got, want)
		}
		for a, k := range want {
			if got[a] != k {
				t.Fatalf("%+v of %d along %+v: %v, want %v", s, n, axis, got, want)
			}
		}
	}
}

// TestClassesOfLongSlices checks that Classes does not iterate over single chunks.
func TestClassesOfLongSlices(t *testing.T) {
	for _, tt := range []struct {
		s    Slice
		axis Axis
		n    int
	}{
		{Slice{Step: 1, Count: math.MaxInt}, Even([]int{1})[0], 1},
		{Slice{Step: 1, Count: math.MaxInt}, Even([]int{1000})[0], 2},
		{Slice{Start: math.MaxInt - 1, Step: -1, Count: math.MaxInt}, Even([]int{1000})[0], 2},
		{Slice{Start: 3, Step: 7, Count: math.MaxInt / 8}, Even([]int{1000})[0], 10},
		{Slice{Start: 3, Step: 1001, Count: math.MaxInt / 1002}, Even([]int{1000})[0], 1002},
		{Slice{Step: 1, Count: math.MaxInt}, Uneven(math.MaxInt, []Run{{3, math.MaxInt / 16}, {5, math.MaxInt / 16}, {2, math.MaxInt / 2}}), 4},
	} {
		classes, total := tt.s.Classes(tt.axis, math.MaxInt), 0
		for _, c := range classes {
			total += c.Like
		}
		if len(classes) > tt.n || total != tt.s.Touched(tt.axis) {
			t.Errorf("%+v: %d classes of %d pieces, want %d of %d", tt.s, len(classes), total, tt.n, tt.s.Touched(tt.axis))
		}
	}
	if n := Whole([]int{math.MaxInt / 2, math.MaxInt / 2}).Touched(Even([]int{1, 1})); n != math.MaxInt {
		t.Errorf("%d chunks", n)
	}
}
