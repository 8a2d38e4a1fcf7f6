package derived_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/attributes/derived"
)

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// The changes of the tests: rows 2 and 3 and columns 1 to 3 of 4 × 4 elements, and others.
func crop() []derived.Axis {
	return []derived.Axis{derived.Range("y", 4, 2, 1, 2), derived.Range("x", 4, 1, 1, 3)}
}

func axes(y, x derived.Axis) []derived.Axis { return []derived.Axis{y, x} }

const placed = `{"units":"m","valid_range":[0,9],"actual_range":[1,2],"STATISTICS_MEAN":1,` +
	`"spatial:dimensions":["y","x"],"spatial:transform":[1,0,0,0,-1,4],"spatial:shape":[4,4],"spatial:bbox":[0,0,4,4]}`

// TestArray checks the attributes of an array. The bounds are those that rioxarray computes from
// the selected coordinates.
func TestArray(t *testing.T) {
	const kept = `"units":"m","valid_range":[0,9],"spatial:dimensions":["y","x"]`
	for _, c := range []struct {
		name  string
		attrs string
		axes  []derived.Axis
		want  string
	}{
		{"crop", placed, crop(), `{` + kept + `,"spatial:transform":[1,0,1,0,-1,2],"spatial:shape":[2,3],"spatial:bbox":[1,0,4,2]}`},
		{"windows", placed, axes(derived.Windows("y", 2, 2), derived.Windows("x", 2, 2)), `{` + kept + `,"spatial:transform":[2,0,0,0,-2,4],"spatial:shape":[2,2],"spatial:bbox":[0,0,4,4]}`},
		{"step", placed, axes(derived.Range("y", 4, 0, 2, 2), derived.Range("x", 4, 0, 1, 4)), `{` + kept + `,"spatial:transform":[1,0,0,0,-2,4.5],"spatial:shape":[2,4],"spatial:bbox":[0,0.5,4,4.5]}`},
		{"reversed", placed, axes(derived.Range("y", 4, 3, -1, 4), derived.Range("x", 4, 0, 1, 4)), `{` + kept + `,"spatial:transform":[1,0,0,0,1,0],"spatial:shape":[4,4],"spatial:bbox":[0,0,4,4]}`},
		{"append", placed, axes(derived.Resized("y", 4, 6), derived.Resized("x", 4, 4)), `{` + kept + `,"spatial:transform":[1,0,0,0,-1,4],"spatial:shape":[6,4],"spatial:bbox":[0,-2,4,4]}`},
		{"list", placed, axes(derived.List("y", 2), derived.Range("x", 4, 0, 1, 4)), `{` + kept + `,"spatial:shape":[2,4]}`},
		{"one row", placed, axes(derived.At("y"), derived.Range("x", 4, 0, 1, 4)), `{"units":"m","valid_range":[0,9]}`},
		{"another axis", placed, append([]derived.Axis{derived.Range("time", 9, 3, 1, 2)}, axes(derived.Range("y", 4, 0, 1, 4), derived.Range("x", 4, 0, 1, 4))...),
			`{` + kept + `,"spatial:transform":[1,0,0,0,-1,4],"spatial:shape":[4,4],"spatial:bbox":[0,0,4,4]}`},
		{"no elements", placed, axes(derived.Range("y", 4, 1, 1, 0), derived.Range("x", 4, 0, 1, 4)), `{` + kept + `,"spatial:transform":[1,0,0,0,-1,3]}`},
		{"columns first", `{"spatial:dimensions":["y","x"],"spatial:transform":[1,0,0,0,-1,4]}`, axes(derived.Range("x", 4, 1, 1, 2), derived.Range("y", 4, 2, 1, 2)),
			`{"spatial:dimensions":["y","x"],"spatial:transform":[1,0,1,0,-1,2]}`},
		{"nodes", `{"spatial:dimensions":["y","x"],"spatial:transform":[1,0,0,0,-1,4],"spatial:registration":"node","spatial:bbox":[0,1,3,4]}`,
			axes(derived.Windows("y", 2, 2), derived.Windows("x", 2, 2)), `{"spatial:dimensions":["y","x"],"spatial:transform":[2,0,0.5,0,-2,3.5],"spatial:registration":"node","spatial:bbox":[0.5,1.5,2.5,3.5]}`},
		{"box without transform", `{"spatial:dimensions":["y","x"],"spatial:bbox":[0,1,3,4]}`, crop(), `{"spatial:dimensions":["y","x"]}`},
		{"STAC", `{"proj:epsg":4326,"proj:transform":[1,0,0,0,-1,4,0,0,1],"proj:shape":[4,4],"proj:bbox":[0,0,4,4]}`, crop(),
			`{"proj:epsg":4326,"proj:transform":[1,0,1,0,-1,2,0,0,1],"proj:shape":[2,3],"proj:bbox":[1,0,4,2]}`},
		{"rasterio", `{"transform":[1,0,0,0,-1,4],"res":[1,1]}`, axes(derived.Windows("y", 2, 2), derived.Windows("x", 4, 1)), `{"transform":[4,0,0,0,-2,4],"res":[4,2]}`},
		{"rotated", `{"spatial:transform":[1,2,0,3,-1,4]}`, crop(), `{"spatial:transform":[1,2,5,3,-1,5]}`},
		{"malformed", `{"spatial:transform":[1,0],"spatial:shape":"x","spatial:bbox":null}`, crop(), `{"spatial:shape":[2,3],"spatial:bbox":null}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			attrs := object(t, c.attrs)
			got, dropped := derived.Attributes([]derived.Node{{Path: "t", Array: true, Attrs: attrs, Axes: c.axes}})
			if want := object(t, c.want); !reflect.DeepEqual(got["t"], want) {
				t.Errorf("got %v\nwant %v", got["t"], want)
			}
			if !reflect.DeepEqual(attrs, object(t, c.attrs)) {
				t.Errorf("the argument is %v now", attrs)
			}
			for name := range attrs {
				if _, ok := got["t"][name]; !ok && !strings.Contains(fmt.Sprint(dropped), name) {
					t.Errorf("%s is not reported: %v", name, dropped)
				}
			}
		})
	}
	if got, dropped := derived.Attributes([]derived.Node{{Array: true, Attrs: object(t, placed), Axes: axes(derived.Range("y", 4, 0, 1, 4), derived.Windows("x", 1, 4))}}); len(got)+len(dropped) > 0 {
		t.Errorf("without a change: %v, %v", got, dropped)
	}
	if got, _ := derived.Attributes([]derived.Node{{Array: true, Values: true, Attrs: object(t, `{"actual_range":[1,2]}`)}}); len(got) != 1 || len(got[""]) > 0 {
		t.Errorf("after a write: %v", got)
	}
}

// TestVariables checks grid mapping variables, groups and their pyramids.
func TestVariables(t *testing.T) {
	const transform = `{"GeoTransform":"0.0 1.0 0.0 4.0 0.0 -1.0","gcps":"x","crs_wkt":"y"}`
	for _, c := range []struct {
		name  string
		nodes []derived.Node
		want  string
	}{
		{"GeoTransform", []derived.Node{
			{Path: "g/t", Array: true, Attrs: object(t, `{"grid_mapping":"crs: x y"}`), Axes: crop()},
			{Path: "g/crs", Array: true, Attrs: object(t, transform)},
		}, `{"g/crs":{"GeoTransform":"1.0 1.0 0.0 2.0 0.0 -1.0","crs_wkt":"y"}}`},
		{"rioxarray", []derived.Node{
			{Path: "t", Array: true, Axes: crop()},
			{Path: "spatial_ref", Array: true, Attrs: object(t, transform)},
		}, `{"spatial_ref":{"GeoTransform":"1.0 1.0 0.0 2.0 0.0 -1.0","crs_wkt":"y"}}`},
		{"two grids", []derived.Node{
			{Path: "t", Array: true, Attrs: object(t, `{"grid_mapping":"crs"}`), Axes: crop()},
			{Path: "u", Array: true, Attrs: object(t, `{"grid_mapping":"crs"}`), Axes: axes(derived.Range("b", 4, 0, 1, 4), derived.Range("a", 4, 0, 1, 4))},
			{Path: "crs", Array: true, Attrs: object(t, transform)},
		}, `{"crs":{"crs_wkt":"y"}}`},
		{"a group with a grid", []derived.Node{
			{Path: "", Attrs: object(t, `{"proj:code":"EPSG:4326","spatial:dimensions":["y","x"],"spatial:transform":[1,0,0,0,-1,4],"spatial:bbox":[0,0,4,4]}`)},
			{Path: "t", Array: true, Axes: crop()}, {Path: "y", Array: true, Axes: crop()[:1]},
		}, `{"":{"proj:code":"EPSG:4326","spatial:dimensions":["y","x"],"spatial:transform":[1,0,1,0,-1,2],"spatial:bbox":[1,0,4,2]}}`},
		{"ACDD", []derived.Node{
			{Path: "", Attrs: object(t, `{"geospatial_lat_min":1,"geospatial_lat_units":"degrees_north","geospatial_lon_max":2,"geospatial_bounds":"x","time_coverage_end":"x","geospatial_vertical_min":0}`)},
			{Path: "t", Array: true, Axes: axes(derived.Range("lat", 4, 1, 1, 2), derived.Range("lon", 4, 0, 1, 4))},
		}, `{"":{"geospatial_lat_units":"degrees_north","geospatial_lon_max":2,"time_coverage_end":"x","geospatial_vertical_min":0}}`},
		{"ACDD of time", []derived.Node{
			{Path: "", Attrs: object(t, `{"geospatial_lat_min":1,"time_coverage_end":"x"}`)},
			{Path: "t", Array: true, Axes: []derived.Axis{derived.Resized("time", 4, 5)}},
		}, `{"":{"geospatial_lat_min":1}}`},
		{"OME", []derived.Node{
			{Path: "", Attrs: object(t, `{"ome":{"version":"0.5","multiscales":[{"datasets":[{"path":"0","coordinateTransformations":[{"type":"scale","scale":[0.5,0.5]}]},`+
				`{"path":"1","coordinateTransformations":[{"type":"scale","scale":[1,1]},{"type":"translation","translation":[0.25,0.25]}]}]}]}}`)},
			{Path: "0", Array: true, Axes: crop()}, {Path: "1", Array: true, Axes: axes(derived.Range("y", 2, 1, 1, 1), derived.Range("x", 2, 0, 1, 2))},
		}, `{"":{"ome":{"version":"0.5","multiscales":[{"datasets":[{"path":"0","coordinateTransformations":[{"type":"scale","scale":[0.5,0.5]},{"type":"translation","translation":[1,0.5]}]},` +
			`{"path":"1","coordinateTransformations":[{"type":"scale","scale":[1,1]},{"type":"translation","translation":[1.25,0.25]}]}]}]}}}`},
		{"OME 0.6", []derived.Node{
			{Path: "", Attrs: object(t, `{"ome":{"version":"0.6","multiscales":[{"coordinateSystems":[],"datasets":[{"path":"0","coordinateTransformations":[{"type":"scale","scale":[2,2],"input":{"path":"0"},"output":{"name":"w"}}]}]}]}}`)},
			{Path: "0", Array: true, Axes: crop()},
		}, `{"":{"ome":{"version":"0.6","multiscales":[{"coordinateSystems":[],"datasets":[{"path":"0","coordinateTransformations":[{"type":"sequence","input":{"path":"0"},"output":{"name":"w"},` +
			`"transformations":[{"type":"scale","scale":[2,2]},{"type":"translation","translation":[4,2]}]}]}]}]}}}`},
		{"OME without an axis", []derived.Node{
			{Path: "", Attrs: object(t, `{"multiscales":[{"datasets":[{"path":"0","coordinateTransformations":[{"type":"scale","scale":[2,2]}]}]}],"omero":1}`)},
			{Path: "0", Array: true, Axes: axes(derived.At("y"), derived.Range("x", 4, 0, 1, 4))},
		}, `{"":{"omero":1}}`},
		{"layout", []derived.Node{
			{Path: "", Attrs: object(t, `{"multiscales":{"layout":[{"asset":"t","transform":{"scale":[1,1],"translation":[0,0]}},{"asset":"1/t","derived_from":"t","transform":{"scale":[2,2],"translation":[0.5,0.5]}}]}}`)},
			{Path: "t", Array: true, Axes: crop()}, {Path: "1/t", Array: true, Axes: axes(derived.Range("y", 2, 1, 1, 1), derived.Range("x", 2, 0, 1, 2))},
		}, `{"":{"multiscales":{"layout":[{"asset":"t","transform":{"scale":[1,1],"translation":[0,0]}},{"asset":"1/t","derived_from":"t","transform":{"scale":[2,2],"translation":[0.5,-0.5]}}]}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, dropped := derived.Attributes(c.nodes)
			text, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			if want := object(t, c.want); !reflect.DeepEqual(object(t, string(text)), want) {
				t.Errorf("got %s, %v\nwant %v", text, dropped, want)
			}
		})
	}
}

// FuzzAttributes checks that stored attributes do not stop Attributes, and that a second call with
// kept axes changes nothing.
func FuzzAttributes(f *testing.F) {
	f.Add([]byte(placed), []byte(`{"ome":{"multiscales":[{"datasets":[{"path":"t","coordinateTransformations":[{"type":"scale","scale":[1,2]}]}]}]}}`))
	f.Add([]byte(`{"GeoTransform":[0,1,0,0,0,1]}`), []byte(`{"multiscales":{"layout":[{"asset":"t","transform":{"scale":[1,1]}},{"asset":"t","derived_from":"t","transform":1}]}}`))
	f.Fuzz(func(t *testing.T, array, group []byte) {
		var a, g map[string]any
		if json.Unmarshal(array, &a) != nil || json.Unmarshal(group, &g) != nil {
			return
		}
		for _, axes := range [][]derived.Axis{crop(), {derived.At("y")}, {derived.List("y", 3), derived.Windows("x", 2, 2)}} {
			got, _ := derived.Attributes([]derived.Node{{Attrs: g}, {Path: "t", Array: true, Attrs: a, Axes: axes}, {Path: "spatial_ref", Array: true, Attrs: a}})
			if _, err := json.Marshal(got); err != nil {
				t.Fatal(err)
			}
		}
	})
}
