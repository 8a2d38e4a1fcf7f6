package selection

import (
	"slices"
	"testing"
)

// TestAxisAt checks that axisAt returns a selection of the same positions.
func TestAxisAt(t *testing.T) {
	for _, at := range [][]int{{}, {4}, {0, 1, 2}, {1, 3, 5}, {5, 3, 1}, {2, 2}, {1, 2, 4}, {0, 9, 0}} {
		a := axisAt(at, false)
		var got []int
		for i := range a.Count {
			got = append(got, a.At(i))
		}
		if !slices.Equal(got, at) {
			t.Errorf("%v: %v", at, got)
		}
	}
}
