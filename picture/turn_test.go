package picture

import (
	"slices"
	"testing"
)

// TestShown checks longitudes that cross the end of a turn, and coordinates that are not sorted.
func TestShown(t *testing.T) {
	lon := Axis{Name: "lon", Units: "degrees_east", Coords: []float64{350, 355, 0, 5}}
	if a := lon.shown(4); !slices.Equal(a.Coords, []float64{350, 355, 360, 365}) || !a.longitude() || a.label(a.Coords[3], 5) != "5°E" || a.label(a.Coords[0], 5) != "10°W" {
		t.Errorf("across Greenwich: %v", a)
	}
	lon.Coords = []float64{-170, 180, 170}
	if a := lon.shown(3); !slices.Equal(a.Coords, []float64{-170, -180, -190}) {
		t.Errorf("westwards across 180 degrees: %v", a)
	}
	for _, name := range []string{"lon", "lat"} {
		a := Axis{Name: name, Units: "degrees", Coords: []float64{3, 1, 2}}.shown(3)
		if !slices.Equal(a.Coords, []float64{0, 1, 2}) || a.longitude() || a.latitude() || a.label(1, 1) != "1" || string(a.title(200)) != name+" (position)" {
			t.Errorf("positions: %v, %s", a, string(a.title(200)))
		}
	}
	if got := nearTurn(0.5, 359.5); got != 360.5 {
		t.Errorf("the end of a pixel across Greenwich is at %v", got)
	}
}
