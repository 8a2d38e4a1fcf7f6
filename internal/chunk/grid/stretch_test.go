package grid

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestStretch checks random slices of random axes: each stretch is in one block, the next stretch
// is in another block, and together they are the slice.
func TestStretch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		n := 1 + r.IntN(100)
		axis := Even([]int{1 + r.IntN(20)})[0]
		if r.IntN(2) == 0 {
			var runs []Run
			for left := n; left > 0; {
				run := Run{Edge: 1 + r.IntN(10), Count: 1 + r.IntN(4)}
				runs = append(runs, run)
				left -= run.Edge * run.Count
			}
			axis = Uneven(n, runs)
		}
		s := Slice{Step: 1 + r.IntN(7)}
		switch r.IntN(3) {
		case 0:
			s.Start = r.IntN(n)
			s.Count = r.IntN((n-1-s.Start)/s.Step+1) + 1
		case 1:
			s.Step = -s.Step
			s.Start = r.IntN(n)
			s.Count = r.IntN(s.Start/-s.Step+1) + 1
		default:
			s = Slice{Step: 1, Count: r.IntN(30), Index: []int{}}
			for range s.Count {
				s.Index = append(s.Index, r.IntN(n))
			}
		}
		chunks := 1 + r.IntN(4)
		if r.IntN(20) == 0 {
			chunks = math.MaxInt
		}
		elements := func(s Slice) (all []int) {
			for j := range s.Count {
				if s.Index != nil {
					all = append(all, s.Index[j])
				} else {
					all = append(all, s.Start+j*s.Step)
				}
			}
			return all
		}
		var got []int
		before := -1
		for j := 0; j < s.Count; j = len(got) {
			st := s.Stretch(j, axis, chunks)
			if st.Out != len(got) || st.N < 1 {
				t.Fatalf("%+v in %+v by %d: %+v after %d elements", s, axis, chunks, st, len(got))
			}
			part := elements(s.Of(st))
			block := axis.number(part[0]) / chunks
			for _, at := range part {
				if axis.number(at)/chunks != block {
					t.Fatalf("%+v in %+v by %d: %+v is in two blocks", s, axis, chunks, st)
				}
			}
			if block == before {
				t.Fatalf("%+v in %+v by %d: %+v is in the block of the one before", s, axis, chunks, st)
			}
			before = block
			got = append(got, part...)
		}
		if !slices.Equal(got, elements(s)) {
			t.Fatalf("%+v in %+v by %d: %v", s, axis, chunks, got)
		}
	}
}
