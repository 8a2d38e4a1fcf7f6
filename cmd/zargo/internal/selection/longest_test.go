package selection

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/zargo-io/zargo/internal/walk"
)

// TestLongest checks the longest range of selected elements in one chunk, for chunks that differ in
// length.
func TestLongest(t *testing.T) {
	edges := []int{5, 20, 3, 1, 1, 30, 40}
	chunk := func(i int) (start, length int) {
		n := 0
		for ; i >= start+edges[n]; n++ {
			start += edges[n]
		}
		return start, edges[n]
	}
	for _, r := range []struct {
		name                     string
		start, step, count, want int
	}{
		{"all", 0, 1, 100, 40},
		{"a part", 3, 1, 40, 20},
		{"steps", 3, 4, 20, 8},
		{"steps longer than chunks", 3, 33, 3, 1},
		{"backwards", 99, -1, 100, 40},
		{"backwards with steps", 97, -7, 14, 6},
	} {
		axis := walk.Axis{Count: r.count, Position: func(i int) int { return r.start + i*r.step }, Chunk: chunk}
		if got, err := longest(t.Context(), axis); got != r.want || err != nil {
			t.Errorf("%s: %d, %v, want %d", r.name, got, err, r.want)
		}
	}
	// Chunks that differ in length are visited one by one until the context ends.
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	ones := walk.Axis{Count: math.MaxInt, Position: func(i int) int { return i }, Chunk: func(i int) (start, length int) { return i, 1 }}
	if _, err := longest(ctx, ones); !errors.Is(err, enough) {
		t.Errorf("chunks of one element: %v", err)
	}
}
