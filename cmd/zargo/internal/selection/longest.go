package selection

import (
	"context"

	"github.com/zargo-io/zargo/internal/walk"
)

// longest returns the largest number of consecutive selected elements in one chunk. If chunks
// differ in length, it visits all of them, until ctx ends. It does not support lists.
func longest(ctx context.Context, a walk.Axis) (int, error) {
	if a.Length > 0 {
		step := 1
		if a.Count > 1 {
			step = a.Position(1) - a.Position(0)
		}
		return min((a.Length-1)/max(step, -step)+1, a.Count), nil
	}
	most := 0
	for i, n := 0, 0; i < a.Count; n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		next := a.Next(i)
		most, i = max(most, next-i), next
	}
	return most, nil
}

// checkEvery is the number of iterations between two checks of the context in a long loop. 65,536
// iterations take about a millisecond.
const checkEvery = 1 << 16
