package picture

import (
	"math"
	"testing"
)

func TestBounds(t *testing.T) {
	for _, n := range []int{1, 2, 7, 1000, math.MaxInt} {
		for _, p := range []int{1, 2, 7, 999} {
			if p > n {
				continue
			}
			b := bounds(n, p)
			if b[0] != 0 || b[p] != n {
				t.Errorf("%d boxes of %d elements: from %d to %d", p, n, b[0], b[p])
			}
			for i := range p {
				if b[i+1] <= b[i] || boxOf(b[i], n, p) != i || boxOf(b[i+1]-1, n, p) != i {
					t.Fatalf("%d boxes of %d elements: box %d is from %d to %d", p, n, i, b[i], b[i+1])
				}
			}
		}
	}
}

func TestTicks(t *testing.T) {
	for _, tt := range []struct {
		name string
		axis Axis
		want []tick
	}{
		{"latitudes", Axis{Units: "degrees_north", Coords: []float64{-67.5, -22.5, 22.5, 67.5}}, []tick{{0, "90°S"}, {45, "60°S"}, {89, "30°S"}, {134, "0°"}, {179, "30°N"}, {223, "60°N"}, {267, "90°N"}}},
		{"downward", Axis{Coords: []float64{3, 2, 1, 0}}, []tick{{234, "0"}, {167, "1"}, {100, "2"}, {34, "3"}}},
		{"fractions", Axis{Coords: []float64{0, 0.1, 0.2, 0.3}}, []tick{{34, "0.0"}, {101, "0.1"}, {168, "0.2"}, {235, "0.3"}}},
		{"uneven", Axis{Coords: []float64{10, 20, 40, 80}}, []tick{{100, "20"}, {167, "40"}, {200, "60"}, {235, "80"}, {267, "100"}}},
		{"large", Axis{Coords: []float64{1e9, 2e9, 3e9, 4e9}}, []tick{{34, "1e+09"}, {101, "2e+09"}, {168, "3e+09"}, {235, "4e+09"}}},
		{"labels", Axis{Labels: []string{"a", "b", "c", "d"}}, []tick{{33, "a"}, {100, "b"}, {167, "c"}, {234, "d"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.axis.ticks(4, 67, 40, false)
			if len(got) != len(tt.want) {
				t.Fatalf("%v, want %v", got, tt.want)
			}
			for i, w := range tt.want {
				if g := got[i]; g.label != w.label || g.at < w.at-1 || g.at > w.at+1 {
					t.Errorf("%v, want %v", g, w)
				}
			}
		})
	}
	east := Axis{Units: "degrees_east"}
	for v, want := range map[float64]string{0: "0°", 90: "90°E", 180: "180°", 270: "90°W", 360: "0°", -30: "30°W", -180: "180°"} {
		if got := east.label(v, 30); got != want {
			t.Errorf("%v is %s, want %s", v, got, want)
		}
	}
}
