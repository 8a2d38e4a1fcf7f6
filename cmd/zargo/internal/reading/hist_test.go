package reading

import (
	"math"
	"testing"
)

// TestBar checks the lengths of bars.
func TestBar(t *testing.T) {
	for _, tt := range []struct {
		name    string
		n, most int64
		want    string
	}{
		{"none", 0, 8, ""},
		{"small", 1, 1000000, "▏"},
		{"half", 4, 8, "█████"},
		{"rest", 5, 8, "██████▎"},
		{"all", 8, 8, "██████████"},
		{"large", math.MaxInt64, math.MaxInt64, "██████████"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := barOf(tt.n, tt.most, 10); got != tt.want {
				t.Errorf("%q", got)
			}
		})
	}
}
