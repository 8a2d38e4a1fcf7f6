package serving

import "testing"

// TestShares checks that the budgets together leave memory for the rest of the process.
func TestShares(t *testing.T) {
	for views := range 20 {
		bodies, arrays, view := shares(160<<20, views)
		if n := bodies + arrays + int64(views)*view; n > 112<<20 || min(bodies, arrays, view) < 1<<20 {
			t.Errorf("%d views: %d + %d + %d × %d bytes", views, bodies, arrays, views, view)
		}
	}
}
