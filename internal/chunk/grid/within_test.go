package grid

import (
	"bytes"
	"testing"
)

// TestWithin sets each position of the last two axes to a different value, forwards, backwards, by
// lists and by points.
func TestWithin(t *testing.T) {
	shape := []int{3, 2, 2} // the last two axes are in one chunk
	tests := []struct {
		name string
		sel  Selection
		want []byte
	}{
		{"all", Whole(shape), []byte{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}},
		{"backwards", Region{{Start: 1, Step: 1, Count: 1}, {Start: 1, Step: -1, Count: 2}, {Start: 0, Step: 1, Count: 2}}, []byte{2, 3, 0, 1}},
		{"one", Region{{Start: 0, Step: 1, Count: 3}, {Start: 1, Step: 1, Count: 1}, {Start: 0, Step: 1, Count: 1}}, []byte{2, 2, 2}},
		{"listed", Region{{Start: 0, Step: 1, Count: 1}, {Start: 0, Step: 1, Count: 1}, {Count: 3, Index: []int{1, 0, 1}}}, []byte{1, 0, 1}},
		{"points", NewPoints([][]int{{2, 0, 1}, {1, 0, 1}, {1, 0, 0}}, 3, Even([]int{2, 2, 2})), []byte{3, 0, 2}},
	}
	for _, tt := range tests {
		got := bytes.Repeat([]byte{9}, len(tt.want))
		for b := range tt.sel.Chunks(Even([]int{2, 2, 2})) {
			for i := range 4 {
				b.Within(shape[1:], i).FillRegion(got, tt.sel.Shape(), []byte{byte(i)})
			}
		}
		if !bytes.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
