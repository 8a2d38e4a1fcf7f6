package derived

import (
	"path"
	"slices"
	"strings"
)

// statistics drops the attributes that describe the values of all elements.
func (t *tree) statistics(n *Node) {
	for _, name := range names(n.Attrs) {
		switch name {
		case "actual_range", "actual_min", "actual_max", "statistics", "histogram", "raster:statistics", "raster:histogram":
		default:
			if !strings.HasPrefix(name, "STATISTICS_") {
				continue
			}
		}
		t.drop(n, name, "it describes other elements")
	}
}

func names(attrs map[string]any) (list []string) {
	for name := range attrs {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// coverage drops the attributes of ACDD that describe the extent of the coordinates. A dimension
// whose meaning is unknown, such as station, may change every extent.
func (t *tree) coverage(g *Node, arrays []*Node) {
	var lat, lon, height, time bool
	for _, n := range arrays {
		if n.Inside {
			continue
		}
		// Other values of a coordinate extend the same way as other elements.
		values := n.Values && len(n.Axes) == 1 && path.Base(n.Path) == n.Axes[0].Dim
		for _, a := range n.Axes {
			switch {
			case a.kind == kept && !values, is(channels[:], a.Dim):
			case is(times[:], a.Dim):
				time = true
			case is(heights[:], a.Dim):
				height = true
			case strings.HasPrefix(strings.ToLower(a.Dim), "lat"):
				lat = true
			case strings.HasPrefix(strings.ToLower(a.Dim), "lon"):
				lon = true
			case is(rows[:], a.Dim), is(cols[:], a.Dim):
				lat, lon = true, true
			default:
				lat, lon, height, time = true, true, true, true
			}
		}
	}
	for _, name := range names(g.Attrs) {
		low := strings.ToLower(name)
		rest, space := strings.CutPrefix(low, "geospatial_")
		_, of, _ := strings.Cut(rest, "_")
		switch {
		case strings.HasPrefix(low, "time_coverage_") && time:
		case !space:
			continue
		case rest == "bounds" && (lat || lon || height):
		case of != "min" && of != "max" && of != "resolution":
			continue // units and the reference system are unchanged
		case strings.HasPrefix(rest, "lat") && lat, strings.HasPrefix(rest, "lon") && lon, strings.HasPrefix(rest, "vertical") && height:
		case (strings.HasPrefix(rest, "x_") || strings.HasPrefix(rest, "y_")) && (lat || lon):
		default:
			continue
		}
		t.drop(g, name, "it describes other coordinates")
	}
}
