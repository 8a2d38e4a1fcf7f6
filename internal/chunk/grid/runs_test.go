package grid

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRuns checks that the runs of a selection, iterated in reverse order, divide the sequence of
// its chunks.
func TestRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 3000 {
		shape, _, axes, region := randomCase(r)
		at, points := make([][]int, len(shape)), r.IntN(9)
		for d := range at {
			for range points {
				at[d] = append(at[d], r.IntN(shape[d]))
			}
		}
		lengths := []int{1 + r.IntN(5), 1 + r.IntN(5), 1 + r.IntN(5)}
		length := func(i int) int { return lengths[i%3] }
		for _, s := range []Selection{region, NewPoints(at, points, axes)} {
			var runs []iter.Seq[Box]
			for run := range s.Runs(axes, length) {
				runs = append(runs, run)
			}
			got := make([][]Box, len(runs))
			for i, run := range slices.Backward(runs) {
				got[i] = slices.Collect(run)
			}
			var want [][]Box
			for all, i := slices.Collect(s.Chunks(axes)), 0; i < len(all); i += length(i) {
				want = append(want, all[i:min(i+length(i), len(all))])
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%v of %v by %d: runs %v, want %v", s, shape, lengths, got, want)
			}
		}
	}
}
